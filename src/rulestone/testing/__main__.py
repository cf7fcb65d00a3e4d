"""`python -m rulestone.testing GAME`: check the whole contract of a game from the shell."""

from __future__ import annotations

import argparse
import sys
import time

from rulestone.game import UnknownGame, load
from rulestone.testing.contract import Case, ContractError, cases, check_game


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m rulestone.testing", description="Check the whole contract of a game.")
    parser.add_argument("game", help="a game's name or the path of its folder")
    parser.add_argument("--players", type=int, help="only this number of players")
    parser.add_argument(
        "--option", action="append", default=[], metavar="NAME=VALUE", help="only these options (default: every single value)"
    )
    parser.add_argument("--default", action="store_true", help="only default options")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--games", type=int, default=200, help="random games audited in compiled code, per case")
    parser.add_argument("--matches", type=int, default=3, help="whole matches checked move by move, per case")
    parser.add_argument("--plies", type=int, default=1_000_000, help="moves of each such match")
    chosen = parser.parse_args()
    try:
        game = load(chosen.game)
        wanted = dict(item.split("=", 1) for item in chosen.option)
        if wanted:
            todo = [Case(chosen.players or game.about.usual_players, wanted)]
        else:
            todo = [c for c in cases(game) if chosen.players in (None, c.players) and not (chosen.default and c.options)]
        for case in todo:
            began = time.perf_counter()
            check_game(game, case.players, case.options, seed=chosen.seed, games=chosen.games, matches=chosen.matches, plies=chosen.plies)
            print(f"ok  {game.name}  {case}  ({time.perf_counter() - began:.1f} s)", flush=True)
    except (ContractError, UnknownGame, ValueError) as problem:
        print(f"FAILED  {problem}", file=sys.stderr)
        return 1
    print(f"{len(todo)} cases fine")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Tree search: simulations per second in every game, and compared with OpenSpiel's bots on Connect Four, with plain random playouts on
both sides.

`python -m bench.search --games 40 --seconds 1 --bot level:5` plays a bot with the game's own settings against OpenSpiel's MCTSBot with
equal CPU time, rotating seats, and prints the score.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import rulestone
from bench.measure import Sample, Summary, amount_for, paired_ratio, summary
from rulestone.bots import Budget, make
from rulestone.bots.ladder import mean_interval
from rulestone.bots.search import Search, Settings

GAME = "connect_four"
OURS, MCTS, ISMCTS = (
    "Rulestone, Connect Four, random playouts",
    "OpenSpiel MCTSBot (C++), Connect Four",
    "OpenSpiel ISMCTSBot (C++), Leduc poker",
)
UCT_C = 2.0
"""OpenSpiel's own default for its MCTS example, on payoffs from -1 to 1."""


@dataclass
class Standing:
    """Samples of each contender (a step is a simulation), of each game with each number of players, and what failed."""

    contenders: dict[str, list[Sample]] = field(default_factory=dict)
    games: dict[tuple[str, int], Sample] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)

    def ratio(self, over: str, under: str) -> Summary | None:
        """How many times faster one contender is than another, round by round; None if they play different games."""
        if ISMCTS in (over, under):
            return None
        if over not in self.contenders or under not in self.contenders:
            return None
        return paired_ratio(self.contenders[over], self.contenders[under])

    def rates(self, name: str) -> Summary:
        """Simulations per second of a contender."""
        return summary([sample.rate for sample in self.contenders[name]])


def measure(rounds: int, seconds: float, say: Callable[[str], None]) -> Standing:
    """Measure the first move of Connect Four, round after round, then the first real choice in every game."""
    standing = Standing()
    plays = {OURS: _searching(rulestone.load(GAME), Settings(guided=0.0, advice=1), None)}
    for name, make_play in ((MCTS, _open_spiel_mcts), (ISMCTS, _open_spiel_ismcts)):
        try:
            plays[name] = make_play()
        except ImportError as problem:
            standing.skipped[name] = str(problem)
            say(f"skipping {name}: {problem}")
    amounts = {name: amount_for(play, seconds) for name, play in plays.items()}
    for number in range(rounds):
        say(f"search, round {number + 1} of {rounds}")
        for name, play in plays.items():
            standing.contenders.setdefault(name, []).append(play(amounts[name]))
    for name in rulestone.games.names():
        try:
            game = rulestone.load(name)
            for players in sorted({game.min_players, game.max_players}):
                say(f"search, {name} with {players} players")
                play = _searching(game, None, players)
                standing.games[name, players] = play(amount_for(play, seconds))
        except Exception as problem:  # one broken game must not hide the figures of the others
            standing.failed[name] = f"{type(problem).__name__}: {str(problem).splitlines()[0] if str(problem) else ''}"
    return standing


def _timed(run: Callable[[], None], simulations: int) -> Sample:
    """A sample in CPU time of this thread, so that other work on the core does not count."""
    began = time.thread_time()
    run()
    seconds = time.thread_time() - began
    return Sample(1, simulations, seconds, seconds)


def _searching(game: rulestone.Game, settings: Settings | None, players: int | None) -> Callable[[int], Sample]:
    search = Search(game, settings)
    match = game.new(seed=1, players=players)
    while len(match.legal()) == 1:
        match.play(match.legal()[0])
    view = match.view(match.to_move)

    def play(simulations: int) -> Sample:
        return _timed(lambda: search.think(view, 1, Budget(simulations=simulations), threads=1) and None, simulations)

    return play


def _open_spiel_mcts() -> Callable[[int], Sample]:
    import pyspiel

    game = pyspiel.load_game(GAME)

    def play(simulations: int) -> Sample:
        bot = open_spiel_bot(game, simulations, 1)
        state = game.new_initial_state()
        return _timed(lambda: bot.step(state), simulations)

    return play


def _open_spiel_ismcts() -> Callable[[int], Sample]:
    """ISMCTSBot needs a game with hidden information, and we share none with OpenSpiel: so its smallest poker is shown on its own."""
    import pyspiel

    game = pyspiel.load_game("leduc_poker")

    def play(simulations: int) -> Sample:
        simulations = max(2, simulations)  # it fails with one
        bot = pyspiel.ISMCTSBot(1, pyspiel.RandomRolloutEvaluator(1, 1), UCT_C, simulations)
        state = game.new_initial_state()
        while state.is_chance_node():
            state.apply_action(state.legal_actions()[0])
        return _timed(lambda: bot.step(state), simulations)

    return play


def open_spiel_bot(game: Any, simulations: int, seed: int) -> Any:
    """OpenSpiel's MCTSBot with its solver on and one random playout per simulation."""
    import pyspiel

    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    return pyspiel.MCTSBot(game, evaluator, UCT_C, simulations, 4000, True, seed, False)


def versus(games: int, seconds: float, name: str | None = None, say: Callable[[str], None] = print) -> tuple[float, float, float]:
    """Our score (a draw counts a half) against MCTSBot with as many simulations as fit into `seconds`, and its 95 % interval.

    We play the bot called `name`, by default a search with the same time.
    """
    import pyspiel

    spiel = pyspiel.load_game(GAME)
    play = _open_spiel_mcts()
    theirs = amount_for(play, seconds)
    game = rulestone.load(GAME)
    game.warm_up()
    bot = make(name or f"mcts:{round(1000 * seconds)}ms", game, clock=time.thread_time)
    scores, spent = [], {0: [0.0, 0], 1: [0.0, 0]}
    for number in range(games):
        ours = number % 2
        match, state = game.new(seed=number), spiel.new_initial_state()
        other = open_spiel_bot(spiel, theirs, number)
        while (seat := match.to_move) is not None:
            began = time.thread_time()
            if seat == ours:
                action = game.actions.parse(bot.choose(match.view(seat), match.legal(), 1000 * number + match.ply).move)
            else:
                action = other.step(state)
            spent[int(seat == ours)][0] += time.thread_time() - began
            spent[int(seat == ours)][1] += 1
            match.play(action)
            state.apply_action(action)
        scores.append((match.payoff[ours] + 1) / 2)
        say(f"game {number + 1}: our seat {ours}, score {scores[-1]}; average so far {sum(scores) / len(scores):.3f}")
    pace = {who: total / max(1, count) for who, (total, count) in spent.items()}
    say(f"seconds per move: ours {pace[1]:.3f}, MCTSBot {pace[0]:.3f} ({theirs:,} simulations)")
    return mean_interval(scores)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        prog="python -m bench.search", description="Play Connect Four against OpenSpiel's MCTSBot with equal CPU time."
    )
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=0.2)
    parser.add_argument("--bot", help="our bot (default: mcts with the same time)")
    arguments = parser.parse_args()
    score, low, high = versus(arguments.games, arguments.seconds, arguments.bot)
    print(f"score {score:.1%} ({low:.1%} … {high:.1%})")

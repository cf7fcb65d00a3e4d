"""What a guest may ask of the lab: the constants that can be changed and their ranges, the bots, and the size of a study."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from rulestone.bots import LEVELS
from rulestone.game import Game
from rulestone.server.api import Body, clean
from rulestone.server.constants import check, refused
from rulestone.server.refusal import Refused
from rulestone.server.thinking import LABELS

MOST_GAMES, MOST_LONG_GAMES, LONG = 100_000, 5_000, 200
"""The largest study on the web; smaller for games with more than LONG moves."""
MOST_FACTORS, MOST_VALUES = 2, 6
"""How many things can be varied in a study, and how many values of each."""
MOST_SIMULATIONS = 2_000
SEARCHES = (50, 200, 1000)
"""The searches that the page offers, by simulations per move."""
Word = Annotated[str, Field(max_length=80)]
Value = int | float | Word | Annotated[list[int], Field(max_length=16)]


class NewStudy(Body):
    """A new study: what to play, and what to vary. `vary` is the name of an option, or one or two things with their values."""

    game: str = Field(max_length=80)
    games: int = Field(ge=1, le=MOST_GAMES, description="how many games to play with each setting")
    bots: Word | Annotated[list[Word], Field(max_length=8)] = Field("random", description="one bot for all players, or one for each")
    players: int | None = Field(None, ge=1, le=8)
    options: dict[str, int | str | list[int]] = Field(default_factory=dict, max_length=64)
    changes: dict[str, int | float] = Field(default_factory=dict, max_length=16, description="other values for constants of the game")
    vary: Word | Annotated[dict[Word, Annotated[list[Value], Field(max_length=16)]], Field(max_length=8)] = ""
    name: Annotated[str, Field(max_length=80), AfterValidator(clean)] = ""

    def factors(self, game: Game) -> dict[str, list[Any]]:
        """What is varied, with its values. The name of an option alone stands for all its values, six at most."""
        if isinstance(self.vary, dict):
            return dict(self.vary)
        if self.vary and self.vary not in game.options:
            raise refused(f"{game.title} has no option {self.vary!r}.")
        return {self.vary: [*game.options[self.vary].values()[:MOST_VALUES]]} if self.vary else {}

    def asked(self, game: Game) -> dict[str, Any]:
        """The arguments of `make_plan`, with everything bounded."""
        if self.games > most_games(game):
            most = f"At most {most_games(game):,} games of {game.title} can be played here"
            raise Refused("too-many", f"{most}. For more, use `rulestone lab` on the command line.", 422)
        vary = self.factors(game)
        if len(vary) > MOST_FACTORS or any(len(values) > MOST_VALUES for values in vary.values()):
            raise Refused("too-many", f"Vary at most {MOST_FACTORS} things here, with up to {MOST_VALUES} values each.", 422)
        bots = [self.bots] if isinstance(self.bots, str) else self.bots
        for bot in [*bots, *map(str, vary.get("bots", ()))]:
            check_bot(game, bot)
        wanted: dict[str, list[Any]] = {name: [value] for name, value in self.changes.items()}
        wanted |= {name: values for name, values in vary.items() if name not in {"players", "bots", *game.options}}
        for name, values in wanted.items():
            for value in values:
                check(game, name, value)
        asked = {"games": self.games, "players": self.players, "bots": self.bots, "options": self.options}
        return {**asked, "changes": self.changes, "vary": vary}


def most_games(game: Game) -> int:
    return MOST_GAMES if game.about.longest <= LONG else MOST_LONG_GAMES


# ---- bots ---------------------------------------------------------------------------------------------------------------


def bots_of(game: Game) -> dict[str, str]:
    """The bots that the page offers, with their labels."""
    made = {"random": "Careless: random moves"} | ({"greedy": "Quick: the game's own bot"} if game.greedy is not None else {})
    made |= {f"level:{n}": f"{LABELS[f'level:{n}']}: level {n}" for n in LEVELS}
    return made | {f"mcts:{n}": f"Search with {n:,} simulations per move" for n in SEARCHES}


def check_bot(game: Game, bot: str) -> None:
    """Raise Refused unless this is a bot for guests. (Other names could import anything.)"""
    found = re.fullmatch(r"mcts:(\d{1,6})", bot)
    if found and not 1 <= int(found[1]) <= MOST_SIMULATIONS:
        raise refused(f"A search can have up to {MOST_SIMULATIONS:,} simulations per move here.")
    if not found and bot not in bots_of(game):
        raise refused(f"There is no bot {bot[:40]!r} here. Choose from: {', '.join(bots_of(game))}.")

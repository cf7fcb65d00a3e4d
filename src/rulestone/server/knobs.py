"""What a guest may ask of the lab: the constants that can be changed and their ranges, the bots, and the size of a study."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from rulestone import variant
from rulestone.bots import LEVELS
from rulestone.game import Game, once_per_game
from rulestone.server.api import Body, clean
from rulestone.server.refusal import Refused
from rulestone.server.thinking import LABELS

MOST_GAMES, MOST_LONG_GAMES, LONG = 100_000, 5_000, 200
"""The largest study on the web; smaller for games with more than LONG moves."""
MOST_FACTORS, MOST_VALUES = 2, 6
"""How many things can be varied in a study, and how many values of each."""
MOST_SIMULATIONS = 2_000
SEARCHES = (50, 200, 1000)
"""The searches that the page offers, by simulations per move."""
MOST_PARTS = 12
"""Tables with more entries aren't offered entry by entry."""
MARKS = (127, 128, 254, 255)
"""Numbers that stand for "none" or "unknown" in a game's code, rather than for something a designer would change."""
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
            raise _refused(f"{game.title} has no option {self.vary!r}.")
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
        known = {one["name"]: one for one in constants(game)}
        wanted: dict[str, list[Any]] = {name: [value] for name, value in self.changes.items()}
        wanted |= {name: values for name, values in vary.items() if name not in {"players", "bots", *game.options}}
        for name, values in wanted.items():
            if name not in known:
                raise _refused(f"{game.title} has no constant {name!r} that can be changed here.")
            for value in values:
                check_value(known[name], value)
        asked = {"games": self.games, "players": self.players, "bots": self.bots, "options": self.options}
        return {**asked, "changes": self.changes, "vary": vary}


def _refused(text: str) -> Refused:
    return Refused("bad-options", text, 422)


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
        raise _refused(f"A search can have up to {MOST_SIMULATIONS:,} simulations per move here.")
    if not found and bot not in bots_of(game):
        raise _refused(f"There is no bot {bot[:40]!r} here. Choose from: {', '.join(bots_of(game))}.")


# ---- constants ----------------------------------------------------------------------------------------------------------


@once_per_game
def constants(game: Game) -> list[dict[str, Any]]:
    """The numbers of a game that can be changed, with their ranges: those that a rule gives first, those of its bot last."""
    made = []
    for one in variant.constants(game.folder).values():
        parts = {one.name: one.value}
        if isinstance(one.value, dict) and len(one.value) <= MOST_PARTS:
            parts = {f"{one.name}[{key}]": value for key, value in one.value.items() if re.fullmatch(r"[\w '-]+", str(key))}
        for name, value in parts.items():
            if type(value) in (int, float) and value >= 0 and value not in MARKS:
                printed = one.file == "content.py" and name != one.name  # how many copies of each card, for example
                group = "bot" if one.file == "bot.py" else "rules" if printed or re.match(r"[RQ]\d", one.about) else "more"
                made.append({"name": name, "title": title(name), "value": value, "about": said(one.about), "group": group, **span(value)})
    if not any(one["group"] == "rules" for one in made):
        made = [{**one, "group": "rules" if one["group"] == "more" else one["group"]} for one in made]
    return sorted(made, key=lambda one: ("rules", "more", "bot").index(one["group"]))


def span(value: float) -> dict[str, float]:
    """A sensible range: from nothing to twice as much, and at least to 4.

    >>> span(6), span(1), span(0.5)
    ({'low': 0, 'high': 12, 'step': 1}, {'low': 0, 'high': 4, 'step': 1}, {'low': 0, 'high': 1.0, 'step': 0.05})
    """
    if isinstance(value, float):
        return {"low": 0, "high": 2 * value or 1.0, "step": float(f"{value / 10 or 0.1:.1g}")}
    return {"low": 0, "high": max(4, 2 * value), "step": 1}


def title(name: str) -> str:
    """A constant's name in words.

    >>> title("CARDS_A_TURN"), title("SPECIAL_COPIES[Save Tile]")
    ('Cards a turn', 'Special copies: Save Tile')
    """
    head, _, part = name.rstrip("]").partition("[")
    words = head.replace("_", " ").capitalize()
    return f"{words}: {part}" if part else words


def said(comment: str) -> str:
    """A comment of the code as an explanation, with the rules it names at its end, where the page makes links of them.

    >>> said("R9: Petrification Cards drawn at the start of a turn")
    'Petrification Cards drawn at the start of a turn (R9)'
    """
    found = re.match(r"((?:[RQ]\d+(?:, )?)+):?\s*(.*)", comment)
    if found is None:
        return comment
    return " ".join(filter(None, (found[2], *(f"({rule})" for rule in found[1].split(", ")))))


def check_value(one: dict[str, Any], value: Any) -> None:
    """Raise Refused unless a constant can have this value here."""
    whole = isinstance(one["value"], int)
    if isinstance(value, bool) or not isinstance(value, int if whole else int | float) or not one["low"] <= value <= one["high"]:
        kind = "a whole number" if whole else "a number"
        raise _refused(f"{one['name']} can be {kind} from {one['low']} to {one['high']} here.")

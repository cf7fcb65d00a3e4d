"""The pieces of the Hydra Regatta as text that a designer can edit: 28 wedges, the Starting Line and 36 Favor cards.

The drawings and card texts of the printed game are lost; these are reconstructions. If you own the game, you can type in the
printed ones here without touching the rules. Everything is read and checked at import: a wedge or a card that can't be right
raises `ContentError`, which names it and says why.
"""

from __future__ import annotations

import re
from collections import namedtuple
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

RING_SLOTS, LANES, MAX_DOTS, MAX_EXITS = 12, 4, 16, 3
RING, STACK, PRINTED_CARDS, SEATS = 12, 16, 36, 4
if (RING_SLOTS, LANES, MAX_DOTS, MAX_EXITS) != (12, 4, 16, 3):  # actions, fields and drawings rely on them
    raise ValueError("a ring has 12 slots with 4 lanes, a wedge has room for 16 dots and a dot for 3 exits; you can't change these numbers")

# ---- wedges -------------------------------------------------------------------------------------------------------------
#
# One line for each wedge:  id | symbol | name | lane A | lane B | lane C | lane D | extra ways | changes | whirlpool paths
#
# symbol    1-4 for the twelve wedges of the first ring, 0 for those of the draw stack
# lanes     the dots of a lane in sailing order, A innermost: . plain  f fish  g favor  w wedge  + boost  H Hydra
#           Y Charybdis  Z Scylla  S start dot. `f@7` puts a dot at seven twelfths of the wedge instead of the usual place.
# ways      every dot leads to the next one of its lane and the last one to the seam of its lane (a b c d).
#           `X1>Y2` adds a way to a dot, `X1>y` one to a seam.
# changes   `X2=y` lets the last dot of lane X lead to seam y instead; `in:A=B1` lets seam a lead to dot B1 instead of A1.
# paths     `B1:2>C2` is the path of whirlpool B1 that is marked 2; the marked paths replace all other ways out of the dot.

WEDGES = """
W01|1|Calm Narrows|f .|. . w|. g .|. . . f|A1>B2 B2>A2 C1>B2 C2>B3 C2>D3 D2>C2||
W02|1|Hydra's Neck|H .|. H .|. . w|g . . .|A1>B2 B1>C2 C2>D3 D3>C3|A2=b B3=a|
W03|1|Charybdis West|. H|Y . .|f . .|. . . f|A1>B2 B2>A2 C2>B3 C2>D3 D2>C2||B1:1>C2 B1:2>B2 B1:3>A1
W04|2|Twin Shoals|. . g|f . .|H . .|w . . f|A1>B2 B1>C2 B2>A3 C2>B3 C2>D3 D3>C3|A3=b B3=a|
W05|2|Watcher's Rock|.|H . f|. g .|. . w .|A1>B3 B1>A1 B1>C2 C2>B3 D2>C2|in:A=B1|
W06|2|Scylla South|. H|. w .|Z . .|f . . .|A1>B2 B1>A1 B2>A2 D2>C2 D3>C3||C1:0>D2 C1:1>C2 C1:2>B2
W07|3|Outer Current|H . .|. f .|. . H|. + . .|A1>B2 B2>A3 C1>B2 C2>D3 D2>C2|C3=d D4=c|
W08|3|Two Heads|H g|. H .|f . .|. w . .|A1>B2 B1>A1 B2>A2 C1>B2 C2>D3 D2>C2||
W09|3|Charybdis East|. . f|. H .|Y . .|. g . .|B1>A2 B2>A3 D2>C2 D3>C3|A3=b B3=a|C1:1>D2 C1:2>C2 C1:3>B2
W10|4|Oracle Point|g .|. . .|. f .|w . . .|A1>B2 B2>A2 C1>B2 C2>D3 D2>C2|B3=c C3=b|
W11|4|Jaws|. H .|. . .|H . .|f . H g|A1>B2 B2>A3 C1>D2 C2>B3 D2>C2||
W12|4|Scylla North|w .|Z . f|. H .|. g . .|A1>B2 B2>A2 C2>B3 C2>D3 D2>C2||B1:0>C2 B1:1>B2 B1:2>A1
W13|0|Hydra's Den|H . H|H . .|. H .|. . H f|A2>B3 B1>A2 C1>B2 C2>D3 D2>C2||
W14|0|Hydra's Coil|. H|H . .|. . H|. H . .|A1>B2 B1>C2 B2>A2 D2>C2|A2=b B3=a|
W15|0|Guarded Altar|H g|H . g|. H f|. . . .|A1>B2 B1>A1 B2>A2 C1>B2 C2>D3 D3>C3||
W16|0|Gauntlet|H .|. H .|H . w|. H . g|A1>B2 B1>A1 B2>A2 C1>D2 C2>B3 D2>C2||
W17|0|Fast Water|+ .|. . w|. . .|. f . H|A1>B2 C1>B2 C2>B3 D2>C2|A2=b B3=a|
W18|0|West Wind|. H .|. . f|+ . g|. . + .|A1>B2 B2>A3 C2>B3 D2>C2||
W19|0|Hero's Sprint|H . +|. . .|w . H|. + . .|A1>B2 C1>B2 D1>C1||
W20|0|Great Charybdis|w|Y . .|. . f|. g . .|A1>B3 C2>B3 C2>D3 D2>C2|in:A=B1|B1:1>C2 B1:2>B2 B1:3>A1
W21|0|Deep Charybdis|f .|. H .|Y . .|g .|A1>B2 B1>A1 B2>A2 D1>C2|in:D=C1|C1:1>D1 C1:2>C2 C1:3>B2
W22|0|Great Scylla|Z .|H|. . w|f . . .|B1>C3 C1>B1 C2>D3 D2>C2|in:B=A1|A1:0>B1 A1:1>A2 A1:2>a
W23|0|Deep Scylla|. g|. . H|Z . .|. . . f|A1>B2 B1>A1 B2>A2 D2>C2 D3>C3|A2=b B3=a|C1:0>D2 C1:1>C2 C1:2>B2
W24|0|Fishing Grounds|. f .|f . .|. f .|f . . f|B1>A2 B2>A3 C1>B2 C2>B3 D2>C2 D3>C3||
W25|0|Sacred Isles|. w|. g .|g . H|. . g .|A1>B2 B1>C2 C2>D3 D2>C2|A2=b B3=a|
W26|0|The Straits|. .|f . w|.|. . . g|A1>B2 B1>A1 B1>C1 B2>A2 C1>D3 D2>C1|in:C=B1|
W27|0|Short Cut|.|H|. .|w .|A1>b C1>B1 C1>D2||
W28|0|Long Reach|H . .|. f . .|. . . w|g . . .|A1>B2 A2>B3 B1>A1 B2>A2 B3>A3 C1>B2 C2>B3 D2>C3|A3=b B4=a|
"""

STARTING_LINE = "SL|-|Starting Line|S|S|S|S|||"

# ---- Favors of the Gods ---------------------------------------------------------------------------------------------------
#
# One line for each type:  name | kind | effect | parameter | copies | Starter number (0: none) | text of the card
# In the text {fish} and {dots} stand for the parameter: 2 fish, 3 dots, 1 dot.
# A Starter number belongs to the first copy. EFFECTS below lists the effects a kind of card may have.

FAVORS = """
Demeter|boat|GAIN_FISH|2|2|1|Take {fish}: while rolling, at a fork, at a Hydra or after your last dot.
Apollo|boat|REROLL|0|2|2|Reroll your Navigation die or your second Movement die.
Hephaestus|boat|ADD_MOVE|3|2|3|Sail {dots} further.
Janus|boat|ANY_PATH|0|2|4|Leave a whirlpool by any path, for free.
Athena|boat|SET_NAV|0|2|0|Turn your Navigation die to 1, 2 or 3.
Tyche|boat|NO_BUST|0|2|0|Remove a second die that would bust; the first one stays.
Artemis|boat|IGNORE_HYDRA|0|2|0|Ignore a Hydra.
Amphitrite|boat|STOP|0|2|0|Drop anchor: end your movement after any dot.
Hermes|boat|ADD_NAV|0|2|0|Add your Navigation die once more to movement and protection.
Zeus|bolt|ALL_LOSE_FISH|1|2|0|Every other player returns {fish}.
Poseidon|bolt|ADVANCE|2|2|0|Sail {dots} at once.
Nereus|bolt|GAIN_FISH|2|2|0|Take {fish}.
Gaia|bolt|DRAW_PLACE|1|2|0|Draw a wedge and place it at once, within the limits of your turn.
Dionysus|bolt|STEAL_FISH|1|2|0|Take {fish} from another player.
Aeolus|trident|SLOW|3|2|0|Your next voyage is {dots} shorter, but at least 1 dot long.
Ares|trident|NO_PROTECT|0|2|0|No Hydra protection on your next voyage.
Eris|trident|NO_SECOND|0|2|0|You can't roll a second Movement die next time.
Hades|trident|LOSE_FISH|1|2|0|Return {fish} before you roll.
"""

# How many more (or fewer) copies than printed each Favor of a kind has, for what-if questions.
MORE_COPIES = {"boat": 0, "bolt": 0, "trident": 0}

BOAT, BOLT, TRIDENT = range(3)
KINDS = ("boat", "bolt", "trident")
EFFECT_NAMES = (
    *("GAIN_FISH", "REROLL", "ADD_MOVE", "ANY_PATH", "SET_NAV", "NO_BUST", "IGNORE_HYDRA", "STOP", "ADD_NAV"),
    *("ALL_LOSE_FISH", "ADVANCE", "DRAW_PLACE", "STEAL_FISH", "SLOW", "NO_PROTECT", "NO_SECOND", "LOSE_FISH"),
)
DOES = namedtuple("Effects", EFFECT_NAMES)(*range(len(EFFECT_NAMES)))  # the numbers of the effects: DOES.STOP
# For each kind of card the effects it may have, with the parameters that make sense.
EFFECTS = {
    "boat": {
        "GAIN_FISH": range(1, 4),
        "REROLL": range(1),
        "ADD_MOVE": range(1, 13),
        "ANY_PATH": range(1),
        "SET_NAV": range(1),
        "NO_BUST": range(1),
        "IGNORE_HYDRA": range(1),
        "STOP": range(1),
        "ADD_NAV": range(1),
    },
    "bolt": {
        "ALL_LOSE_FISH": range(1, 4),
        "ADVANCE": range(1, 13),
        "GAIN_FISH": range(1, 4),
        "DRAW_PLACE": range(1, 2),
        "STEAL_FISH": range(1, 4),
    },
    "trident": {"SLOW": range(1, 13), "NO_PROTECT": range(1), "NO_SECOND": range(1), "LOSE_FISH": range(1, 4)},
}

ICONS = ".fgw+HYZS"
IS = namedtuple("Icons", "PLAIN FISH FAVOR WEDGE BOOST HYDRA CHARYBDIS SCYLLA START")(*range(9))  # their numbers: IS.HYDRA
PATHS = {"Y": (1, 2, 3), "Z": (0, 1, 2)}
# Where the dots of a lane lie, in twelfths of the wedge, by their number.
ANGLES = {1: (6,), 2: (4, 8), 3: (3, 6, 9), 4: (2, 5, 7, 10)}
UPPER, LOWER = "ABCD", "abcd"


class ContentError(ValueError):
    """A wedge or a card that can't be right."""


@dataclass(frozen=True)
class Dot:
    """One dot: its lane (0 innermost), its angle in twelfths, its icon, and its exits in the order of STEP.

    An exit is (label, target): the number on a whirlpool's path or -1, and a dot's index or MAX_DOTS + lane for a seam.
    """

    name: str
    lane: int
    angle: int
    icon: str
    exits: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Wedge:
    """One wedge as a graph: its dots, and the dot each entry lane leads to."""

    id: str
    symbol: int
    name: str
    dots: tuple[Dot, ...]
    entries: tuple[int, ...]

    def index(self, name: str) -> int:
        """The index of a dot by its name, such as B2."""
        return [dot.name for dot in self.dots].index(name)

    def ways(self, start: int) -> Iterator[tuple[int, ...]]:
        """Every way from a dot to a seam: the dots passed."""
        for _, target in self.dots[start].exits:
            if target >= MAX_DOTS:
                yield (start,)
            else:
                for rest in self.ways(target):
                    yield (start, *rest)

    def best(self, worth: Callable[[Dot], int]) -> int:
        """The most that the dots of one way through the wedge are worth in total."""
        return max(sum(worth(self.dots[dot]) for dot in way) for entry in self.entries for way in self.ways(entry))


@dataclass(frozen=True)
class Favor:
    """One type of Favor card."""

    name: str
    kind: str
    effect: str
    parameter: int
    copies: int
    starter: int
    text: str


# ---- reading wedges -------------------------------------------------------------------------------------------------------


def parse_wedge(line: str) -> Wedge:
    """One wedge from its line; raises ContentError, which names the wedge and says what is wrong."""
    parts = [part.strip() for part in line.split("|")]
    if len(parts) != 10:
        raise ContentError(f"wedge {parts[0] or '?'}: a wedge has 10 parts between bars, this one has {len(parts)}: {line!r}")
    label = f"wedge {parts[0]} ({parts[2]})"
    if parts[1] not in ("0", "1", "2", "3", "4", "-"):
        raise ContentError(f"{label}: the symbol is 0 to 4, or - for the Starting Line, not {parts[1]!r}")
    dots = [dot for lane in range(LANES) for dot in _lane(label, lane, parts[3 + lane])]
    if len(dots) > MAX_DOTS:
        raise ContentError(f"{label}: {len(dots)} dots; a wedge has at most {MAX_DOTS}")
    exits, entries = _default_ways(dots)
    _add_ways(label, dots, exits, parts[7])
    _change_ways(label, dots, exits, entries, parts[8])
    _whirlpool_paths(label, dots, exits, parts[9])
    placed = tuple(
        Dot(dot.name, dot.lane, dot.angle, dot.icon, tuple(sorted(found, key=lambda way: _step_order(dots, way))))
        for dot, found in zip(dots, exits, strict=True)
    )
    wedge = Wedge(parts[0], -1 if parts[1] == "-" else int(parts[1]), parts[2], placed, tuple(entries))
    _judge_wedge(label, wedge)
    return wedge


def _lane(label: str, lane: int, text: str) -> list[Dot]:
    """The dots of one lane, without exits."""
    words = text.split()
    if not words:
        raise ContentError(f"{label}: lane {UPPER[lane]} has no dot")
    dots = []
    for number, word in enumerate(words):
        icon, at, angle = word.partition("@")
        if len(icon) != 1 or icon not in ICONS:
            raise ContentError(f"{label}: {word!r} in lane {UPPER[lane]} is no dot; icons are {' '.join(ICONS)}")
        if not at and len(words) not in ANGLES:
            raise ContentError(f"{label}: lane {UPPER[lane]} has {len(words)} dots; for more than 4 write the angles, such as f@7")
        if at and not (angle.isdigit() and 1 <= int(angle) <= 11):
            raise ContentError(f"{label}: {word!r} in lane {UPPER[lane]}: an angle is 1 to 11 twelfths")
        dots.append(Dot(f"{UPPER[lane]}{number + 1}", lane, int(angle) if at else ANGLES[len(words)][number], icon))
    return dots


def _default_ways(dots: list[Dot]) -> tuple[list[list[tuple[int, int]]], list[int]]:
    """Along each lane and out at its end; each seam leads to the first dot of its lane."""
    exits: list[list[tuple[int, int]]] = []
    for index, dot in enumerate(dots):
        last = index + 1 == len(dots) or dots[index + 1].lane != dot.lane
        exits.append([(-1, MAX_DOTS + dot.lane if last else index + 1)])
    return exits, [next(index for index, dot in enumerate(dots) if dot.lane == lane) for lane in range(LANES)]


def _find(label: str, dots: Sequence[Dot], name: str) -> int:
    for index, dot in enumerate(dots):
        if dot.name == name:
            return index
    raise ContentError(f"{label}: there is no dot {name}; dots are {' '.join(dot.name for dot in dots)}")


def _target(label: str, dots: Sequence[Dot], name: str) -> int:
    """A dot's index, or MAX_DOTS + lane for a seam written in lower case."""
    return MAX_DOTS + LOWER.index(name) if name in tuple(LOWER) else _find(label, dots, name)


def _add_ways(label: str, dots: list[Dot], exits: list[list[tuple[int, int]]], text: str) -> None:
    """`X1>Y2`, `X1>y`: further ways out of a dot."""
    for word in text.split():
        if not re.fullmatch(r"[A-D]\d>([A-D]\d|[a-d])", word):
            raise ContentError(f"{label}: {word!r} is no way; write X1>Y2 to a dot or X1>y to a seam")
        source, target = word.split(">")
        way = (-1, _target(label, dots, target))
        found = exits[_find(label, dots, source)]
        if way in found:
            raise ContentError(f"{label}: the way {word} is there twice")
        found.append(way)


def _change_ways(label: str, dots: list[Dot], exits: list[list[tuple[int, int]]], entries: list[int], text: str) -> None:
    """`X2=y`: the last dot of a lane leads to another seam. `in:A=B1`: a seam leads to another dot."""
    for word in text.split():
        if re.fullmatch(r"in:[A-D]=[A-D]\d", word):
            entries[UPPER.index(word[3])] = _find(label, dots, word[5:])
        elif re.fullmatch(r"[A-D]\d=[a-d]", word):
            source = _find(label, dots, word[:2])
            if exits[source][0][1] < MAX_DOTS:
                raise ContentError(f"{label}: {word}: {word[:2]} is not the last dot of its lane")
            exits[source][0] = (-1, MAX_DOTS + LOWER.index(word[3]))
        else:
            raise ContentError(f"{label}: {word!r} is no change; write X2=y for an exit or in:A=B1 for an entry")


def _whirlpool_paths(label: str, dots: list[Dot], exits: list[list[tuple[int, int]]], text: str) -> None:
    """`B1:2>C2`: the path marked 2 of whirlpool B1; its marked paths replace all its other ways."""
    paths: dict[int, list[tuple[int, int]]] = {}
    for word in text.split():
        if not re.fullmatch(r"[A-D]\d:\d>([A-D]\d|[a-d])", word):
            raise ContentError(f"{label}: {word!r} is no whirlpool path; write B1:2>C2")
        paths.setdefault(_find(label, dots, word[:2]), []).append((int(word[3]), _target(label, dots, word[5:])))
    for index, dot in enumerate(dots):
        marked = tuple(sorted(number for number, _ in paths.get(index, [])))
        if dot.icon in PATHS:
            if marked != PATHS[dot.icon]:
                raise ContentError(f"{label}: whirlpool {dot.name} needs the paths {PATHS[dot.icon]}, not {marked}")
            if len(exits[index]) > 1:
                raise ContentError(f"{label}: whirlpool {dot.name} has marked paths only, no extra ways")
            exits[index] = paths[index]
        elif marked:
            raise ContentError(f"{label}: {dot.name} has marked paths but is no whirlpool")


def _step_order(dots: Sequence[Dot], way: tuple[int, int]) -> tuple[int, int, int]:
    """Marked paths by their number; else by lane of the target, a dot before a seam of the same lane."""
    number, target = way
    seam = target >= MAX_DOTS
    return (number, target - MAX_DOTS if seam else dots[target].lane, seam)


def _judge_wedge(label: str, wedge: Wedge) -> None:
    """Clockwise, at most three exits, every dot and every seam can be reached."""
    for dot in wedge.dots:
        if len(dot.exits) > MAX_EXITS:
            raise ContentError(f"{label}: {dot.name} has {len(dot.exits)} exits; a dot has at most {MAX_EXITS}")
        for _, target in dot.exits:
            if target < MAX_DOTS and wedge.dots[target].angle <= dot.angle:
                raise ContentError(f"{label}: the way {dot.name}>{wedge.dots[target].name} does not lead clockwise")
        if sum(other.lane == dot.lane and other.angle == dot.angle for other in wedge.dots) > 1:
            raise ContentError(f"{label}: two dots of lane {UPPER[dot.lane]} lie at angle {dot.angle}")
        if dot.icon == "S" and wedge.symbol != -1:
            raise ContentError(f"{label}: {dot.name} is a start dot, but only the Starting Line has those")
    reached, seams, todo = set(wedge.entries), set(), list(wedge.entries)
    while todo:
        for _, target in wedge.dots[todo.pop()].exits:
            if target >= MAX_DOTS:
                seams.add(target - MAX_DOTS)
            elif target not in reached:
                reached.add(target)
                todo.append(target)
    for index, dot in enumerate(wedge.dots):
        if index not in reached:
            raise ContentError(f"{label}: no way leads to {dot.name}")
    for lane in range(LANES):
        if lane not in seams:
            raise ContentError(f"{label}: no way leads out at seam {LOWER[lane]}")


def parse_wedges(text: str, starting_line: str = STARTING_LINE) -> tuple[Wedge, ...]:
    """All wedges, the Starting Line last; raises ContentError if they don't make a complete game."""
    wedges = tuple(parse_wedge(line) for line in text.strip().splitlines())
    for index, wedge in enumerate(wedges):
        if wedge.id != f"W{index + 1:02}":
            raise ContentError(f"wedge {wedge.id} ({wedge.name}): here W{index + 1:02} should stand")
    if len(wedges) != RING + STACK:
        raise ContentError(f"there are {len(wedges)} wedges; the game has {RING + STACK}")
    for symbol, count in ((1, 3), (2, 3), (3, 3), (4, 3), (0, STACK)):
        found = [wedge.id for wedge in wedges if wedge.symbol == symbol]
        if len(found) != count:
            raise ContentError(f"symbol {symbol} is on {len(found)} wedges ({' '.join(found)}) instead of {count}")
    line = parse_wedge(starting_line)
    if line.symbol != -1 or sorted(dot.lane for dot in line.dots if dot.icon == "S") != list(range(LANES)):
        raise ContentError(f"wedge {line.id} ({line.name}): the Starting Line has the symbol - and one start dot in each lane")
    _judge_race(wedges)
    return (*wedges, line)


def _judge_race(wedges: Sequence[Wedge]) -> None:
    """Boosts must not carry a Ship around for ever: a lap costs movement even with all boosts and three skipped Ships."""
    gains = sorted((wedge.best(lambda dot: 3 * (dot.icon == "+") - 1) for wedge in wedges), reverse=True)
    if sum(gains[: RING_SLOTS - 1]) - 1 + (SEATS - 1) >= 0:
        richest = max(wedges, key=lambda wedge: wedge.best(lambda dot: 3 * (dot.icon == "+") - 1))
        raise ContentError(f"wedge {richest.id} ({richest.name}): with so many boosts a Ship could sail for ever")


# ---- reading cards --------------------------------------------------------------------------------------------------------


def parse_favor(line: str) -> Favor:
    """One type of Favor from its line; raises ContentError, which names the card and says what is wrong."""
    parts = [part.strip() for part in line.split("|")]
    label = f"Favor {parts[0] or '?'}"
    if len(parts) != 7:
        raise ContentError(f"{label}: a Favor has 7 parts between bars, this one has {len(parts)}: {line!r}")
    name, kind, effect, parameter, copies, starter, text = parts
    if not name:
        raise ContentError(f"Favor without a name: {line!r}")
    if kind not in KINDS:
        raise ContentError(f"{label}: the kind is {', '.join(KINDS)}, not {kind!r}")
    if effect not in EFFECTS[kind]:
        raise ContentError(f"{label}: a {kind} cannot have the effect {effect!r}; possible: {', '.join(EFFECTS[kind])}")
    for what, number in (("parameter", parameter), ("number of copies", copies), ("Starter number", starter)):
        if not number.isdigit():
            raise ContentError(f"{label}: the {what} is a number, not {number!r}")
    allowed = EFFECTS[kind][effect]
    if int(parameter) not in allowed:
        raise ContentError(f"{label}: the parameter of {effect} is {allowed[0]} to {allowed[-1]}, not {parameter}")
    if int(copies) < 1:
        raise ContentError(f"{label}: there is at least 1 copy")
    if int(starter) > SEATS or (int(starter) and kind != "boat"):
        raise ContentError(f"{label}: a Starter is a boat with a number 1 to {SEATS}, not a {kind} with {starter}")
    try:
        text = text.format(fish=f"{parameter} fish", dots=f"{parameter} dot{'s' * (int(parameter) != 1)}")
    except (LookupError, ValueError):
        raise ContentError(f"{label}: the text may hold {{fish}} and {{dots}} for its number, but no other braces: {text!r}") from None
    return Favor(name, kind, effect, int(parameter), int(copies), int(starter), text)


def parse_favors(text: str) -> tuple[Favor, ...]:
    """All types of Favors; raises ContentError if they don't make a complete deck."""
    favors = tuple(parse_favor(line) for line in text.strip().splitlines())
    for index, favor in enumerate(favors):
        if favor.name in [other.name for other in favors[:index]]:
            raise ContentError(f"Favor {favor.name}: there are two lines for it")
    if sum(favor.copies for favor in favors) != PRINTED_CARDS:
        raise ContentError(f"there are {sum(favor.copies for favor in favors)} Favor cards; the deck has {PRINTED_CARDS}")
    for number in range(1, SEATS + 1):
        found = [favor.name for favor in favors if favor.starter == number]
        if len(found) != 1:
            raise ContentError(f"Starter number {number} belongs to {len(found)} Favors ({', '.join(found)}) instead of 1")
    thieves = [favor for favor in favors if favor.effect == "STEAL_FISH"]
    for favor in thieves:
        if favor.parameter != thieves[0].parameter:
            raise ContentError(f"Favor {favor.name}: all thieves take equally many fish, {thieves[0].name} takes {thieves[0].parameter}")
    return favors


# ---- tables for the rules -------------------------------------------------------------------------------------------------

COURSE = parse_wedges(WEDGES)
GODS = parse_favors(FAVORS)

START_WEDGE = len(COURSE) - 1
ICON = np.zeros((len(COURSE), MAX_DOTS), np.uint8)
LANE = np.zeros((len(COURSE), MAX_DOTS), np.uint8)
ANGLE = np.zeros((len(COURSE), MAX_DOTS), np.uint8)
EXITS = np.zeros((len(COURSE), MAX_DOTS), np.uint8)  # how many exits a dot has
EXIT = np.zeros((len(COURSE), MAX_DOTS, MAX_EXITS), np.uint8)  # a dot, or MAX_DOTS + lane of the seam
LABEL = np.zeros((len(COURSE), MAX_DOTS, MAX_EXITS), np.uint8)  # number on a whirlpool's path
PRE_LINE = np.zeros((len(COURSE), MAX_DOTS), np.uint8)  # Q40: dots of the Starting Line wedge that lie before the line
ENTRY = np.array([wedge.entries for wedge in COURSE], np.uint8)
for _w, _wedge in enumerate(COURSE):
    for _d, _dot in enumerate(_wedge.dots):
        ICON[_w, _d] = ICONS.index(_dot.icon)
        LANE[_w, _d], ANGLE[_w, _d], EXITS[_w, _d] = _dot.lane, _dot.angle, len(_dot.exits)
        for _e, (_label, _target_dot) in enumerate(_dot.exits):
            EXIT[_w, _d, _e], LABEL[_w, _d, _e] = _target_dot, max(_label, 0)
        PRE_LINE[_w, _d] = any(_wedge.dots[later].icon == "S" for way in _wedge.ways(_d) for later in way[1:])
MARKED = np.array([[w for w, wedge in enumerate(COURSE) if wedge.symbol == symbol] for symbol in (1, 2, 3, 4)], np.uint8)
UNMARKED = np.array([w for w, wedge in enumerate(COURSE) if wedge.symbol == 0], np.uint8)
START_DOT = np.array(
    [next(d for d, dot in enumerate(COURSE[-1].dots) if dot.icon == "S" and dot.lane == lane) for lane in range(4)], np.uint8
)

for _favor in GODS:
    if _favor.copies + MORE_COPIES[_favor.kind] < (_favor.starter > 0):
        raise ContentError(f"Favor {_favor.name}: {_favor.copies + MORE_COPIES[_favor.kind]} copies are too few")
_types = [index for index, favor in enumerate(GODS) for _ in range(favor.copies + MORE_COPIES[favor.kind])]
CARDS = len(_types)
if not 4 * SEATS <= CARDS <= 62:  # the rules hold sets of cards in one number
    raise ContentError(f"there are {CARDS} Favor cards; {4 * SEATS} to 62 are possible")
TYPE = np.array(_types, np.uint8)
KIND = np.array([KINDS.index(GODS[index].kind) for index in _types], np.uint8)
EFFECT = np.array([EFFECT_NAMES.index(GODS[index].effect) for index in _types], np.uint8)
PARAMETER = np.array([GODS[index].parameter for index in _types], np.uint8)
STARTER = np.array([_types.index(next(i for i, favor in enumerate(GODS) if favor.starter == n)) for n in range(1, 5)], np.uint8)
STOLEN = max((favor.parameter for favor in GODS if favor.effect == "STEAL_FISH"), default=0)

CARD_NAMES = tuple(GODS[index].name for index in _types)
CARD_TEXTS = tuple(GODS[index].text for index in _types)
WEDGE_NAMES = tuple(wedge.name for wedge in COURSE)
DOT_NAMES = tuple(f"{wedge.name} {wedge.dots[d].name}" if d < len(wedge.dots) else "nowhere" for wedge in COURSE for d in range(MAX_DOTS))
# The longest possible lap, on which the length of a race depends: eleven different wedges and the Starting Line.
LONGEST_LAP = sum(sorted(wedge.best(lambda dot: 1) for wedge in COURSE[:-1])[1 - RING_SLOTS :]) + COURSE[-1].best(lambda dot: 1)

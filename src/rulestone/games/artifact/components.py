"""Artifact on paper: a map for each number of players, the deck, blocks, adventurers and the artifact."""

from textwrap import wrap

from rulestone.components import Board, Box, Card, Tile, Token
from rulestone.table import svg

from . import art, rules, words
from .content import CARDS, DECKS, HOME, MAP_NAMES, WALL

SQUARE = 19.5  # millimetres; a map of nine squares fits on one sheet
BLOCK = 18
SPARE = 20  # blocks besides the walls of the map, if there is no limit (Q30)
NAMES = rules.ABOUT.seats


def components(players, options):
    """R2, R3, R16: the map for this number of players, the cards of the deck, and what stands on the map."""
    number = MAP_NAMES.index(options["map"])
    plan = art.ground(number)
    walls = int(WALL[number].sum())
    return Box(
        [
            board(players, number, plan),
            *(
                Card(CARDS[kind], count, face(kind), BACK, span=104, ground="clay", text=words.USES[kind][0])
                for kind, count in deck(options)
            ),
            Tile(
                "Block",
                walls + (options["block_supply"] or SPARE),
                block(),
                size=(BLOCK, BLOCK),
                span=72,
                text="A wall: it lifts what stands on it.",
            ),
            *(
                Token(f"{NAMES[player]} adventurer", 1, svg.group(art.piece(player), at=(0, -1)), size=(18, 27), span=42)
                for player in range(players)
            ),
            Token("The artifact", 1, art.amphora(20), size=(14, 20), span=34),
        ],
        defs=str(art.defs(plan)),
        assembly=(
            "Glue the map to card, so that Rotate can turn it with everything on it. Lay a block on each square with a cross.",
            "Glue the blocks to thick card, or use wooden cubes.",
            "Fold the adventurers and the artifact, and glue their feet to card. Their owner’s base is in their colour.",
        ),
    )


def deck(options):
    """How many cards there are of each kind: a deck by its name, or eight counts."""
    named = options["deck"]
    counts = DECKS[named] if isinstance(named, str) else named
    return enumerate(counts)


def board(players, number, plan):
    """A map: its floor, and a cross where a wall starts."""
    half, lines = plan.size / 2 - 7, ""
    for cell, (x, y) in plan.at.items():
        if WALL[number, cell]:
            lines += f"M{x - half:g} {y - half:g}l{2 * half:g} {2 * half:g}m0 {-2 * half:g}l{-2 * half:g} {2 * half:g}"
            lines += f"M{x - half:g} {y - half:g}h{2 * half:g}v{2 * half:g}h{-2 * half:g}z"
    floor = svg.group(art.floor(plan, 0, tuple(HOME[number][:players].tolist())), at=(-art.MIDDLE[0], -art.MIDDLE[1]))
    sides = [2 * art.FRAME + count * plan.size for count in (plan.columns, plan.rows)]
    scale = SQUARE / plan.size
    name = f"Map for {players} players: {MAP_NAMES[number]}"
    return Board(name, 1, floor + svg.path(lines, line="stone", width=3), size=(sides[0] * scale, sides[1] * scale), span=sides[0])


def face(kind):
    """A card: its sign, its name and what it does. Ho and Vert need no compass, because Rotate turns the map itself."""
    frame = svg.rect(-47, -66, 94, 132, fill="board", line="ink", width=1.6, round=9)
    picture = svg.rect(-42, -61, 84, 62, fill=art.TINT[kind], round=6) + svg.group(art.use(f"icon{kind}"), at=(0, -30), scale=0.95)
    lines = wrap(words.USES[kind][0], 26)
    text = "".join(svg.text(line, 0, 26 + 8.3 * k, size=7.4) for k, line in enumerate(lines))
    return frame + picture + svg.text(CARDS[kind], 0, 13, size=15, serif=True, bold=True) + text


BACK = svg.rect(-44, -65, 88, 130, line="board", width=1.6, round=5) + svg.circle(0, 0, 30, fill="on3", opacity=0.25) + art.amphora(28)


def block():
    """The top of a block."""
    joints = svg.path("M-33 -8H33M-33 15H33M6 -33V-8M-12 -8V15M14 15V33", line="on3", width=1.6, opacity=0.4)
    return svg.rect(-36, -36, 72, 72, fill="stone") + svg.rect(-33, -33, 66, 66, fill="on0", opacity=0.42, round=4) + joints

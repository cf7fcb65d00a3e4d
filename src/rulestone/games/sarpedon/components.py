"""Sarpedon on paper: the palace, its cards, and heroes with their statues on the back."""

from rulestone.components import Board, Box, Card, Token
from rulestone.table import kit, svg

from . import art, content, scene
from .art import HUE
from .content import COLOURS, DECK, MYSTERY_CARDS, PLAYERS, SPECIAL_CARDS, SPECIAL_COPIES

TILE, CARD, LARGE = 36, 32, (44, 63)  # millimetres: a tile of the board, a square card that lies on it, a large Special Card
SIGHT = scene.SIGHTS[0, False]
EDGE = 40  # of the board, in units of the scene
PETRIFIES = "Lay it on its tile. Nobody can step there any more. A player who stands there is frozen."


def components(players, options):
    """R1, R5-R7: the contents of the box."""
    side = scene.SIDE + EDGE
    return Box(
        [
            Board("Palace", 1, palace(), size=(side * TILE / scene.SIZE,) * 2, span=side),
            *(petrification(player, int(number)) for player in range(PLAYERS) for number in DECK),
            *(special(player, kind) for kind in range(len(SPECIAL_CARDS)) for player in range(PLAYERS)),
            *(small_special(player, kind) for kind in range(len(SPECIAL_CARDS)) for player in range(PLAYERS)),
            *(mystery(player, kind) for kind in range(len(MYSTERY_CARDS)) for player in range(PLAYERS)),
            *(hero(player) for player in range(PLAYERS)),
        ],
        besides=("a four-sided die (or any die: roll again if it shows more than 4)",),
        assembly=(
            "Shuffle the Petrification Cards of each colour into a deck, face down.",
            "Lay each colour's three Mystery Cards, shuffled, face down on the tiles marked ? of its quadrant.",
            "Fold each hero, and glue the feet to card. While a player is frozen, turn the hero round: the statue looks at you.",
        ),
    )


def palace():
    """The board as on the table, with Medusa in her throne room and the places of the Mystery Cards."""
    marks = "".join(
        svg.group(
            svg.circle(0, 0, 17, line="ink", width=2, also="half") + svg.text("?", size=24, serif=True),
            at=scene.place(SIGHT, quadrant, int(tile)),
        )
        for quadrant in range(PLAYERS)
        for tile in content.MYSTERY_TILE
    )
    x, y = SIGHT.middle
    return svg.group(scene.palace(SIGHT), marks, svg.group(art.GORGON, at=(x, y)), at=(-x, -y))


def signed(hue, size=7):
    """A seat's mark on a light disc."""
    return svg.circle(0, 0, size * 1.45, fill="on0") + kit.mark(hue, size)


def petrification(player, number):
    """One of 16 in each colour: the tile that turns to stone."""
    front = svg.group(art.stone(number % 4), scale=0.97)
    front += svg.circle(0, -6, 25, fill="on0", opacity=0.85) + svg.text(number, 0, -5, size=38, fill="on3", serif=True, bold=True)
    front += svg.group(signed(HUE[player], 8), at=(0, 31))
    return Card(
        f"Petrification Card ({COLOURS[player]})",
        1,
        front,
        svg.rect(-38, -38, 76, 76, line="on0", width=2, round=6) + svg.group(signed(HUE[player], 20)),
        size=(CARD, CARD),
        span=96,
        ground="stone",
        text=PETRIFIES if player == 0 else "",
    )


def special_face(player, kind):
    """The front of a large Special Card, 126 by 180."""
    name, text = list(SPECIAL_CARDS.items())[kind]
    body = svg.rect(-56, -80, 112, 160, fill="board", line=f"seat{HUE[player]}", width=3, round=9)
    body += svg.text(name, 0, -65, size=17, serif=True, bold=True) + svg.group(art.SPECIAL_ART[kind], at=(0, -26), scale=1.35)
    body += "".join(svg.text(line, 0, 16 + 11 * k, size=9.6) for k, line in enumerate(wrapped(text, 23)))
    return body + svg.group(kit.mark(HUE[player], 6), at=(44, 68))


def special(player, kind):
    """A large Special Card, which lies in front of its player."""
    name, text = list(SPECIAL_CARDS.items())[kind]
    return Card(
        f"Special Card: {name}",
        SPECIAL_COPIES[name],
        special_face(player, kind),
        svg.group(signed(HUE[player], 24)),
        size=LARGE,
        span=126,
        ground="felt",
        text=text,
    )


def small_special(player, kind):
    """A small Special Card, which is laid on a tile."""
    name = list(SPECIAL_CARDS)[kind]
    front = svg.rect(-42, -42, 84, 84, fill="board", line=f"seat{HUE[player]}", width=3, round=9)
    front += svg.group(art.SPECIAL_ART[kind], at=(0, -8), scale=1.3) + svg.text(name, 0, 32, size=11, bold=True)
    return Card(
        f"Small Special Card: {name}",
        SPECIAL_COPIES[name],
        front,
        svg.group(signed(HUE[player], 16)),
        size=(CARD, CARD),
        span=96,
        ground="felt",
    )


def mystery(player, kind):
    """A Mystery Card; the mark says whose quadrant it belongs to."""
    name, text = list(MYSTERY_CARDS.items())[kind]
    front = svg.rect(-42, -42, 84, 84, fill="board", line="clay", width=2, round=7)
    front += svg.group(art.MYSTERY_ART[kind], at=(0, -23), scale=0.95) + svg.text(name, 0, 0, size=10.5, serif=True, bold=True)
    front += "".join(svg.text(line, 0, 11.5 + 8.2 * k, size=7.4) for k, line in enumerate(wrapped(text, 24)))
    front += svg.group(kit.mark(HUE[player], 5), at=(34, -34))
    back = svg.rect(-38, -38, 76, 76, line="on0", width=2, round=5) + svg.text("?", 0, 4, size=62, fill="on0", serif=True, bold=True)
    return Card(f"Mystery Card: {name}", 1, front, back, size=(CARD, CARD), span=96, ground="clay", text=text)


def hero(player):
    """R2: a player's piece, with the statue on its back."""
    front, back = (svg.group(art.HEROES[player, statue], at=(0, 1)) for statue in (False, True))
    return Token(f"{COLOURS[player]} hero", 1, front, back, size=(20, 28), span=55)


def wrapped(text, letters):
    """A text in lines of at most so many letters."""
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + len(word) >= letters:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines

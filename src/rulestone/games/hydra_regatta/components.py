"""The Hydra Regatta on paper: wedges, the Hydra, boards, Favors, ships that stand, fish and the Golden Fleece."""

from textwrap import wrap

from rulestone.components import Board, Box, Card, Disk, Sign, Tile, Token
from rulestone.table import kit, svg

from . import art, content, rules, words
from .content import CARD_NAMES, CARD_TEXTS, COURSE, IS, SEATS, START_WEDGE
from .forecast import KIND

SCALE = 0.44  # millimetres of a unit of the scene: the ring is 31 cm across
FAVOR, SLOT = (44, 66), (46, 68)  # millimetres
BOARD, LAPS = (186, 84), (130, 62)
SHIP, WAKE, FISH, FLEECE = (20, 21), 16, 16, 26
NAMES = rules.ABOUT.seats
SIGNS = ("I", "II", "III", "IV")  # of the quarters of the first ring
TOP, BOTTOM, SIDES = art.HEART - art.OUTER, art.HEART - art.INNER * 0.966, art.OUTER * 0.5176  # of a wedge, from where `art` draws it
MIDDLE = (TOP + BOTTOM) / 2
WEDGE_TEXT = "Place it on any wedge but the Starting Line and those with Ships, so that the paths join."


def components(players, options):
    """R1: the contents of the box, for the race of so many laps."""
    cards = {}  # equal cards together: (name, Starter number)
    for card in range(content.CARDS):
        number = next((n + 1 for n in range(SEATS) if content.STARTER[n] == card), 0)
        cards.setdefault((card, number) if number else (CARD_NAMES.index(CARD_NAMES[card]), 0), []).append(card)
    return Box(
        [
            *(wedge(number) for number in range(len(COURSE))),
            Disk("Central piece", 1, art.hydra(), size=(2 * art.INNER * SCALE - 2,) * 2, span=2 * art.INNER - 2 / SCALE),
            *(Board(f"Player board ({NAMES[player]})", 1, player_board(player), size=BOARD) for player in range(players)),
            Board("Lap Counter", 1, lap_counter(int(options["laps"])), size=LAPS),
            *(favor(same[0], number, len(same)) for (_, number), same in cards.items()),
            *(Token(f"{NAMES[player]} Ship", 2, ship(player), size=SHIP, span=52) for player in range(players)),
            *(Disk(f"{NAMES[player]} Wake token", 1, wake(player), size=(WAKE, WAKE), span=32) for player in range(players)),
            Disk("Fish", 4 * SEATS, fish(), size=(FISH, FISH), span=31, text="Spend one to reroll, to feed a Hydra or to pass Scylla."),
            Disk(
                "Golden Fleece",
                1,
                svg.circle(0, 0, 22, fill="board", line="gold", width=2.4) + svg.group(art.fleece_art(), scale=1.3),
                size=(FLEECE, FLEECE),
                span=48,
                text="The player in last place starts the round, and their Navigation die counts twice.",
            ),
        ],
        defs=str(art.DEFS),
        besides=(
            f"{players} Navigation dice (ordinary dice: 1 and 2 count as 1, 3 and 4 as 2, 5 and 6 as 3)",
            f"{2 * players} six-sided dice for movement",
        ),
        assembly=(
            "Glue the wedges to card. The number at the outer edge is that of a wedge’s quarter; those without one are the draw stack.",
            "Lay the ring of twelve wedges round the Central piece. It is as large as a dinner plate: 31 cm across.",
            "Fold the Ships and glue their feet to card. One sails, the other counts laps.",
        ),
        signs=[
            Sign(f"{name[0].upper()}{name[1:]}", svg.use(f"hr-i{icon}"), text, 32)
            for icon, (name, text, _) in enumerate(words.ICON_WORDS)
            if icon not in (IS.PLAIN, IS.START)
        ],
    )


# ---- the racecourse -------------------------------------------------------------------------------------------------------


def edge():
    """The outline of a wedge, as `art` draws it, without the little space between wedges."""
    middle = art.heart(0)
    corners = [
        art.polar(radius, art.bearing(0, side)) for radius, side in ((art.OUTER, 0), (art.OUTER, 12), (art.INNER, 12), (art.INNER, 0))
    ]
    a, b, c, d = (f"{x - middle[0]:.2f} {y - middle[1] - MIDDLE:.2f}" for x, y in corners)
    return f"M{a}A{art.OUTER} {art.OUTER} 0 0 1 {b}L{c}A{art.INNER} {art.INNER} 0 0 0 {d}Z"


def wedge(number):
    """A wedge, with the sign of its quarter at its outer edge."""
    course, start = COURSE[number], number == START_WEDGE
    front = art.small_wedge(number)
    if course.symbol > 0:
        x, y = (a - b for a, b in zip(art.polar(art.OUTER - 9, art.bearing(0, 1.1)), art.heart(0), strict=True))
        front += svg.group(svg.text(SIGNS[course.symbol - 1], size=10, bold=True), at=(x, y), turn=-12)
    waves = "".join(svg.path(f"M-50 {y}q9 -8 17 0t17 0t17 0t17 0t17 0t17 0", line="board", width=2.2) for y in (-50, -32, -14, 4))
    return Tile(
        "Starting Line wedge" if start else "Racecourse wedge",
        1,
        svg.group(front, at=(0, -MIDDLE)),
        "" if start else waves,
        size=(SIDES * SCALE, (BOTTOM - TOP) * SCALE),
        span=SIDES,
        outline=edge(),
        ground="" if start else "sea",
        text=WEDGE_TEXT if number == 0 else "",
    )


# ---- cards and counters ---------------------------------------------------------------------------------------------------


def favor(card, number, count):
    """A Favor, 88 by 132; a Starter has its number on it."""
    kind, name = int(KIND[card]), CARD_NAMES[card]
    curse = kind == content.TRIDENT
    body = svg.rect(-39, -61, 78, 122, fill="clay-soft" if curse else "board", line="clay" if curse else "sea", width=2, round=6)
    body += svg.group(svg.use(f"hr-k{kind}"), at=(0, -44.5), scale=1.3) + svg.text(name, 0, -23, size=13, serif=True, bold=True)
    body += "".join(svg.text(line, 0, -6 + 10.5 * k, size=9) for k, line in enumerate(wrap(CARD_TEXTS[card], 17)))
    body += svg.text(words.KIND_FEET[kind], 0, 52, size=7.5, fill="muted")
    if number:
        body += svg.text(f"Starter {number}", -20, -54, size=7, fill="clay", bold=True) + svg.circle(28, -48, 8, fill="gold")
        body += svg.text(number, 28, -47.5, size=11, fill="on3", bold=True)
    back = svg.rect(-36, -58, 72, 116, line="board", width=1.6, round=5) + svg.group(art.KINDS[1], scale=2.6)
    text = f"{words.KIND_WORDS[kind]}. {CARD_TEXTS[card]}"
    return Card(f"Favor: {name}", count, body, back, size=FAVOR, span=88, ground="clay", text=text)


def fish():
    return svg.circle(0, 0, 14, fill="board", line="sea", width=1.4) + svg.group(art.FISH_ART, scale=1.15)


def ship(player):
    return svg.group(svg.use(f"hr-s{player}"), at=(0, 10))


def wake(player):
    rings = "".join(svg.circle(0, 0, size, line=f"seat{player}", width=1.6) for size in (9.5, 14))
    return svg.circle(0, 0, 15, fill="board") + rings + kit.mark(player, 5.5)


# ---- boards, in millimetres -----------------------------------------------------------------------------------------------


def player_board(player):
    """Places for the dice, the fish and two Favors."""
    wide, high = BOARD
    left, top = -wide / 2, -high / 2
    body = svg.rect(left + 2, top + 2, wide - 4, high - 4, fill="board", line=f"seat{player}", width=1, round=4)
    body += svg.group(kit.mark(player, 4), at=(left + 11, top + 11)) + svg.text(
        NAMES[player], left + 18, top + 11.4, size=7, align="start", serif=True, bold=True
    )
    for x, label in ((16, "Navigation"), (42, "first"), (64, "second")):
        body += svg.rect(left + x - 8.5, top + 25, 17, 17, fill="felt", line="line", width=0.5, round=2) + svg.text(
            label, left + x, top + 46, size=3.6, fill="muted"
        )
    body += svg.text("+", left + 29, top + 34, size=8) + svg.text(
        "Lower than the first: you lose both.", left + 53, top + 21, size=3.2, fill="muted"
    )
    for k in range(rules.MAX_FISH):
        at = (left + 17 + k * min(22, 60 / max(1, rules.MAX_FISH - 1)), top + 63)
        body += svg.group(
            svg.circle(0, 0, FISH / 2 + 0.5, line="sea", width=0.4) + svg.group(art.FISH_ART, scale=0.55, also="faint"), at=at
        )
    for k in range(2):
        x = wide / 2 - 7 - SLOT[0] * (2 - k) - 3 * (1 - k)
        body += svg.rect(x, -SLOT[1] / 2, *SLOT, line="line", width=0.5, round=2, also="favor") + svg.text(
            "Favor", x + SLOT[0] / 2, 0, size=5, fill="muted"
        )
    return body


def lap_counter(laps):
    """The Lap Counter: Start, then a space for each lap."""
    wide, high = LAPS
    body = svg.rect(2 - wide / 2, 2 - high / 2, wide - 4, high - 4, fill="board", line="sea", width=1, round=4)
    body += svg.text("Lap Counter", 0, 9.5 - high / 2, size=6, serif=True, bold=True)
    step = (wide - 10) / (laps + 1)
    for lap in range(laps + 1):
        x = 5 - wide / 2 + step * (lap + 0.5)
        fill = "sea-soft" if lap % 2 == 0 else "felt"
        body += svg.rect(x - step / 2 + 1.5, 17 - high / 2, step - 3, high - 23, fill=fill, line="line", width=0.5, round=3)
        body += svg.text("Start" if lap == 0 else lap, x, 23 - high / 2, size=7, serif=True, bold=True)
    return body

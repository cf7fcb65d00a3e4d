"""The drawings of Sarpedon: a mosaic palace, its stone, its cards, its heroes and Medusa. All are centred on (0, 0)."""

from functools import cache
from math import cos, pi, sin

from rulestone.table import kit, svg
from rulestone.table.look import hue_of

from .content import COLOURS, PLAYERS

HUE = tuple(hue_of(COLOURS, seat) for seat in range(PLAYERS))

# ---- tiles and cards ------------------------------------------------------------------------------------------------------

CRACKS = (
    "M-46 -8L-22 -14L-8 4L14 -4L24 16L46 20M-8 4L-14 26L-4 46M14 -4L20 -28L14 -46",
    "M-30 -46L-20 -20L4 -12L10 12L-6 28L-2 46M4 -12L26 -22L46 -14M10 12L32 22L46 40",
    "M-46 18L-24 10L-6 18L10 -2L34 -8L46 -26M10 -2L2 -24L10 -46M-6 18L-10 34L-24 46",
    "M-46 -24L-18 -18L-4 -30L8 -46M-18 -18L-12 8L12 14L18 34L8 46M12 14L46 4",
)
FACETS = (
    "M-46 -8L-22 -14L-8 4L-14 26L-46 30ZM14 -4L20 -28L46 -20V20L24 16Z",
    "M-20 -20L4 -12L10 12L-6 28L-46 12V-30ZM26 -22L46 -14V-40L20 -42Z",
    "M-6 18L10 -2L34 -8L46 30L10 46L-10 34ZM-40 -40L2 -24L-10 -4L-40 0Z",
    "M-18 -18L-4 -30L30 -34L34 -4L12 14L-12 8ZM-46 10L-20 24L-24 46H-46Z",
)


def stone(variant):
    """Cracked grey stone the size of a tile, lit from the top left."""
    return (
        svg.rect(-45, -45, 90, 90, fill="stone", round=8, also="low-shadow")
        + svg.path(FACETS[variant], fill="stone-soft", opacity=0.28)
        + svg.path("M-42 40V-36Q-42 -42 -36 -42H40", line="on0", width=2, opacity=0.45)
        + svg.path(CRACKS[variant], line="on3", width=1.8, opacity=0.6)
    )


SHARDS_OF_STONE = "M45 -45V-20L34 -26L22 -38L16 -45ZM45 45H20L28 32L38 24L45 12ZM-45 45V22L-34 28L-28 38L-16 45Z"
RUBBLE = svg.path(SHARDS_OF_STONE, fill="stone", line="on3", width=1)


def shield_art(size):
    """A round Greek shield with a wave rim: Protect Tile."""
    waves = [(size * (0.66 if k % 2 else 0.86), k * pi / 12) for k in range(25)]
    points = [f"{r * sin(a):.1f} {-r * cos(a):.1f}" for r, a in waves]
    rim = "".join(f"M{points[k]}L{points[k + 1]}L{points[k + 2]}" for k in range(0, 24, 2))
    return (
        svg.circle(0, 0, size, fill="gold", line="on3", width=max(1.5, size * 0.05))
        + svg.path(rim, line="on3", width=max(1.2, size * 0.05), opacity=0.7)
        + svg.circle(0, 0, size * 0.52, fill="clay", line="on3", width=max(1, size * 0.04))
        + svg.circle(0, 0, size * 0.2, fill="gold")
    )


HAND = "M-9 19V4L-15 -4Q-18 -9 -13 -9L-8 -3V-15Q-5 -19 -3 -15V-5V-18Q0 -22 2 -18V-5V-16Q5 -20 7 -16V-4V-11Q10 -15 12 -11V6Q12 14 7 19Z"
SIGNS = {
    "chisel": svg.path("M-20 -16L-3 -18L-8 -6L-2 2L-9 18L-20 16ZM20 -16L5 -18L1 -6L7 3L-1 18L20 16Z", fill="stone", line="ink", width=1.5),
    "hand": svg.path(HAND, fill="on0", line="on3", width=1.7),
    "arrows": svg.path("M-15 -7Q0 -20 14 -7M14 -7L13 -17M14 -7L4 -8M15 7Q0 20 -14 7M-14 7L-13 17M-14 7L-4 8", line="sea", width=4),
    "scream": svg.path("M-12 -9Q-20 -14 -15 -20M-5 -14Q-8 -22 -1 -22M5 -14Q10 -20 16 -16M12 -8Q20 -8 19 -1", line="clay", width=3.4)
    + svg.path("M-12 -6Q-11 -16 0 -16Q11 -16 12 -6Q12 10 0 20Q-12 10 -12 -6Z", fill="clay")
    + svg.path("M-8 -7L-2 -4M8 -7L2 -4", line="on0", width=2.6)
    + '<ellipse cy="7" rx="4.4" ry="6.6" class="f-on3"/>',
    "splinter": svg.path("M-7 -18L10 -12L13 4L1 19L-12 6Z", fill="sea-soft", line="sea", width=2)
    + svg.path("M-4 -10L4 6M3 -9L7 -1", line="sea", width=1.6),
}


def sign(name, size):
    """The sign on a card: stone broken in two, an open hand, arrows that swap places, a screaming head, a splinter of a mirror."""
    return svg.group(SIGNS[name], scale=size / 20)


SPECIAL_ART = (shield_art(19), sign("chisel", 18), sign("hand", 20))
MYSTERY_ART = (sign("arrows", 17), sign("scream", 17), sign("splinter", 17))
TINY_ART = (sign("arrows", 9), sign("scream", 9), sign("splinter", 10))
LITTLE_SHARD = sign("splinter", 12)

# Shapes that appear many times are drawn once, in the palace, and shown by their names (no words: `use` does not centre them).
DRAWN_ONCE = {
    **{f"art-stone{k}": stone(k) for k in range(4)},
    **{f"art-special{k}": art for k, art in enumerate(SPECIAL_ART)},
}
DEFS = "<defs>" + "".join(f'<g id="{name}">{art}</g>' for name, art in DRAWN_ONCE.items()) + "</defs>"

TERRACOTTA = svg.rect(-23, -30, 46, 60, fill="clay", line="on3", width=1.2, round=5, also="low-shadow")
TERRACOTTA += svg.rect(-18.5, -25.5, 37, 51, line="on0", width=1.3, round=3, opacity=0.65)
QUESTION = TERRACOTTA + svg.text("?", 0, 2, size=36, fill="on0", serif=True, bold=True)  # the back of a Mystery Card
# A Mystery Card that is face down but no secret, as in a replay: its sign in a window in the terracotta.
WINDOW = TERRACOTTA + svg.circle(0, -5, 17, fill="board")
ASKING = svg.text("?", 0, 20, size=22, fill="on0", serif=True, bold=True)
SEEN_THROUGH = tuple(WINDOW + svg.group(art, at=(0, -5), scale=0.72) + ASKING for art in MYSTERY_ART)
FRONT = svg.rect(-23, -30, 46, 60, fill="board", line="clay", width=1.5, round=5)  # of a Mystery Card, without its sign


def under(kind, lost):
    """A Mystery Card under another card; `kind` is None where it is a secret."""
    shown = svg.text("?", 0, 1, size=22, fill="on0", serif=True, bold=True) if kind is None else TINY_ART[kind]
    box = svg.rect(-11, -14, 22, 28, fill="stone" if kind is None else "board", line="on3", width=1.2, round=3)
    return box + shown + (svg.path("M-9 9L9 -9", line="clay", width=3) if lost else "")


def shield(framed):
    """A shield on a tile."""
    frame = svg.rect(-43, -43, 86, 86, line="gold", width=5, round=8) if framed else ""
    return frame + svg.circle(0, 0, 37, fill="board", opacity=0.7) + shield_art(34)


def rubble(turn, hand):
    """Broken stone that leaves one corner free, for the number; `hand`: broken by Save Player."""
    return svg.group(RUBBLE, turn=turn) + (svg.group(sign("hand", 20), at=(2, 4)) if hand else "")


def card_back(hue, top):
    """The back of a Petrification Card; the mark of its quadrant is on the top one."""
    return (
        svg.rect(-18, -30, 36, 60, fill="stone", line="on3", width=1, round=5)
        + svg.rect(-14, -26, 28, 52, line="on0", width=1.2, round=3, opacity=0.6)
        + (svg.circle(0, 0, 12, fill="on0") + kit.mark(hue, 8) if top else "")
    )


def drawn(hue, number, foiled):
    """The Petrification Card drawn last."""
    return (
        svg.rect(-26, -34, 52, 68, fill="stone", line=f"seat{hue}", width=3, round=6, also="low-shadow")
        + svg.text(number, 0, -10, size=30, fill="on3", serif=True, bold=True)
        + svg.circle(0, 20, 10, fill="on0")
        + svg.group(kit.mark(hue, 6.5), at=(0, 20))
        + (svg.path("M-20 28L20 -28", line="gold", width=4) if foiled else "")
    )


NOTHING_DRAWN = svg.rect(-26, -34, 52, 68, fill="felt", line="line", width=1.5, round=6)


def special_card(hue, width, height, art, state):
    """A large Special Card: "" can be used, "used" is turned over, "grey" can't be used any more."""
    left, top = -width / 2, -height / 2
    if state == "used":
        return svg.rect(left, top, width, height, fill="felt", line="line", width=1.5, round=6) + svg.group(kit.mark(hue, 9), also="faint")
    if state == "grey":
        art = svg.group(art, also="faint") + svg.path(f"M{left + 7:g} {-top - 7}L{-left - 7:g} {top + 7}", line="stone", width=3)
    return svg.rect(left, top, width, height, fill="board", line=f"seat{hue}", width=2, round=6, also="low-shadow") + art


# ---- who is there ---------------------------------------------------------------------------------------------------------

CREST = "M-15 -17C-19 -46 22 -48 20 -6L13 -9C14 -22 9 -30 0 -30C-6 -30 -9 -26 -10 -20Z"
HELMET = "M-12 -18Q-12 -32 0 -32Q12 -32 12 -18L11 -2L3 -1V-13L9 -14V-18L-9 -18V-14L-3 -13V-1L-11 -2Z"


def hero(hue, statue):
    """A player's piece: a helmeted hero with the seat's mark on the cloak; a petrified one is a statue on a plinth."""
    fill = "stone" if statue else f"seat{hue}"
    cloak = svg.path("M-22 32Q-20 4 -10 -4H10Q20 4 22 32Z", fill=fill, line="on3", width=1.6, also="low-shadow")
    crest = svg.path(CREST, fill="stone" if statue else "clay", line="on3", width=1.6)
    helmet = svg.rect(-9, -19, 18, 17, fill="on3") + svg.path(HELMET, fill=fill, line="on3", width=1.6)
    if not statue:
        return cloak + svg.group(kit.mark(hue, 9, f"on{hue}"), at=(0, 15)) + crest + helmet
    plinth = svg.rect(-25, 20, 50, 16, fill="stone", line="on3", width=1.6, round=2)
    cracks = svg.path("M-6 -30L-2 -20L-8 -12M-14 12L-5 8L0 16L8 10L10 19M14 2L8 -2", line="on3", width=1.5, opacity=0.7)
    return cloak + crest + helmet + cracks + plinth + svg.circle(0, 28, 10, fill="on0") + svg.group(kit.mark(hue, 6.5), at=(0, 28))


HEROES = {(player, statue): hero(HUE[player], statue) for player in range(PLAYERS) for statue in (False, True)}


def counter(number):
    """A small circle with a number, beside a statue's head."""
    return svg.group(svg.circle(0, 0, 14, fill="clay", line="on0", width=2), svg.text(number, size=22, fill="on0", bold=True), at=(24, -26))


def gorgon():
    """Medusa as on ancient pots: terracotta on black, snakes around a staring face."""
    snakes, heads, r = [], [], 46
    for k in range(13):
        a = (k * 24 - 234) * pi / 180
        ray, side, bend = (cos(a), sin(a)), (-sin(a), cos(a)), 5 if k % 2 else -5
        points = [(ray[0] * d + side[0] * w, ray[1] * d + side[1] * w) for d, w in ((17, 0), (26, bend), (35, -bend), (r - 2, bend * 0.3))]
        snakes.append(svg.curve(points, ink="clay", width=4))
        heads.append(svg.circle(*points[-1], 3.6, fill="clay"))
    face = svg.path("M-19 -7Q-18 -24 0 -24Q18 -24 19 -7Q19 10 10 18Q4 24 0 24Q-4 24 -10 18Q-19 10 -19 -7Z", fill="clay")
    eyes = svg.path("M-15 -6Q-9 -12 -3 -6Q-9 -2 -15 -6ZM15 -6Q9 -12 3 -6Q9 -2 15 -6Z", fill="on0")
    pupils = svg.circle(-9, -6.4, 2.2, fill="on3") + svg.circle(9, -6.4, 2.2, fill="on3")
    lines = svg.path("M-16 -11Q-9 -16 -3 -10M16 -11Q9 -16 3 -10M0 -5L-3 5H3M-14 -18Q-7 -22 0 -17Q7 -22 14 -18", line="on3", width=1.8)
    mouth = svg.path("M-10 10Q0 7 10 10Q7 17 0 17Q-7 17 -10 10Z", fill="on3")
    mouth += svg.path("M-7 10L-6 14L-4.5 10ZM7 10L6 14L4.5 10Z", fill="on0")
    tongue = svg.path("M-3 14H3V19Q0 23 -3 19Z", fill="gold")
    return svg.circle(0, 0, 53, fill="on3") + "".join(snakes) + "".join(heads) + face + eyes + pupils + lines + mouth + tongue


GORGON = gorgon()
STATUE = GORGON.replace("f-clay", "f-stone").replace("s-clay", "s-stone").replace("f-gold", "f-stone")  # she has seen herself


# ---- beside the board -----------------------------------------------------------------------------------------------------


@cache
def mirror(owners, large=False):
    """The mirror: a quarter for each shard, with the mark of the player who holds it, and the chance against Medusa (in `large` print)."""
    hub, away = (31, 37.5) if large else (22, 31)
    count = min(len(owners), 4)
    parts = [svg.circle(0, 0, 51, fill="on3", line="gold", width=5), svg.circle(0, 0, 44, fill="felt")]
    for k, owner in enumerate(owners[:4]):
        parts.append(svg.wedge(0, 44, k * 90, k * 90 + 90, fill="sea-soft", line="sea", width=1.5))
        parts.append(
            svg.group(kit.mark(HUE[owner], 6 if large else 7), at=(away * sin((k + 0.5) * pi / 2), -away * cos((k + 0.5) * pi / 2)))
        )
    parts.append(svg.path("M0 -44V44M-44 0H44", line="gold", width=1.5, opacity=0.7))
    parts.append(svg.circle(0, 0, hub, fill="board", line="gold", width=1.5))
    parts.append(svg.text(f"{25 * count}%", size=21.5 if large else 17 if count < 4 else 13.5, bold=True))
    return "".join(parts)


def die(value):
    """The four-sided die for the battle."""
    edge, width = ("gold", 3) if value else ("line", 2)
    body = svg.path("M0 -32L32 25Q34 29 29 29H-29Q-34 29 -32 25Z", fill="board", line=edge, width=width, also="low-shadow")
    return body + svg.text(value or "d4", 0, 10, size=28 if value else 22, fill="ink" if value else "muted", serif=True, bold=True)

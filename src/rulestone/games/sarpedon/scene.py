"""How Sarpedon looks: a mosaic palace that turns to stone, four friends in its corners, Medusa in the middle.

The board is turned so that the viewer sits at the bottom left. The four players' places are around it: three Special Cards, the
deck of the quadrant the player is in, and the numbers still in it. The mirror at the top fills up quarter by quarter.

On a narrow screen the viewer's place and the mirror are above the board, and the friends' places, with signs instead of words, below.
"""

from dataclasses import dataclass
from functools import cache, cached_property

from rulestone.table import Scene, Step, kit, svg

from . import art, rules, words
from .art import HUE
from .content import CENTRE, COLOURS, MYSTERY_TILE, NEIGHBOURS, PLAYERS, SLOT, SLOTS, SQUARES, START, TILES
from .rules import ALL_TILES, BARE, FACE_DOWN, HIDDEN, NO_EFFECT, PROTECT, REMOVED, SAVED, SAVED_P, SHARD, SHRIEK, STONE, TRAP
from .words import Table, confirm, ending, goal, in_words, numbers, prompt, say, say_move, why  # noqa: F401

SIZE, GAP = 92, 8  # a tile, and the lane between quadrants
WIDTH, LEFT = 812, 34  # of the picture; where the board begins
SIDE = 8 * SIZE + GAP
PILE = 4  # how many cards of a deck are shown


@dataclass(frozen=True)
class Stall:
    """How a player's place beside the board is arranged."""

    wide: int
    high: int
    card: tuple[int, int]  # the size of a Special Card
    row: int  # where the middle of the cards lies
    deck: int  # where the deck begins
    print: float  # the size of small print
    sign: float  # the size of the signs on the cards
    first: tuple[int, int] | None = None  # the first of the numbers still in the deck, and how far the others are apart;
    apart: tuple[int, int] = (0, 0)  # without it, only their count is shown
    words: float = 0  # the size of the words on the cards

    @property
    def board(self):
        """How wide the deck is with its numbers."""
        return self.wide - self.deck - 5


BESIDE = Stall(330, 130, (54, 80), 82, 184, 15.5, 1, (58, -28), (23, 19), 12)
OWN = Stall(538, 168, (97, 118), 104, 314, 22, 1.4, (70, -42), (42, 28), 21.5)
FRIEND = Stall(262, 142, (40, 56), 70, 148, 22, 0.85)


@dataclass(frozen=True, eq=False)
class Sight:
    """Whose seat is at the bottom left, and where things are for them."""

    seat: int
    narrow: bool
    top: int  # of the board
    height: int
    corners: tuple[tuple[int, int], ...]  # of the players' places, from the viewer's on
    mirror: tuple[float, float]
    round: tuple[float, float]
    last: tuple[float, float]
    die: tuple[float, float]

    @cached_property
    def middle(self):
        return (LEFT + SIDE / 2, self.top + SIDE / 2)

    def stall(self, player):
        return BESIDE if not self.narrow else OWN if player == self.seat else FRIEND


def _sights():
    for seat in range(PLAYERS):
        corners = ((8, 944), (WIDTH - 338, 944), (WIDTH - 338, 8), (8, 8))
        yield Sight(seat, False, 169, 1082, corners, (406, 64), (406, 960), (373, 1010), (440, 1012))
        corners = ((6, 6), (8, 972), (275, 972), (542, 972))
        yield Sight(seat, True, 200, 1120, corners, (622, 60), (744, 26), (713, 90), (775, 96))


SIGHTS = {(sight.seat, sight.narrow): sight for sight in _sights()}

once = svg.memo(svg.thing)  # a thing that stays the same for a while
VERBS = ("protect", "save_tile", "save_player")  # by Special Card
LAID = {"protects": 0, "saves_tile": 1}
FOUND = {"springs_trap": TRAP, "shriek": SHRIEK, "shard": SHARD}
DRAWS = ("stone", "freezes", "bars", "harmless")
TOUCHES = {**dict.fromkeys(DRAWS, "drawn"), **dict.fromkeys(("moves", *LAID), "touched")}  # what is framed: the tile drawn or touched last


# ---- where things are ------------------------------------------------------------------------------------------------------


@cache
def place(base, quadrant, tile, right=0, down=0):
    """A point on a tile, counted from its middle, as `base` sees it."""
    row, column = SQUARES[quadrant][tile]
    for _ in range(base.seat):
        row, column = column, 7 - row
    return (LEFT + (column + 0.5) * SIZE + (column > 3) * GAP + right, base.top + (row + 0.5) * SIZE + (row > 3) * GAP + down)


@cache
def outward(base, quadrant):
    """The direction from the middle of the board to a quadrant's corner, as signs."""
    x, y = place(base, quadrant, CENTRE)
    return (1 if x > base.middle[0] else -1, 1 if y > base.middle[1] else -1)


def stand(base, quadrant, tile):
    """Where a piece stands on a tile: beside the number, and in the throne room away from Medusa."""
    right, down = outward(base, quadrant)
    return place(base, quadrant, tile, *((3 * right, 9 * down) if tile == CENTRE else (9, 6)))


def on_mystery(base, quadrant, tile):
    """Where a Mystery Card lies on a tile."""
    return place(base, quadrant, tile, 6, 6)


def stall(base, player, right=0.0, down=0.0):
    """A point in a player's place beside the board, counted from its corner."""
    x, y = base.corners[(player - base.seat) % PLAYERS]
    return (x + right, y + down)


def special_at(base, player, kind):
    own = base.stall(player)
    return stall(base, player, 9 + own.card[0] / 2 + kind * (own.card[0] + 4), own.row)


def deck_at(base, player):
    own = base.stall(player)
    return stall(base, player, own.deck, own.row)


def pile_at(base, player, deep):
    """Where a card of a deck lies, `deep` cards below the top."""
    x, y = deck_at(base, player)
    return (x + 22 + deep * 1.6, y + 1 + deep * 2.2)


# ---- the board ------------------------------------------------------------------------------------------------------------


@cache
def palace(base):
    """The board: tesserae in the quadrants' tints, the numbers, and the dark round of the throne room."""
    parts = [
        art.DEFS,
        svg.rect(LEFT - 20, base.top - 20, SIDE + 40, SIDE + 40, fill="board", line="line", width=1.5, round=18, also="soft-shadow"),
        svg.rect(LEFT - 10, base.top - 10, SIDE + 20, SIDE + 20, line="clay", width=2, round=11, also="half"),
    ]
    for quadrant in range(PLAYERS):
        squares, inlays, diamonds, hue = "", "", "", HUE[quadrant]
        for tile in range(1, TILES + 1):
            x, y = place(base, quadrant, tile)
            squares += f"M{x - 45:g} {y - 45:g}h90v90h-90z"
            if tile != CENTRE:
                inlays += f"M{x - 39:g} {y - 39:g}h78v78h-78z"
                if tile not in MYSTERY_TILE:
                    diamonds += f"M{x:g} {y - 17:g}l17 17l-17 17l-17 -17z"
        parts.append(svg.path(squares, fill=f"seat{hue}-soft"))
        parts.append(svg.path(inlays, line=f"seat{hue}", width=3, opacity=0.42, stroke_dasharray="5.5 2.3"))
        parts.append(svg.path(diamonds, fill=f"seat{hue}", opacity=0.16))
    grout = ""
    for k in range(8):
        for part in (1, 2, 3):
            at = k * SIZE + (k > 3) * GAP + part * SIZE / 4
            grout += f"M{LEFT + at:g} {base.top}v{SIDE}M{LEFT} {base.top + at:g}h{SIDE}"
    parts.append(svg.path(grout, line="board", width=1.2, opacity=0.55))
    x, y = base.middle
    parts.append(svg.circle(x, y, 104, fill="on3") + svg.circle(x, y, 97, line="clay", width=2.5, stroke_dasharray="7 4"))
    parts.append(svg.path(f"M{x:g} {y - 104:g}V{y + 104:g}M{x - 104:g} {y:g}H{x + 104:g}", line="board", width=GAP, opacity=0.9))
    for quadrant in range(PLAYERS):
        parts += [numeral(base, quadrant, tile, "ink", place(base, quadrant, tile)) for tile in range(1, TILES + 1)]
        parts.append(svg.group(kit.mark(HUE[quadrant], 11), at=place(base, quadrant, START, 26, 26), also="half"))
    return svg.thing("palace", *parts)


def numeral(base, quadrant, tile, ink, at=(0.0, 0.0)):
    """The number of a tile, in its upper left corner; in the throne room in the outer corner."""
    right, down = -28 if tile > 9 else -32, -29
    if tile == CENTRE:
        right, down = (sign * away for sign, away in zip(outward(base, quadrant), (37, 32), strict=True))
    return svg.text(tile, at[0] + right, at[1] + down, size=25, fill=ink, serif=True, bold=True)


@cache
def targets(base):
    """The tiles to click, over everything else on the board."""
    target = f'<rect x="{2.5 - SIZE / 2:g}" y="{2.5 - SIZE / 2:g}" width="{SIZE - 5}" height="{SIZE - 5}" rx="9" class="target"/>'
    tiles = [(quadrant, tile) for quadrant in range(PLAYERS) for tile in range(1, TILES + 1)]
    return [svg.thing(f"tile-{quadrant}-{tile}", target, at=place(base, quadrant, tile)) for quadrant, tile in tiles]


@cache
def ring(base, player, quadrant):
    """The quadrant a player is in, outlined in their colour."""
    x, y = (min(place(base, quadrant, t)[axis] for t in (1, 4, 13, 16)) - SIZE / 2 for axis in (0, 1))
    body = svg.rect(-2, -2, 4 * SIZE + 4, 4 * SIZE + 4, line=f"seat{HUE[player]}", width=5, round=8)
    right, down = outward(base, quadrant)
    at = (2 * SIZE + right * (2 * SIZE + 1), 2 * SIZE + down * (2 * SIZE + 1))
    badge = svg.circle(0, 0, 15, fill=f"seat{HUE[player]}", line="board", width=2) + kit.mark(HUE[player], 7.5, f"on{HUE[player]}")
    return svg.thing(f"ring-{player}", body, svg.group(badge, at=at), at=(x, y))


@cache
def petrification(base, quadrant, index, tile):
    """A Petrification Card on its tile: the tile is stone."""
    body = svg.use(f"art-stone{(tile + quadrant) % 4}") + numeral(base, quadrant, tile, "on3")
    return svg.thing(f"pet-{quadrant}-{index}", body, at=place(base, quadrant, tile), face="up")


@cache
def laid(base, quadrant, tile, cover, come):
    """A small Special Card on a tile."""
    if cover == PROTECT:
        body = art.shield(tile == CENTRE) + numeral(base, quadrant, tile, "ink")
    else:  # the corner with the number stays free
        turn = {(-1, -1): 0, (1, -1): 90, (1, 1): 180, (-1, 1): 270}[outward(base, quadrant)] if tile == CENTRE else 0
        body = art.rubble(turn, cover == SAVED_P)
    return svg.thing(f"cover-{quadrant}-{tile}", body, at=place(base, quadrant, tile), come=come)


@cache
def mystery_card(base, quadrant, slot, state, kind, covered):
    """A Mystery Card: terracotta with a question mark, turned over with its sign, or lost under another card. `kind`: HIDDEN while it
    is a secret; a face-down card whose kind is known (in a replay) has a window."""
    id, tile = f"mystery-{quadrant}-{slot}", MYSTERY_TILE[slot]
    if covered:
        shown = art.under(None if kind == HIDDEN else kind, state == FACE_DOWN)
        return svg.thing(id, shown, at=place(base, quadrant, tile, 29, 25), face=f"under{state}.{kind}")
    if state == FACE_DOWN:
        return svg.thing(id, art.QUESTION if kind == HIDDEN else art.SEEN_THROUGH[kind], at=on_mystery(base, quadrant, tile), face="down")
    return svg.thing(id, svg.group(art.FRONT, art.MYSTERY_ART[kind], also="half"), at=on_mystery(base, quadrant, tile), face=f"up{kind}")


@cache
def piece(base, player, quadrant, tile, statue, count):
    """A hero on a tile; a frozen one with a count of turns."""
    shapes = svg.group(art.HEROES[player, statue]), art.counter(count) if count else ""
    return svg.thing(f"hero-{player}", *shapes, at=stand(base, quadrant, tile), face="statue" if statue else "alive", motion="hop")


@cache
def frame(id, base, quadrant, tile):
    """A frame around a tile: a faint one for the tile drawn or touched last, a strong one for the wall of a player who is cut off."""
    if id.startswith("wall"):
        body = svg.rect(-44, -44, 88, 88, line="clay", width=6, round=8)
    else:
        ink = "clay" if id == "trace-drawn" else "ink"
        body = svg.group(svg.rect(-43, -43, 86, 86, line=ink, width=3.5, round=8, also="dashed"), also="half")
    return svg.thing(id, body, at=place(base, quadrant, tile), motion="still")


FOUND_CARDS = [kit.parked(f"found-{kind}", art.FRONT, sign, motion="flip") for kind, sign in enumerate(art.MYSTERY_ART)]
MEDUSA = {False: (art.GORGON, "alive"), True: (art.STATUE, "stone")}


# ---- players' places ------------------------------------------------------------------------------------------------------


@cache
def panel(base, player, quadrant, active, badge, shards, abroad, mine):
    """The panel of a player's place: who it is, where they are, and what is wrong with them."""
    hue, title, own = HUE[player], COLOURS[player], base.stall(player)
    size = max(20, own.print)
    start, right, letter = 48 + len(title) * size * 0.65, own.wide - 9, own.print * 0.56
    edge, width = (f"seat{hue}", 4) if active else ("line", 1.5)
    parts = [
        svg.rect(0, 0, own.wide, own.high, fill="board", line=edge, width=width, round=14),
        svg.group(kit.mark(hue, 10), at=(22, 23)),
        svg.text(title, 39, 23, size=size, align="start", bold=True),
    ]
    if badge:
        width, down = len(badge) * letter + 16, 0 if own.first else own.high - 43  # a friend's is below their cards
        parts.append(svg.rect(right - width, 10 + down, width, 25, fill="stone-soft", round=12))
        parts.append(svg.text(badge, right - width / 2, 23 + down, size=own.print))
        right -= 0 if down else width + 6
    parts += [svg.group(art.LITTLE_SHARD, at=(right - 10 - 22 * k, 23)) for k in range(shards)]
    if abroad:
        abroad = abroad if own.first else abroad[:2]  # "in", and the quadrant's mark
        width = len(abroad) * letter + 40
        parts.append(svg.rect(start, 10, width, 25, fill=f"seat{HUE[quadrant]}-soft", round=12))
        parts.append(svg.text(abroad, start + 10, 23, size=own.print, align="start"))
        parts.append(svg.group(kit.mark(HUE[quadrant], 7), at=(start + width - 15, 22.5)))
    elif mine:
        parts.append(svg.text(words.YOU, start, 24, size=own.print, fill="muted", align="start", serif=True))
    return svg.thing(f"place-{player}", *parts, at=stall(base, player))


@cache
def deck(base, quadrant, holder, left):
    """The deck of a quadrant beside the player who holds it, with the numbers still in it, or how many there are."""
    own = base.stall(holder)
    body = svg.rect(0, -own.card[1] / 2, own.board, own.card[1], fill=f"seat{HUE[quadrant]}-soft", round=7)
    if own.first is None:
        return svg.thing(f"deck-{quadrant}", body, svg.text(f"×{len(numbers(left))}", 74, 1, size=own.print), at=deck_at(base, holder))
    (x, y), (right, down) = own.first, own.apart
    at = {n: (x + (n - 1) % 4 * right, y + (n - 1) // 4 * down) for n in range(1, TILES + 1)}
    inside = "".join(svg.text(n, *at[n], size=own.print, fill="ink") for n in numbers(left))
    gone = "".join(f"M{at[n][0] - 3} {at[n][1]}h6" for n in numbers(ALL_TILES & ~left))
    struck = svg.path(gone, line="stone", width=1.6) if gone else ""
    empty = "" if left else svg.text(words.EMPTY, (x - right / 2) / 2 + 3, 0, size=own.print - 1.5, fill="muted")
    return svg.thing(f"deck-{quadrant}", body, inside, struck, empty, at=deck_at(base, holder))


@cache
def face_down(base, quadrant, index, holder, deep):
    """A Petrification Card in the deck of the player who holds it."""
    back = art.card_back(HUE[quadrant], not deep)
    return svg.thing(f"pet-{quadrant}-{index}", back, at=pile_at(base, holder, deep), face="down")


@cache
def special(base, player, kind, state):
    """A large Special Card: "" can be used, "used" is turned over, "grey" can't be used any more."""
    own = base.stall(player)
    (wide, high), said = own.card, ""
    if own.words:
        lines = zip(words.ON_CARDS[kind], (17 / 80 * high, 17 / 80 * high + own.words + 1), strict=True)
        said = "".join(svg.text(word, 0, y, size=own.words, bold=True) for word, y in lines)
    sign = svg.use(f"art-special{kind}", at=(0, -14 / 80 * high) if said else None, scale=own.sign)
    body = art.special_card(HUE[player], wide, high, sign + said, state)
    return svg.thing(f"special-{player}-{kind}", body, at=special_at(base, player, kind), face="used" if state == "used" else "fresh")


@cache
def small(base, player, kind):
    """The small copy of a Special Card, hidden under the large one until it flies to its tile."""
    body = svg.rect(-18, -22, 36, 44, fill="board", line=f"seat{HUE[player]}", width=2, round=5)
    return svg.thing(f"small-{player}-{kind}", body, svg.use(f"art-special{kind}", scale=0.7), at=special_at(base, player, kind))


def belongings(base, t, player, mine):
    """A player's place: the panel, the deck they hold with its pile, their Special Cards."""
    quadrant = t.quad[player]
    abroad = words.abroad(t, player)
    yield panel(base, player, quadrant, player == t.mover, t.ails[player][0], t.shards[player], abroad, mine)
    yield deck(base, quadrant, player, t.left[quadrant])
    for index in reversed(range(TILES)[t.dptr[quadrant] :][:PILE]):
        yield face_down(base, quadrant, index, player, index - t.dptr[quadrant])
    fresh, grey = t.cards(player), "" if t.usable[player] else "grey"
    for kind in range(len(VERBS)):
        if kind in fresh:
            yield small(base, player, kind)
        yield special(base, player, kind, grey if kind in fresh else "used")


@cache
def last_card(at, quadrant, number, effect):
    """The Petrification Card drawn last."""
    if not number:
        return svg.thing("last", art.NOTHING_DRAWN, at=at, face="0")
    return svg.thing("last", art.drawn(HUE[quadrant], number, effect == NO_EFFECT), at=at, face=f"{quadrant}.{number}")


# ---- the scene ------------------------------------------------------------------------------------------------------------


def scene(view, seat, narrow=False):
    """Back to front: the palace, what is on its tiles, the heroes, the tiles to click, the players' places."""
    base, t, events = SIGHTS[seat or 0, narrow], Table(view), view.events
    things = [palace(base), *(ring(base, player, t.quad[player]) for player in range(PLAYERS))]
    come = {event.args[1:3]: f"special-{event.args[0]}-{LAID[event.name]}" for event in events if event.name in LAID}
    for quadrant in range(PLAYERS):
        cover = t.cover[quadrant]
        for index, tile in enumerate(t.deck[quadrant][: t.dptr[quadrant]]):
            if cover[tile - 1] == STONE:
                things.append(petrification(base, quadrant, index, tile))
        for tile in range(1, TILES + 1):
            if cover[tile - 1] > STONE:
                things.append(laid(base, quadrant, tile, cover[tile - 1], come.get((quadrant, tile), "")))
        for slot in range(SLOTS):
            tile, state = MYSTERY_TILE[slot], t.mstate[quadrant][slot]
            if state != REMOVED:
                covered = cover[tile - 1] != BARE and (quadrant, slot) not in t.live
                things.append(mystery_card(base, quadrant, slot, state, t.mtype[quadrant][slot], covered))
    medusa, face = MEDUSA[t.result > 0]
    things.append(once("medusa", medusa, at=base.middle, face=face))
    touched = {TOUCHES[event.name]: event.args[1:3] for event in events if event.name in TOUCHES}
    things += [frame(f"trace-{kind}", base, *tile) for kind, tile in touched.items()]
    things += [frame(f"wall-{quadrant}-{tile}", base, quadrant, tile) for quadrant, tile in wall(t, events)]
    for player in sorted(range(PLAYERS), key=lambda p: stand(base, t.quad[p], t.pos[p])[1]):
        statue = bool(t.frozen[player] or t.barred[player])
        things.append(piece(base, player, t.quad[player], t.pos[player], statue, t.frozen[player]))
    things += targets(base)
    for player in range(PLAYERS):
        things += belongings(base, t, player, player == seat)
    mirror = art.mirror(tuple(player for player in range(PLAYERS) for _ in range(t.shards[player])), narrow)
    size = 22 if narrow else 18
    things += [
        once("mirror", mirror, svg.text(words.found_of(t), 0, 74 if narrow else 70, size=size, serif=True), at=base.mirror),
        once("round", svg.text(words.round_words(t), size=size, serif=True), at=base.round),
        last_card(base.last, *t.last_draw),
        once("die", art.die(t.die), at=base.die, again=t.die),
        *FOUND_CARDS,
    ]
    plates = [words.plate(t, player) for player in range(PLAYERS)]
    return Scene(WIDTH, base.height, things, title=words.title(t), cards=words.hover_cards(t, PILE), plates=plates, panels=True)


def wall(t, events):
    """The stone around the area in which a player who is cut off can still walk."""
    for player in [event.args[0] for event in events if event.name in words.DOOM]:
        quadrant, stone = t.quad[player], t.ask(rules.stone_tiles, t.quad[player])
        walls = [tile for tile in numbers(stone) if t.ask(rules.reached, player, int(NEIGHBOURS[tile - 1]), stone, 0)]
        return [(quadrant, tile) for tile in walls if tile != t.pos[player]]
    return []


# ---- clicking -------------------------------------------------------------------------------------------------------------


def picks(view, move):
    """A step is a click on the tile; a Special Card and then its tile (or the frozen friend's); after a Trap the friend's tile."""
    quad, pos = view.state.quad, view.state.pos
    if move.verb == "pass":
        return ()
    if move.verb == "move":
        return (f"tile-{quad[view.to_move]}-{move.args[0]}",)
    quadrant, tile = move.args if len(move.args) == 2 else (quad[move.args[0]], pos[move.args[0]])
    card = (f"special-{view.to_move}-{VERBS.index(move.verb)}",) if move.verb in VERBS else ()
    return (*card, f"tile-{quadrant}-{tile}")


def meant(view, id):
    """A click on a tile means a step or, after a Magic Trap, the friend there; a click on a Special Card means using it."""
    if view.to_move is None:
        return None
    t, (kind, *rest) = Table(view), id.split("-")
    if kind == "tile":
        quadrant, tile = map(int, rest)
        if t.trapped:
            friend = t.at.get((quadrant, tile))
            return words.CHOOSE_A_FRIEND if friend is None else ("swap", friend)
        return ("move", tile) if quadrant == t.quad[t.mover] else words.not_there(t, quadrant, tile)
    if t.trapped:
        return words.CHOOSE_A_FRIEND
    if kind == "special":
        owner, card = map(int, rest)
        if owner != t.mover:
            return words.not_yours(owner)
        closed = t.ask(rules.may_use, 1 << card)
        return (VERBS[card], *((0,) if card == 2 else (0, 1))) if closed else words.NO_TARGET[card]
    if kind in ("deck", "pet", "last"):
        return words.DRAWN_ALREADY
    return words.CHOOSE_THE_TILE if kind == "place" else None


# ---- step by step ---------------------------------------------------------------------------------------------------------


def steps(before, after, events, narrow=False):
    """Each event along its real path: cards fly to their tiles, heroes hop, decks change hands, a Shriek sweeps over the columns."""
    base = SIGHTS[getattr(after, "viewer", None) or 0, narrow]
    t, made = Table(before), []
    for number, event in enumerate(events):
        name, args = event.name, event.args
        if name in DRAWS:
            who, quadrant, tile = args[:3]
            card, target = f"pet-{quadrant}-{t.dptr[quadrant]}", f"tile-{quadrant}-{tile}"
            t.dptr[quadrant] += 1
            made.append(Step(number, {card: place(base, quadrant, tile)}, (target,), 430))
            if name in ("freezes", "bars"):
                made.append(Step(None, {}, (target, f"place-{who}"), 380))
        elif name == "moves":
            t.pos[args[0]] = args[2]
            made.append(Step(number, {f"hero-{args[0]}": stand(base, *args[1:3])}, (), 360))
        elif name == "arrives":
            made.append(Step(number, {}, ("medusa", f"place-{args[0]}"), 380))
        elif name in LAID:
            made.append(Step(number, {f"small-{args[0]}-{LAID[name]}": place(base, *args[1:3])}, (f"tile-{args[1]}-{args[2]}",), 460))
        elif name == "saves_player":
            quadrant, tile = t.quad[args[1]], t.pos[args[1]]
            made.append(Step(number, {f"small-{args[0]}-2": stand(base, quadrant, tile)}, (f"tile-{quadrant}-{tile}",), 460))
        elif name in FOUND:
            quadrant, tile = args[1:3]
            found = f"found-{FOUND[name]}"
            made.append(Step(number, {found: on_mystery(base, quadrant, tile)}, (found,), 460))
            if name == "shard":
                made.append(Step(None, {f"mystery-{quadrant}-{SLOT[tile]}": kit.PARK}, (), 0))
                made.append(Step(None, {found: base.mirror}, ("mirror",), 480))
            for row in range(4) if name == "shriek" else ():
                made.append(Step(None, {}, (f"tile-{quadrant}-{2 + 4 * row}", f"tile-{quadrant}-{4 + 4 * row}"), 150))
        elif name in ("buries", "disables", "discards", "discards_unseen"):
            made.append(Step(number, {}, (f"mystery-{args[-2]}-{SLOT[args[-1]]}",), 320))
        elif name == "swaps":
            made.append(Step(number, swapped(base, t, *args[:2]), (), 620))
        elif name == "rolls":
            made.append(Step(number, {}, ("die", "mirror", "medusa"), 600))
        elif name == "cut_off":
            stones = tuple(f"tile-{quadrant}-{tile}" for quadrant, tile in wall(Table(after), [event]))
            made.append(Step(number, {}, (f"place-{args[0]}", *stones), 600))
        elif name in ("sits_out", "thaws", "waits", "passes", "no_card", "frees", "declines", "stone_for_good", "deck_out"):
            made.append(Step(number, {}, (f"place-{args[0]}",), 320))
        else:
            made.append(Step(number))
    return made


def swapped(base, t, player, friend):
    """The two heroes and the two decks on their way to each other's place."""
    go = {}
    for field in (t.quad, t.pos):
        field[player], field[friend] = field[friend], field[player]
    for who in (player, friend):
        quadrant = t.quad[who]
        first = t.dptr[quadrant]
        go[f"hero-{who}"] = stand(base, quadrant, t.pos[who])
        go[f"deck-{quadrant}"] = deck_at(base, who)
        for index in reversed(range(TILES)[first:][:PILE]):
            go[f"pet-{quadrant}-{index}"] = pile_at(base, who, index - first)
    return go


# ---- for terminals --------------------------------------------------------------------------------------------------------

SIGNS = {BARE: " ", STONE: "#", PROTECT: "+", SAVED: "/", SAVED_P: "/"}


def text(view) -> str:
    """The board with numbers: `#` stone, `+` protected, `/` broken stone, `?` a Mystery Card; players are letters, small if frozen."""
    t = Table(view)
    rows = [["" for _ in range(8)] for _ in range(8)]
    for quadrant in range(PLAYERS):
        for tile in range(1, TILES + 1):
            row, column = SQUARES[quadrant][tile]
            player = t.at.get((quadrant, tile))
            who = " " if player is None else COLOURS[player][0].lower() if t.frozen[player] else COLOURS[player][0]
            sign = SIGNS[t.cover[quadrant][tile - 1]]
            sign = "?" if (quadrant, SLOT[tile]) in t.live else "*" if tile == CENTRE and sign == " " else sign
            rows[row][column] = f"{tile:>2}{sign}{who}"
    lines = [" ".join(row[:4]) + " | " + " ".join(row[4:]) for row in rows]
    lines.insert(4, "-" * 19 + " + " + "-" * 19)
    lines += [words.goods(t, player) for player in range(PLAYERS)]
    return "\n".join([f"{words.round_words(t)}, {words.found_of(t)}", *lines])

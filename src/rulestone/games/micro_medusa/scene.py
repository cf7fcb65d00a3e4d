"""How Micro Medusa looks: Medusa's head in the middle of a hex table, her tiles around it, the Champion's medallions against them.

The viewer sits at the bottom: Medusa's row (hand, market, stack) and the Champion's row (weapons, Hearts, reserve) swap places.
"""

from functools import cache

from rulestone.table import Scene, Step, kit, svg

from . import art, rules, words
from .art import BOARD, BOARD_HEIGHT, HEIGHT, HEX, SEAT, SIDE, WIDTH, disc, face, group, icon, outline, thing, use
from .content import CAPTURES_TO_WIN, CHAIN_TO_WIN, DEALT, GEAR_NAMES, HAND, KIND_NAMES, KINDS, MARKET, OFF, SNAKEHEADS_TO_WIN, SPACES
from .rules import BESIDE, CHAMPION, HEART, MEDUSA, NONE, NOWHERE, OVER, RESPOND, ROTATE, SECTION, SNAKEHEAD
from .words import ARMED, NEXT_TO, STANDING, Table, confirm, ending, goal, in_words, meant, prompt, say, say_move, unaided, why  # noqa: F401

LAMPS, ROW_A, ROW_B, ROW_HEIGHT = 10, 128, 778, 146  # where the lamps, the opponent's row and the viewer's row begin
MIDDLE = (WIDTH / 2, BOARD + BOARD_HEIGHT / 2)
LEVELS = (0.77, 0.6, 0.46, 0.36)  # possible sizes of tiles on the board: only a few, and the first will do for most games
AROUND = (range(1, 19), range(1, 13))  # the two rings around Medusa's head are always in the picture
SMALL = 19.5  # the smallest print: it can still be read on a phone
pips = svg.memo(kit.pips)


def squeezed(width):
    """Words exactly so wide."""
    return {"textLength": width, "lengthAdjust": "spacingAndGlyphs"}


# ---- where things are -----------------------------------------------------------------------------------------------------


def room(t):
    """The spaces in the picture: where tiles are or can be placed, and all around them. Their number only grows during a game, so that
    tiles rarely change size and never change back."""
    mine = {*t.at, *t.ends, t.fd_cell} - {NOWHERE}
    near = {other for cell in mine for other in NEXT_TO[t.grid][cell]} | {cell for _, cell in t.field}
    return tuple(sorted({*mine, *AROUND[t.grid], *near} - {OFF, BESIDE}))


@cache
def zoom(grid, cells):
    """The size of the tiles, the place of Medusa's head and of each space: all fit, with her head as close to the middle as possible."""
    places = [unit(grid, cell) for cell in cells]
    left, right = min(x for x, _ in places) - SIDE, max(x for x, _ in places) + SIDE
    top, bottom = min(y for _, y in places) - 50, max(y for _, y in places) + 50
    width, height = WIDTH - 40, BOARD_HEIGHT - 12
    most = min(width / (right - left), height / (bottom - top))
    level = next((level for level in LEVELS if level <= most), most)
    x, y = MIDDLE[0] + shift(left * level, right * level, width / 2), MIDDLE[1] + shift(top * level, bottom * level, height / 2)
    return level, (x, y), {cell: (x + a * level, y + b * level) for cell, (a, b) in zip(cells, places, strict=True)}


def shift(start, stop, half):
    """The smallest shift that brings what reaches from `start` to `stop` between -half and half."""
    return max(-half - start, 0) + min(half - stop, 0)


@cache
def unit(grid, cell):
    """The place of a space relative to Medusa's head, at the size in which tiles are drawn."""
    q, r = SPACES[grid][cell]
    return (2 * SIDE * (q + r / 2), 75.0 * r) if grid == HEX else (2 * SIDE * q, 2 * SIDE * r)


def beside(which):
    """Q11: the places of the first and the second answer beside the board."""
    return (WIDTH - 62 - 90 * which, BOARD + BOARD_HEIGHT - 62)


def best_spot(t):
    """The direction chosen by a second click on the weapon: one that covers open ends, as far from Medusa's head as possible."""
    return max(t.spots, key=lambda side: (t.ends.get(t.spots[side], 0), t.spots[side] > 6, -side), default=rules.BESIDE_DIRECTION)


def rows_of(seat):
    """Where Medusa's and the Champion's rows begin: the viewer's own row is the lower one."""
    return (ROW_B, ROW_A) if seat == MEDUSA else (ROW_A, ROW_B)


def along(x, step, y):
    """Where the things of one line in a row are."""
    return lambda row, place=0: (x + place * step, row + y)


slot_at, hand_at = along(326, 312 / max(MARKET, 4), 86), along(66, 234 / max(HAND, DEALT, 3), 84)
gear_at, heart_at = along(68, 96, 76), along(362, 104 / max(STANDING, 2), 72)
spare_at, stack_at = along(526, 56, 72), along(682, 0, 82)


# ---- the scene ------------------------------------------------------------------------------------------------------------


def scene(view, seat):
    """Back to front: lamps, board, tiles, the two rows, and the Champion's tiles, which travel over everything."""
    t, (hers, his) = Table(view), rows_of(seat)
    level, middle, at = zoom(t.grid, room(t))
    things = [art.ART, ground(t.grid, level, middle), *lamps(t)]
    come = at.get(t.last_cell, "") if "severs" in t.happened else ""
    things += [thing(f"trophy-{k}", art.TROPHY, at=(78 + k * 30, LAMPS + 74), come=come, also="landing") for k in range(t.captured)]
    things += [*banner(t), *spaces(t, at, level), *tiles(t, at, level, hers), *medusas_row(t, hers)]
    things += [*champions_row(t, his, at, level), *champions_tiles(t, his, at, level), *turns(t, at, level, hers)]
    return Scene(WIDTH, HEIGHT, things, title=words.title(t), cards=words.cards(t), plates=words.plates(t), panels=True)


def spots(view):
    """The spaces around Medusa's head, for maps."""
    t = Table(view)
    return {f"space-{cell}": at for cell, at in zoom(t.grid, room(t))[2].items()}


@cache
def ground(grid, level, middle):
    """The table under the tiles: a quiet pattern of spaces."""
    cells = ""
    for x, y in (unit(grid, cell) for cell in range(len(SPACES[grid]))):
        right, down = abs(middle[0] + x * level - WIDTH / 2), middle[1] + y * level
        if right < WIDTH / 2 + SIDE * level and BOARD - 50 * level < down < BOARD + BOARD_HEIGHT + 50 * level:
            cells += outline(grid, 50, x, y)
    pattern = group(svg.path(cells, line="line", width=1, also="half"), at=middle, scale=level)
    felt = svg.rect(10, BOARD, WIDTH - 20, BOARD_HEIGHT, fill="paper", line="line", width=1.5, round=18, also="soft-shadow")
    return thing("ground", felt, f'<g clip-path="url(#mm-clip)">{pattern}</g>', motion="still")


# ---- lamps and banner -----------------------------------------------------------------------------------------------------

SIGNS = (
    *(group(icon(SNAKEHEAD), scale=0.42), use("stoneheart", scale=0.62), group(icon(SECTION), scale=0.4)),
    *(use(name, scale=0.62) for name in ("gear0", "end", "pile")),
)


def lamps(t):
    """Six ways to win, three for each side, and how close they are."""
    (row, capped), (stone, hearts) = t.rows, t.stone
    ended = capped >= CHAIN_TO_WIN
    end_tile = svg.text(words.END_TILE, 70, 0, size=SMALL, fill="ink" if ended else "muted", bold=ended, align="start", **squeezed(100))
    ends, stack = (svg.text(count, 4, 0, size=25, bold=True, align="start") for count in (t.ask(rules.ends_to_close), t.stack_n))
    shows = (
        pips(t.heads, SNAKEHEADS_TO_WIN, size=8, gap=8),
        pips(stone, hearts, size=8, gap=8, fill="stone"),
        pips(min(row, CHAIN_TO_WIN), CHAIN_TO_WIN, size=8, gap=8) + end_tile * (1 - t.chain),
        pips(0, CAPTURES_TO_WIN, size=8, gap=14),
        ends,
        stack + svg.text(words.IN_STACK, 42, 2, size=20, fill="muted", align="start"),
    )
    for place, (name, caption, bit, near, _) in enumerate(words.lamps(t)):
        owner, column = divmod(place, 3)
        won = t.reasons & bit
        edge, width = ("gold", 4) if won else ("clay", 2.5) if near and t.phase != OVER else ("line", 1.5)
        yield thing(
            f"lamp-{name}",
            svg.rect(0, 0, 236, 52, fill=f"seat{owner}-soft" if won else "board", line=edge, width=width, round=12),
            svg.rect(0, 0, 50, 52, fill=f"seat{owner}-soft", round=12),
            group(SIGNS[place], at=(27, 28)),
            group(kit.mark(owner, 5), at=(11, 11)),
            group(shows[place], at=(60, 17)),
            svg.text(caption, 60, 39, size=20, fill="muted", align="start"),
            at=(10 + column * 242, LAMPS + owner * 57),
        )


def banner(t):
    """What part of the round it is, and what the last answer did."""
    said, (news, loud) = svg.text(words.headline(t), size=22, serif=True, bold=True), words.news(t)
    yield thing("phase", said, at=(WIDTH / 2, BOARD - 16), motion="still")
    if news:
        width = len(news) * 10.4 + 40
        body = svg.rect(-width / 2, -14, width, 28, fill="gold-soft" if loud else "board", line="line", width=1.5, round=14)
        yield thing("news", body, svg.text(news, size=20), at=(WIDTH / 2, BOARD + BOARD_HEIGHT + 17), also="landing")


# ---- the board ------------------------------------------------------------------------------------------------------------


def spaces(t, at, level):
    """The spaces to choose from: those that open ends point at, and those around the face-down tile."""
    answers = set(t.spots.values())
    for cell in sorted({*t.ends, *answers}):
        dim, edge = "board" if cell in answers or not answers else "paper", "clay" if cell in t.ends else "stone"
        look = svg.path(outline(t.grid, 43), fill=dim, line=edge, width=1.6, also="dashed")
        yield thing(f"space-{cell}", look, art.tips(t.grid, t.ask(rules.ends_into, cell)), at=at[cell], scale=level, motion="still")
    if t.phase == RESPOND and not t.spots:
        look = svg.circle(0, 0, 42, line="gold", width=2, also="dashed") + svg.text(words.BESIDE_IT, 0, 0, size=SMALL, fill="muted")
        yield thing("beside", look, at=beside(len(t.field)), motion="still")


def tiles(t, at, level, row):
    """Medusa's tiles on the table; the tile in play has the number it will have if it stays."""
    if t.phase == RESPOND:
        yield thing("breath", art.breath(t.grid), at=at[t.fd_cell], scale=level, motion="still", also="landing")
        for kind in range(KINDS):  # everything it may be is hidden under it, for the step that reveals it
            rim = group(svg.path(outline(t.grid, 51), fill="board"), scale=level)
            body = group(art.loose(kind, t.grid, t.section), scale=0.92 * level)  # so that no tress sticks out
            yield thing(f"up-{kind}", rim, body, at=at[t.fd_cell], motion="flip", come=hand_at(row, 1), also="landing")
    for cell, tile in t.at.items():
        kind, flipped = t.t_kind[tile], t.t_blocked[tile]
        body = art.blocked(kind, t.grid) if flipped else face(kind, t.t_mask[tile], t.grid)
        state = "stone" if flipped else KIND_NAMES[kind]
        yield thing(f"t-{tile}", body, at=at[cell], scale=level, face=state, also="" if tile else "part")
    if "reveals" in t.happened and t.last_cell in t.at:
        ring = svg.path(outline(t.grid, 45), line="clay", width=3, also="half")
        yield thing("last", ring, at=at[t.last_cell], scale=level, motion="still", also="landing")
    if t.fd_kind != NONE:
        body, state = art.back(t.grid, t.fd_kind if t.fd_kind >= 0 else None, not t.own), "down"
        if t.phase == ROTATE:
            ways = "".join(face(t.fd_kind, mask, t.grid, body=False) for mask in t.rotations.values())
            body, state = use(f"tile{t.grid}", also="low-shadow") + group(ways, also="ghost"), KIND_NAMES[t.fd_kind]
        yield thing(f"t-{t.n_tiles}", body, at=at[t.fd_cell], scale=level, face=state, come=hand_at(row, 1))


def turns(t, at, level, row):
    """R24: the ways in which the revealed tile fits, to choose from; pointing at one shows it in its place."""
    if t.phase != ROTATE:
        return
    x, y = slot_at(row, 1.5)[0], row + 84
    yield thing("ways", svg.rect(-166, -50, 332, 104, fill="board", line="gold", width=1.5, round=18), at=(x, y), motion="still")
    for place, (rotation, mask) in enumerate(t.rotations.items()):
        id, rim = f"turn-{rotation}", svg.path(outline(t.grid, 50), fill="board", line="gold", width=3)
        yield thing(f"way-{rotation}", face(t.fd_kind, mask, t.grid), at=at[t.fd_cell], scale=level, hover=id)
        left = x + (2 * place - len(t.rotations) + 1) * 46
        yield thing(id, rim, face(t.fd_kind, mask, t.grid, body=False), at=(left, y), scale=0.86)


# ---- Medusa's row ---------------------------------------------------------------------------------------------------------


@cache
def mat(owner, row):
    """The mat of one side, with its colour and mark."""
    return thing(
        f"mat-{owner}",
        svg.rect(10, row, WIDTH - 20, ROW_HEIGHT, fill="board", line="line", width=1.5, round=16, also="low-shadow"),
        svg.rect(10, row, 8, ROW_HEIGHT, fill=f"seat{owner}", round=4),
        group(kit.mark(owner, 8), at=(36, row + 20)),
        svg.text(rules.ABOUT.seats[owner], 50, row + 20, size=22, serif=True, bold=True, align="start"),
    )


def heading(said, x, y, align="start"):
    return svg.text(said, x, y, size=SMALL, fill="muted", align=align)


def medusas_row(t, row):
    """Hand, market and stack."""
    market = words.WHICH_WAY if t.phase == ROTATE else words.MARKET
    heads = (heading(words.hand_note(t), 136, row + 21), heading(market, 290, row + 20), heading(words.STACK, 654, row + 20))
    yield from (mat(MEDUSA, row), thing("words-market", *heads, motion="still"))
    drafted = [event.args[1] for event in t.view.events if event.name == "drafts"]
    come = slot_at(row, drafted[0]) if drafted else ""
    if t.own or t.open:
        yield from own_hand(t, row, come)
    else:  # what is known about her tiles, including the one in play
        for place, kind in enumerate(t.held):
            yield thing(f"held-{place}", art.unknown(t.grid, kind), at=hand_at(row, place), face=kind, come=come)
    for kind in sorted({*t.market} - {NONE}):
        places = {f"slot-{slot}-{kind}": slot_at(row, slot) for slot in range(MARKET) if t.market[slot] == kind}
        yield together(f"market-{kind}", t, kind, places, 39.5, 0.78, stack_at(row))
    pile = kit.stack(t.stack_n, group(use(f"back{t.grid}"), scale=0.72), depth=2.6, most=4)
    count = svg.circle(0, 0, 18, fill="board", line="ink", width=1.5) + svg.text(t.stack_n, 0, 0, size=20, bold=True)
    yield thing("stack", pile, count, at=stack_at(row))


def together(id, t, kind, places, rim, scale, come, secret=""):
    """Tiles of one kind, which are chosen together; the `secret` one is marked."""
    rims = svg.path("".join(outline(t.grid, rim, *at) for at in places.values()), fill="line", line="line", width=2)
    body, label = group(art.loose(kind, t.grid, t.section), scale=scale), group(kit.label(words.SECRET, size=SMALL, pad=4), at=(0, 38))
    inside = [thing(name, body, label if name == secret else "", at=at, come=come) for name, at in places.items()]
    return thing(id, rims, *inside, motion="still")


def own_hand(t, row, come):
    """For Medusa, and in replays: her tiles, grouped by kind; the tile that nobody else knows is marked."""
    place = 0
    for kind, count in enumerate(t.hand):
        if count:
            places = {f"own-{kind}-{k}": hand_at(row, place + k) for k in range(count)}
            yield together(f"hand-{kind}", t, kind, places, 40.5, 0.8, come, f"own-{kind}-{count - 1}" if count > t.known[kind] else "")
            place += count


# ---- the Champion's row ---------------------------------------------------------------------------------------------------


def champions_row(t, row, at, level):
    """The pads of the three weapons, the Hearts and the reserve."""
    reserve = words.TAKE if t.phase == rules.CHAMPION_DRAFT else words.RESERVE
    heads = (heading(words.YOUR_HEARTS, 338, row + 20), heading(reserve, 500, row + 20))
    yield from (mat(CHAMPION, row), thing("words-gear", *heads, motion="still"))
    spot = t.spots[best_spot(t)] if len(t.spots) > 1 else NOWHERE
    for gear in range(HEART):
        (x, y), gone = gear_at(row, gear), t.gone(gear)
        parts = [pad(gear, gone)]
        if spot != NOWHERE and not gone:
            away = (at[spot][0] - x, at[spot][1] - y)
            parts.append(thing(f"ghost-{gear}", art.ghost(gear, t.grid), at=away, scale=level, hover=f"gear-{gear}"))
        yield thing(f"gear-{gear}", *parts, at=(x, y))
    beat, spare = words.heart_notes(t)
    hearts = svg.rect(-28, -38, 160, 88, fill="felt", round=14) + heading(beat, 52, 36, "middle")
    yield thing(f"gear-{HEART}", hearts, at=heart_at(row, 0))
    for gear in range(HEART + 1):
        under = group(icon(gear), at=(0, 44), scale=0.28) if gear < HEART else heading(spare, 0, 44, "middle")
        yield thing(f"spare-{gear}", svg.circle(0, 0, 27, fill="felt", line="line", width=2), under, at=spare_at(row, gear))


@cache
def pad(gear, gone):
    """The place of a weapon, with what it beats, or with its shadow while it is away."""
    used = group(use(f"gear{gear}"), also="faint") if gone else ""
    says = svg.text(words.NEXT_ROUND, 0, 0, size=SMALL, fill="muted", **squeezed(82))
    if not gone:
        says = svg.text(words.BEATS, -40, 0, size=SMALL, fill="muted", align="start") + group(icon(gear), at=(28, 0), scale=0.3)
    pill = group(svg.rect(-45, -14, 90, 28, fill="felt", round=14), says, at=(0, 51))
    return svg.circle(0, 0, 39, fill="felt", line="line", width=2) + used + pill


def champions_tiles(t, row, at, level):
    """The nine Champion tiles as things that travel between reserve, row and board."""
    home = f"landing round-{t.round}"  # changes with the round, so that a tile moved by a step is brought home again
    for gear in range(HEART):
        played, (x, y) = sum(one == gear for one, _ in t.field), gear_at(row, gear)
        for copy in range(ARMED[gear], played - 1, -1):
            place, scale, also = (x + 12 * (copy - played), y - 9 * (copy - played)), 0.9, home
            if copy == ARMED[gear] and t.drafted != gear:
                place, scale, also = spare_at(row, gear), 0.62, "landing"
            yield thing(f"weapon-{gear}-{copy}", disc(gear), at=place, scale=scale, also=also)
        if t.equip[gear] > 1:
            count = svg.text(f"×{t.equip[gear]}", 0, 0, size=SMALL, fill=f"on{CHAMPION}", bold=True)
            yield thing(f"twice-{gear}", svg.circle(0, 0, 14, fill=SEAT), count, at=(x - 30, row + 50), also="landing")
    for copy in range(STANDING + 1):
        spare = copy == STANDING and t.drafted != HEART
        beats = copy < t.live if copy < STANDING else t.reserve
        at_, scale = (spare_at(row, HEART), 0.62) if spare else (heart_at(row, copy), 0.68)
        body = art.no_life(beats) if spare else disc(HEART, stone=not beats)
        yield thing(f"heart-{copy}", body, at=at_, scale=scale, face="beats" if beats else "stone", also="landing")
    for which, (id, gear, cell) in enumerate(t.played):
        come, (place, scale) = heart_at(row, 1) if gear == HEART else "", (beside(which), 0.9) if cell == BESIDE else (at[cell], level)
        yield thing(id, art.lying(gear, t.grid), at=place, scale=scale, come=come, go=come)


# ---- clicking -------------------------------------------------------------------------------------------------------------


def picks(view, move):
    """A market tile; a reserve tile; a hand tile and a space; a weapon and a space (or the weapon again); a rotation."""
    verb, first, *more = move
    if verb == "place":
        return (f"hand-{first}", f"space-{more[0]}")
    if verb != "respond":
        return (f"{ {'draft': 'market', 'equip': 'spare', 'rotate': 'turn'}[verb] }-{first}",)
    t, gear = Table(view), f"gear-{first}"
    if not t.spots:
        return (gear, "beside")
    if first < HEART and more[0] == best_spot(t) and len(t.spots) > 1:
        return (gear, gear)  # the ghost of this space belongs to the weapon
    return (gear, f"space-{t.spots[more[0]]}")


def steps(before, after, events):
    """An answer first travels to the face-down tile; only then is that revealed, and its effect lit up. The rest moves automatically."""
    t, up, id, made = Table(before), "breath", "", []
    if not any(event.name in ("responds", "answers_beside") for event in events) or t.phase != RESPOND:
        return [Step(event=k) for k in range(len(events))]
    *_, at = zoom(t.grid, room(t))
    for k, (name, args) in enumerate((event.name, event.args) for event in events):
        go, flash, ms = {}, (), 160
        if name in ("responds", "answers_beside") and args[0] < HEART:
            id, ms = t.weapon(args[0], len(t.field)), 420
            go = {id: (*(at[args[1]] if name == "responds" else beside(len(t.field))), 0)}
        elif name == "reveals":
            up, ms = f"up-{args[1]}", 520
            go = {up: at[t.fd_cell]}
        elif name in ("severs", "reflects", "burns"):
            flash, ms = (up, id) if id else (up,), 420
        elif name in ("standing_stone", "drafted_stone"):
            flash, ms = (f"heart-{args[0] if args else STANDING}",), 380
        elif name in ("settles", "hisses", "stares"):
            flash, ms = (up,), 260
        made.append(Step(event=k, go=go, flash=flash, ms=ms))
    return made


# ---- for terminals --------------------------------------------------------------------------------------------------------

LETTERS = ("H", "E", "S", "S", "S", "M")


def text(view):
    """For terminals: the board (M Medusa's head, H E S tiles, # stone, ? face-down, + open, b s t Champion tiles) and the counts."""
    t = Table(view)
    signs = dict.fromkeys(t.ends, "+")
    signs |= {cell: "#" if t.t_blocked[tile] else LETTERS[t.t_kind[tile]] for cell, tile in t.at.items()}
    signs |= {cell: GEAR_NAMES[gear][0].lower() for gear, cell in t.field if cell < BESIDE}
    if t.fd_cell != NOWHERE:
        signs[t.fd_cell] = LETTERS[t.fd_kind] if t.phase == ROTATE else "?"
    columns = {(2 * q + (r if t.grid == HEX else 0), r): signs[cell] for cell in signs for q, r in [SPACES[t.grid][cell]]}
    across, down = ([place[axis] for place in columns] for axis in (0, 1))
    lines = ["".join(columns.get((x, y), " ") for x in range(min(across), max(across) + 1)) for y in range(min(down), max(down) + 1)]
    return "\n".join([*(line.rstrip() for line in lines), *words.counts(t, LETTERS)])

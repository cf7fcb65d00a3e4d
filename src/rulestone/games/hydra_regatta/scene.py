"""How the Hydra Regatta looks: a chart of twelve wedges round the Hydra, triremes with their wakes, a board for each player.

The one who looks has the large board at the bottom. What only the steps of a move need (die faces, numbers, small labels) is parked
outside the picture.
"""

from functools import partial
from math import atan2, cos, hypot, pi, sin
from types import SimpleNamespace

from rulestone.table import Card, Scene, kit, svg

from . import art, content, forecast, rules, words
from .words import ending, goal, in_words, prompt, say, say_move, text, why

__all__ = ["ending", "goal", "in_words", "prompt", "say", "say_move", "text", "why"]

BELOW, ABOVE = (-3, 27), (-3, -58)  # the log of a ship: "3 of 9"
LOG_SPOTS = (  # other places for it, should these be taken
    *((dx, dy) for dy in (-12, -34, 14) for dx in (-62, 56)),
    *((dx, dy) for dy in (-55, 25) for dx in (-36, 30, -58, 52)),
    *((dx, dy) for dy in (-74, 44) for dx in (-3, -40, 34)),
    *((dx, dy) for dy in (-12, -40, 30, -66, 56) for dx in (-84, 78)),
)


def place_at(t, place):
    """Where a dot of the course is drawn."""
    slot, dot = divmod(place, content.MAX_DOTS)
    return art.dot_at(t.top[slot], dot, forecast.offset_of(t, slot))


def _parked():
    """What only steps bring in: die faces, the movement left, and small labels."""
    yield from (kit.parked(f"navface-{n}", svg.use(f"hr-n{n}")) for n in (1, 2, 3))
    yield from (kit.parked(f"face-{n}", svg.use(f"hr-d{n}")) for n in range(1, 7))
    yield from (kit.parked(f"left-{n}", svg.use("hr-left"), svg.text(n, size=19, fill="on3", bold=True)) for n in range(art.MOST_LEFT + 1))
    for n in range(art.MOST_SAILED + 1):  # "3 of 9" is the plate "of 9" with a 3 on it
        yield kit.parked(f"of-{n}", svg.use("hr-log"), svg.text(f"of {n}", size=19, align="start"))
        yield kit.parked(f"sailed-{n}", svg.text(n, size=19, align="end", bold=True))
    yield from (kit.parked(f"note-{name}", kit.label(said, size=19)) for name, said in words.NOTES.items())


PARKED = tuple(_parked())


def scene(view, seat, narrow=False):
    t = forecast.fields(view)
    base = 0 if seat is None else seat
    seated = (t.players, base, narrow)
    rank = forecast.ranking(t)
    mine = seat is not None and seat == t.mover
    t.deciders = view.deciders
    cards = {}
    t.voyage = voyage(t) if t.phase == rules.MOVE else None
    tags, log = places_for_words(t)
    things = [art.DEFS, art.SEA, art.MONSTER, art.round_sign(t.round), *art.piles(t.stack_n, t.deck_n, t.disc.bit_count())]
    if t.fleece != rules.NONE:
        order = tuple((t.fleece + k) % t.players for k in range(t.players))
        now = tuple(p in t.deciders for p in order)
        done = tuple(not now[k] if t.together or view.over else k < t.turn for k in range(t.players))
        things.append(art.order_thing(order, now, done, rules.NAV <= t.phase <= rules.VALUE))
    for slot, wedge in enumerate(t.top):
        things.append(art.piece(wedge, forecast.offset_of(t, slot), t.height[slot], narrow))
        cards.update(words.piece_cards(wedge, forecast.offset_of(t, slot), t.height[slot]))
    things += hints(t, mine)
    for p in range(t.players):
        things += board(view, t, p, seated, rank, cards)
    things += ships(view, t, rank, log, cards)
    things += choices(view, t, seated, mine, tags, cards)
    words.stack_cards(t, cards)
    for thing in things:
        kind, _, number = thing.id.partition("-")
        if kind in words.CARDS:
            cards[thing.id] = words.CARDS[kind]
        elif kind == "card":
            cards[thing.id] = words.FAVOR_CARDS[int(number)]
    things += PARKED
    plates = [words.plate(t, p, rank) for p in range(t.players)]
    return Scene(art.WIDTH, art.HEIGHT, things, title=words.title(view, t, rank), cards=cards, plates=plates, panels=True)


def board(view, t, p, seated, rank, cards):
    """A player's board and everything on it."""
    base = seated[1]
    total, lines = None, ()
    if t.phase not in (rules.SETUP, rules.OVER) and (t.nav[p] or t.bust[p]):
        total = t.move if forecast.sailing(t, p) else forecast.movement(t, p)
        lines = words.account(t, p) if p == base else ()
    down = t.face_n if t.fleece != rules.NONE and p == (t.fleece + t.turn) % t.players else 0
    name, place, fleece, slots, hand = kit.name(view, p), rank[p] if rank else None, t.fleece == p, tuple(t.slots[p]), tuple(t.hand[p])
    cards.update(words.board_cards(p, name, place, t.laps[p], t.race, t.fish[p], slots, hand))
    return [
        art.player_board(seated, p, name, place, t.race, p in t.deciders or p == t.rank[0], total, lines, fleece),
        *laid_dice(seated, p, max(0, t.race - t.laps[p]), (t.nav[p], t.d1[p], t.d2[p]), t.bust[p], t.round, fleece),
        *laid_goods(seated, p, t.fish[p], slots, hand, down),
    ]


@svg.memo
def laid_dice(seated, p, left, dice, bust, round_, fleece):
    """The lap marker, the dice and the Fleece on a board; most boards are the same from one position to the next."""
    own, at = p == seated[1], partial(art.spot, *seated, p)
    things = [svg.thing(f"lap-{p}", kit.token(p, 12 if own else 9.5), at=at("lap", left))]
    for what, value in zip(("nav", "first", "second"), dice, strict=True):
        if value:
            drawing = svg.use(f"hr-{'n' if what == 'nav' else 'd'}{value}", scale=1 if own else 30 / 46)
            things.append(svg.thing(f"{what}-{p}", drawing, at=at(what), again=f"{round_}:{value}"))
    if bust:
        sign = kit.label(words.BUST, size=19 if own or seated[2] else 15, fill="clay-soft", ink="clay")
        things.append(svg.thing(f"bust-{p}", sign, at=((at("first")[0] + at("second")[0]) / 2, at("first")[1])))
    if fleece:
        things.append(svg.thing("fleece", svg.group(art.fleece_art(), scale=1 if own else 0.7), at=at("fleece")))
    return things


@svg.memo
def laid_goods(seated, p, fish, slots, hand, down):
    """Fish, Favors and wedges on a board."""
    players, base, narrow = seated
    own, at = p == base, partial(art.spot, *seated, p)
    favor, size = ("name" if own else "sign", 0) if narrow else ("middle" if own else "small", art.PRINT)
    drawing = svg.use("hr-fish", scale=1.15 if own else 0.85)
    things = [svg.thing(f"fish-{p}-{k}", drawing, at=at("fish", k), come=f"ship-{p}") for k in range(fish)]
    things += [art.favor(card, favor, at("card", k)) for k, card in enumerate(slots) if card != rules.NONE]
    things += [art.hand_wedge(wedge, at("wedge", k), 0.28 if own else 0.17, size) for k, wedge in enumerate(hand) if wedge != rules.NONE]
    back = svg.use("hr-back", scale=1 if own else 0.8 if players == 2 else 0.62)
    return things + [svg.thing(f"down-{k}", back, at=at("down", k), come="deck", go="deck") for k in range(down)]


def ships(view, t, rank, log, cards):
    """The ships with their wakes and trails; `log` = where the sailing ship shows how far it has come."""
    things = []
    if t.phase == rules.SETUP:
        things.append(art.QUAY)
    for p in range(t.players):
        if t.pos[p] != rules.NONE and t.wake[p] != t.pos[p]:
            things.append(svg.thing(f"wake-{p}", art.wake_art(p, polar_of(t, t.wake[p]), polar_of(t, t.pos[p])), also="landing"))
    for p, places in trails(t, view.events).items():
        if len(places) > 1 and t.wake[p] == t.pos[p]:
            points = [place_at(t, place) for place in places]
            foam = svg.curve(points, ink=f"seat{p}", width=4, stroke_dasharray="0.1 9")
            things.append(svg.thing(f"trail-{p}", foam, also="landing half"))
    for p in sorted(range(t.players), key=lambda one: ship_at(t, one)[1]):
        x, y = ship_at(t, p)
        moving = t.move if forecast.sailing(t, p) else None
        at, left_going, sailed = (round(x, 1), round(y, 1)), t.pos[p] != rules.NONE and y > art.MIDDLE[1], 0 if moving is None else t.moved
        things.append(art.ship(p, at, left_going, rank[p] if rank else None, moving, sailed, log))
        cards[f"ship-{p}"] = Card(f"{kit.name(view, p)}'s ship", words.rank_words(t, p, rank), "R57")
    return things


def ship_at(t, p):
    """On its dot, above the ship it is just passing, or waiting at the quay."""
    if p == t.mover and t.phase == rules.MOVE and t.flags & rules.SKIP:
        x, y = place_at(t, t.cur)
        return (x, y - art.PASSING)
    if t.pos[p] != rules.NONE:
        return place_at(t, t.pos[p])
    return (art.MIDDLE[0] + (p - (t.players - 1) / 2) * 58, art.MIDDLE[1] + 94)


def polar_of(t, place):
    """(radius, degrees) of a dot."""
    slot, dot = divmod(place, content.MAX_DOTS)
    wedge = t.top[slot]
    return (art.LANE_AT[forecast.LANE[wedge][dot]], art.bearing(forecast.offset_of(t, slot), forecast.ANGLE[wedge][dot]))


def trails(t, events):
    """The dots each ship passed in the last move."""
    found = {}
    for event in events:
        if event.name in ("sails", "skips"):
            dot, slot = event.args[1], event.args[2]
            if t.top[slot] == dot // content.MAX_DOTS:
                found.setdefault(event.args[0], []).append(slot * content.MAX_DOTS + dot % content.MAX_DOTS)
    return found


def discs(t, places, width, ink):
    """One disc on each of these dots: lines without length, with round ends."""
    d = "".join(f"M{x:.0f} {y:.0f}h0" for x, y in (place_at(t, place) for place in sorted(places)))
    return svg.path(d, line=ink, width=width) if d else ""


def rings(t, places, r, **paint):
    """One circle round each of these dots, as a single path."""
    d = "".join(f"M{x:.0f} {y - r:.0f}a{r} {r} 0 1 1-.1 0z" for x, y in (place_at(t, place) for place in sorted(places)))
    return svg.path(d, **paint) if d else ""


def numbers(t, marks):
    """Small figures beside dots: {place: words}."""
    figures = ((*place_at(t, place), marks[place]) for place in sorted(marks))
    shown = "".join(f'<text x="{x:.0f}" y="{y:.0f}">{said}</text>' for x, y, said in figures)
    return f'{discs(t, marks, 26, "board")}<g font-size="19" class="f-ink bold">{shown}</g>'


def hints(t, mine):
    """Shaded: dots where Hydras are harmless. Ringed: where the voyage can end (the player who sails has rings to click instead)."""
    if t.voyage:
        found = t.voyage.found.values()
    elif t.phase == rules.FIRST and t.nav[t.mover] and t.d1[t.mover]:
        found = [forecast.reach_of(t, t.mover, (forecast.movement(t, t.mover),))]
    else:
        return []
    safe = set().union(*(one.safe for one in found))
    ends = set().union(*(end for one in found for end in one.ends))
    battles = set().union(*(one.battles for one in found)) & ends
    things = []
    if safe:
        things.append(svg.thing("shield", discs(t, safe, 33, "sea"), also="landing ghost"))
    if ends:
        shape = "" if mine and t.phase == rules.MOVE else rings(t, ends - battles, 15, line="ink", width=2)
        things.append(svg.thing("ends", shape, rings(t, battles, 15, line="clay", width=3, also="dashed"), also="landing"))
    return things


def spots(view):
    """The places of the wedges, counted from the line, for maps."""
    return {f"slot-{offset}": art.heart(offset) for offset in range(content.RING_SLOTS)}


def choices(view, t, seated, mine, tags, cards):
    """Things to click besides cards and wedges, the previews, what has just been revealed, and the banner."""
    things, (_, base, narrow) = [], seated
    large, size = (1, 19) if narrow else (0.9, art.PRINT)
    for event in view.events:
        if event.name == "places":
            offset = forecast.offset_of(t, event.args[2])
            things.append(svg.thing(f"wave-{offset}", art.WAVE, at=art.heart(offset), motion="still", also="wave landing"))
    if t.pend != rules.NONE:
        things.append(art.favor(t.pend, "large", art.MIDDLE))
    if t.gaia != rules.NONE:
        things.append(art.hand_wedge(t.gaia, (art.MIDDLE[0], art.MIDDLE[1] - 30), large - 0.1 * (not narrow), size))
        cards[f"piece-{t.gaia}"] = Card(content.WEDGE_NAMES[t.gaia], words.GAIA, "Q35")
    if said := words.banner(view, t):
        things.append(art.banner(*said))
    if not mine:
        return things
    moves = view.legal()
    if t.phase == rules.SETUP:
        free = {f"lane-{lane}": [art.dot_at(content.START_WEDGE, forecast.START_DOT[lane], 0)] for _, lane in moves}
        things += [svg.thing(id, *ringed(t, id, free, art.EXIT, art.FINGER), at=at) for id, (at,) in free.items()]
        cards.update({f"lane-{lane}": Card(f"Lane {content.UPPER[lane]}", words.LANES, "R8") for _, lane in moves})
    elif t.phase == rules.MOVE:
        things += exits_shown(view, t, tags, cards)
    elif t.phase in (rules.WEDGE, rules.GAIA):
        held = forecast.held_wedges(t)
        if len(held) == 1:
            for _, _, slot in moves:
                offset = forecast.offset_of(t, slot)
                drawn = svg.use("hr-new", turn=30 * offset)
                things.append(svg.thing(f"new-{offset}", drawn, at=art.heart(offset), hover=f"piece-{t.top[slot]}"))
            things.append(svg.thing("new", f'<defs><g id="hr-new">{art.small_wedge(held[0], size)}</g></defs>'))
        else:
            for wedge in held:
                things.append(svg.thing(f"large-{wedge}", art.small_wedge(wedge, size), at=art.MIDDLE, scale=large, hover=f"piece-{wedge}"))
        for wedge in held:
            hangs = svg.group(art.small_wedge(wedge, 0), at=(0, 40), scale=0.45)
            things.append(svg.thing(f"hang-{wedge}", hangs, hover=f"piece-{wedge}" if len(held) > 1 else "", also="hangs landing"))
    elif t.phase in (rules.TARGET, rules.STEAL):
        for _, p in moves:
            x, y, width = art.seats(*seated)[p]
            tall = art.OWN_TALL if p == base else art.OTHER_TALL
            things.append(svg.thing(f"victim-{p}", kit.target(width, tall, 12), at=(x + width / 2, y + tall / 2)))
            cards[f"victim-{p}"] = words.victim_card(view, t, p)
    things += buttons(view, t, seated, cards)
    return things


def voyage(t):
    """The fork with its exits, what can be clicked and where (id: points), and for each end the exits that lead there."""
    here, icon, ruled, exits = forecast.fork(t)
    nexts = [there for *_, there, _ in exits]
    found, ids, spots, leading = {}, {}, {}, {}
    for e, _, fits, there, occupied in exits:
        x, y = place_at(t, there)
        if nexts.count(there) > 1:  # two ways to the same dot: click the ways themselves, at the seam
            slot, dot = divmod(here, content.MAX_DOTS)
            target = forecast.WAYS_OUT[t.top[slot]][dot][e][1]
            if target >= content.MAX_DOTS:
                x, y = art.polar(art.LANE_AT[target - content.MAX_DOTS], art.bearing(forecast.offset_of(t, slot), 12))
        ids[e] = f"exit-{e}" if fits else f"closed-{e}"
        spots[ids[e]] = [(x, y), (x, y - 28)] if fits and occupied else [(x, y)]  # a ship has a sail
        if fits:
            found[e] = forecast.reach_of(t, t.mover, (t.move,), e if ruled else e + 4)
            for end in set().union(*found[e].ends):
                leading.setdefault(end, []).append(e)
    for end in sorted(leading):
        if end not in nexts:
            spots[end_id(t, end)] = [place_at(t, end)]
    return SimpleNamespace(icon=icon, ruled=ruled, exits=exits, found=found, ids=ids, spots=spots, leading=leading)


def end_id(t, end):
    slot, dot = divmod(end, content.MAX_DOTS)
    return f"end-{forecast.offset_of(t, slot)}-{dot}"


def dots_round(t, at):
    """All dots on the wedge at a point and beside it."""
    offset = round(atan2(at[0] - art.MIDDLE[0], art.MIDDLE[1] - at[1]) * 6 / pi) % content.RING_SLOTS
    slot = (t.start_slot + offset) % content.RING_SLOTS
    return art.waters(t.top[slot - 1], t.top[slot], t.top[(slot + 1) % content.RING_SLOTS], offset)


def rivals(t, id, spots, radius):
    """For each point of a thing to click: what else may be meant nearby, as (x, y, how far the thing reaches that way).

    Something else to click begins halfway; any other dot keeps its middle to itself.
    """
    others = [spot for other, some in spots.items() if other != id for spot in some]
    for x, y in spots[id]:
        near = []
        for a, b in others:
            away = hypot(a - x, b - y)
            if 0.5 < away < 2 * radius:
                near.append((round(a - x, 1), round(b - y, 1), round(away / 2, 1)))
        for a, b in dots_round(t, (x, y)):
            away = hypot(a - x, b - y)
            if 12 < away < radius + 9 and (round(a - x, 1), round(b - y, 1), round(away / 2, 1)) not in near:
                near.append((round(a - x, 1), round(b - y, 1), round(max(away / 2, away - 9), 1)))
        yield near


def ringed(t, id, spots, ring, radius):
    """The golden ring of something to click, as wide as fits, and its touch area."""
    near = list(rivals(t, id, spots, radius))
    (x, y), *_ = spots[id]
    cells = tuple((round(a - x, 1), round(b - y, 1), tuple(some)) for (a, b), some in zip(spots[id], near, strict=True))
    r = max(15.5, min([ring, *(most - 1 for *_, most in near[0])]))
    ring = svg.circle(0, 0, round(r), fill="", also="target") + svg.circle(0, 0, round(r) - 3, fill="", also="ring")
    return ring, art.area(cells, radius)


def tag_of(t, e, label, fits, occupied):
    """The label of an exit, as (drawing, width, height): the number of a path, the fish it costs, or that a ship is passed for free."""
    if not t.voyage.ruled:
        return (kit.label(words.NOTES["free"], size=19), 62, 33) if occupied else None
    charybdis = t.voyage.icon == content.IS.CHARYBDIS
    ink, edge = ("sea" if charybdis else "clay", "sea" if charybdis else "clay") if fits else ("muted", "stone")
    if charybdis:
        return svg.circle(0, 0, 13, fill="board", line=edge, width=1.6) + svg.text(label, size=19, fill=ink, bold=True), 27, 27
    plate = svg.rect(-22, -13, 44, 26, fill="board", line=edge, width=1.6, round=13)
    fish = svg.use("hr-fish", (8, 0), also="" if fits else "half")
    return plate + svg.text(label, -10, 0, size=19, fill=ink, bold=True) + fish, 46, 27


def emptiest(middle, spots, width, height, taken):
    """The first of these spots round `middle` where a plate covers least and is not far; `taken` = (left, top, right, bottom, weight)."""
    best, least = spots[0], None
    for dx, dy in spots:
        left, top = middle[0] + dx - width / 2, middle[1] + dy - height / 2
        right, bottom = left + width, top + height
        cost = 99 * (max(0, 4 - left) + max(0, right - art.WIDTH + 4) + max(0, 4 - top) + max(0, bottom - art.OTHERS + 2))
        cost += max(0, 9 * (hypot(dx, dy) - 66))
        for a, b, c, d, weight in taken:
            if left < c and a < right and top < d and b < bottom:
                cost += weight * (min(right, c) - max(left, a)) * (min(bottom, d) - max(top, b))
        if cost == 0:
            return (dx, dy)
        if least is None or cost < least:
            best, least = (dx, dy), cost
    return best


def log_beside(x, y):
    """Behind a ship: above it where it sails down the picture, below it where it sails up."""
    return ABOVE if (x > art.MIDDLE[0] and y > 76) or y > art.OTHERS - 38 else BELOW


def places_for_words(t):
    """Where the tags of exits and the log of the ship that sails cover neither ships nor rings nor, if possible, dots."""
    if t.phase not in (rules.MOVE, rules.HYDRA, rules.ENDWIN):
        return {}, BELOW
    x, y = ship_at(t, t.mover)
    taken = [(a - 24, b - 41, a + 28, b + 13, 4) for a, b in (ship_at(t, p) for p in range(t.players))]
    taken[t.mover] = (x - 32, y - 44, x + 28, y + 13, 4)
    taken += [(a - 10, b - 10, a + 10, b + 10, 0.25) for a, b in dots_round(t, (x, y))]
    tags = {}
    if t.voyage:
        for id, spots in t.voyage.spots.items():
            r = art.END if id.startswith("end") else art.EXIT
            taken += [(a - r, b - r, a + r, b + r, 3) for a, b in spots]
        for e, label, fits, _, occupied in t.voyage.exits:
            tag = tag_of(t, e, label, fits, occupied)
            if tag:
                drawing, wide, tall = tag
                middle = t.voyage.spots[t.voyage.ids[e]][0]
                if occupied and not t.voyage.ruled:
                    spots = ((0, -58), (0, 32), (-52, -12), (54, -12), (-44, -50), (46, -50), (-44, 26), (46, 26))
                else:
                    out = [k * pi / 6 + atan2(middle[1] - y, middle[0] - x) for k in (0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6)]
                    spots = [((art.EXIT + 2 + wide / 2) * cos(angle), (art.EXIT + 2 + tall / 2) * sin(angle)) for angle in out]
                dx, dy = emptiest(middle, spots, wide, tall, taken)
                left, top = middle[0] + dx - wide / 2, middle[1] + dy - tall / 2
                taken.append((left, top, left + wide, top + tall, 4))
                tags[e] = svg.group(drawing, at=(round(dx), round(dy)), also="landing")
    first = log_beside(x, y)
    spots = (first, BELOW if first is ABOVE else ABOVE, *LOG_SPOTS)
    return tags, emptiest((x + 7, y), spots, *art.LOG, taken)


def exits_shown(view, t, tags, cards):
    """The exits of the fork: where each leads, what it costs, which are closed and why; pointing at one numbers the dots behind it."""
    v = t.voyage
    things, previews = [], []
    for e, _, fits, there, occupied in v.exits:
        id = v.ids[e]
        ring, unseen = ringed(t, id, v.spots, art.EXIT, art.CLOSE)
        if not fits:
            ring = svg.circle(0, 0, 15, fill="stone", also="half") + svg.path("M-6-6L6 6M-6 6L6-6", line="board", width=3)
        elif occupied:  # round the ship that is passed
            ring = svg.rect(-25, -48, 50, 68, round=22, also="target landing")
            ring += svg.rect(-23, -46, 46, 64, fill="", round=20, also="ring landing")
        things.append(svg.thing(id, ring, unseen, tags.get(e, ""), at=v.spots[id][0]))
        if not fits:
            cards[id] = Card(words.CLOSED, *view.why(("step", e)).rstrip("]").split(" ["))
            continue
        cards[id] = words.exit_card(t, there, occupied)
        ends = set().union(*v.found[e].ends)
        shown = numbers(t, {place: cost for place, cost in v.found[e].cost.items() if place not in ends})
        previews.append(svg.thing(f"way-{e}", shown + rings(t, ends, 17, line="gold", width=5), hover=id))
    return previews + ends_shown(t, cards) + things


def ends_shown(t, cards):
    """Where the voyage can end: a click sails there, up to the first dot with more than one way there.

    An end next to the ship has no ring of its own, for the exit has one, but whoever is on the way there still gets there.
    """
    things = []
    for end, by in sorted(t.voyage.leading.items()):
        id = end_id(t, end)
        route = "|".join(f"step {e}" for e in by)
        ring = ringed(t, id, t.voyage.spots, art.END, art.FINGER) if id in t.voyage.spots else ("",)
        x, y = place_at(t, end)
        things.append(svg.thing(id, *ring, at=(round(x, 1), round(y, 1)), route=route))
        cards[id] = words.end_card(t, end, len(by))
    return things


def buttons(view, t, seated, cards):
    """The buttons under your own dice: moves without a place on the course."""
    found = [(move, said) for move in view.legal() if (said := words.button_words(t, move.verb, *move.args[:1]))]
    if not found:
        return []
    left, down, width, tall = art.BUTTONS
    top = art.seats(*seated)[seated[1]][1] + down
    things = [svg.thing("plank", svg.rect(0, 0, width, tall, fill="board"), at=(left, top))]
    if t.phase == rules.FIRST and any(move.verb == "roll2" for move, _ in found):
        things.append(svg.thing("outlook", numbers(t, forecast.outlook(t, t.mover)), also="landing"))
    spare = (width - 8 * (len(found) - 1) - sum(len(said) for _, said in found) * art.LETTER) / len(found)
    for k, (move, said) in enumerate(found):  # long labels get wider buttons
        (id,) = picks(view, move)
        odds = words.chance(t.d1[t.mover]) if move.verb in ("roll2", "reroll2") else ""
        wide = round(len(said) * art.LETTER + spare, 1)
        things.append(art.button(id, said, (left, top), wide, k == 0, odds))
        left += wide + 8
        cards[id] = Card(said, *words.BUTTONS[move.verb][1:])
    return things


PICKS = {"ship": "lane-{}", "step": "exit-{}", "target": "victim-{}", "value": "value-{}"}  # by verb; other buttons are called after it


def picks(view, move):
    """A start dot, an exit, a card, a wedge and its place, a board, or a button under the dice."""
    t, number = forecast.fields(view), move.args[0] if move.args else 0
    if move.verb in ("use", "replace", "discard_own"):
        return (f"card-{t.slots[t.mover][number]}",)
    if move.verb == "wedge":
        held, there = forecast.held_wedges(t), f"piece-{t.top[move.args[1]]}"
        return (f"piece-{held[number]}", there) if len(held) > 1 else (there,)
    return (PICKS.get(move.verb, f"do-{move.verb}").format(number),)


def meant(view, id):
    """The move that a click on a thing stands for, or what the thing is for."""
    t = forecast.fields(view)
    kind, _, rest = id.partition("-")
    if kind == "piece" and t.phase in (rules.WEDGE, rules.GAIA) and int(rest) in t.top:
        return ("wedge", 0, t.top.index(int(rest)))
    if kind == "card" and not view.over and int(rest) != t.pend:
        return ("use", t.slots[t.mover].index(int(rest))) if int(rest) in t.slots[t.mover] else words.WRONG_CLICKS["card"]
    if kind == "closed":
        return ("step", int(rest))
    if kind == "board" and t.phase in (rules.TARGET, rules.STEAL):
        return ("target", int(rest))
    if kind in ("dot", "piece", "sea", "hydra", "ship") and t.phase == rules.MOVE:
        return words.WRONG_CLICKS["sea"]
    if kind in ("nav", "first", "second") or (kind == "dot" and rules.NAV <= t.phase <= rules.VALUE):
        return words.WRONG_CLICKS["dice"]
    return "The race is over." if view.over else words.WRONG_CLICKS["pile"] if kind in ("stack", "deck", "discard") else None


class Showing(kit.Showing):
    """The steps of one move: remembers where the ships are; the counter of the sailing ship stays until it changes."""

    def __init__(self, before, base, narrow):
        super().__init__()
        self.t = kit.Fields(before)
        self.seated = (before.players, base, narrow)
        self.at = [ship_at(self.t, p) for p in range(before.players)]
        self.left, self.sailed, self.fish = self.t.move, self.t.moved, list(self.t.fish)
        self.log = {}

    def step(self, event, ms, *, note=None, bring=None, **more):
        """One step; `note` = a small label and where."""
        super().step(event, ms, bring=self.log | (bring or {}) | ({f"note-{note[0]}": note[1]} if note else {}), **more)

    def count(self, p, left):
        """The movement left, at the ship's mast, and behind it the dots sailed of all: "3 of 9"."""
        self.left, (x, y) = left, self.at[p]
        dx, dy = log_beside(x, y)
        total = self.sailed + left
        self.log = {f"left-{left}": (x - 19, y - 31)} if left <= art.MOST_LEFT else {}
        if total <= art.MOST_SAILED:
            self.log |= {f"of-{total}": (x + dx + art.OF_AT, y + dy), f"sailed-{self.sailed}": (x + dx + art.SAILED_AT, y + dy)}

    def sail(self, event, ms, p, at, left=None, note=""):
        """A ship goes there; its counter goes with it."""
        self.at[p] = at
        if left is not None:
            self.count(p, left)
        self.step(event, ms, go={f"ship-{p}": at}, note=(note, self.by_ship(p)) if note else None)

    def pay(self, p, count, to):
        """Fish that leave a board and fly there; those caught in the same move are not in the picture yet."""
        rest = max(0, self.fish[p] - count)
        paid = range(rest, min(self.fish[p], self.t.fish[p]))
        self.fish[p] = rest
        return {f"fish-{p}-{k}": to for k in paid}

    def by_ship(self, p):
        """Above a ship, and above its log if that is there."""
        x, y = self.at[p]
        return (min(max(x, 46), art.WIDTH - 46), max(y - (80 if log_beside(x, y) is ABOVE else 56), 18))

    def spot(self, p, what, index=0):
        return art.spot(*self.seated, p, what, index)


SHIP_NOTES = {"protected": "safe", "battles": "battle", "fights": "battle", "draws": "favor"}  # by event; the others have the same name
FLASHES = {"cursed": (420, 2), "bolt": (380, 0), "boat": (380, 0), "trident": (380, 0), "crowded": (380, 0), "wins": (600, 0)}


def steps(before, after, events, narrow=False):
    """Dice one after the other, wedges sliding to their places, ships from dot to dot with the movement counting down."""
    show = Showing(before, getattr(after, "viewer", None) or 0, narrow)
    t = show.t
    held = {wedge for hand in t.hand for wedge in hand} | {t.gaia}
    sailing = None
    for k, event in enumerate(events):
        name, a, p = event.name, event.args, event.args[0] if event.args else 0
        if name == "fish":
            show.fish[p] = a[2]
        match name:
            case "ship":
                show.sail(k, 380, p, art.dot_at(content.START_WEDGE, forecast.START_DOT[a[1]], 0))
            case "nav" | "set_nav" | "dice" | "first" | "second":
                die, what = (f"face-{a[1]}", name) if name in ("first", "second") else (f"navface-{a[1]}", "nav")
                show.step(k, 420, bring={die: show.spot(p, what)}, flash=(die,))
            case "bust":
                show.step(k, 460, note=("bust", show.spot(p, "first")), flash=(f"board-{p}",))
            case "places" if a[1] in held:
                offset, id = forecast.offset_of(t, a[2]), f"piece-{a[1]}"
                show.step(k, 520, go={id: (*art.heart(offset), 30 * offset)}, flash=(id,))
            case "voyage":
                sailing, show.sailed = p, 0
                show.count(p, a[1])
                show.step(k, 360, flash=(f"ship-{p}",))
            case "sails" | "skips":
                x, y = art.dot_at(*divmod(a[1], content.MAX_DOTS), forecast.offset_of(t, a[2]))
                if name == "skips":
                    show.sail(k, 320, p, (x, y - art.PASSING), show.left, "free")
                else:
                    sailing, show.sailed = p, show.sailed + 1
                    show.sail(k, 260, p, (x, y), a[3])
            case "lap":
                show.step(k, 460, go={f"lap-{p}": show.spot(p, "lap", max(0, t.race - a[1]))}, note=("lap", show.by_ship(p)))
            case "feeds":
                show.step(k, 420, go=show.pay(p, 1, art.MIDDLE), note=("fed", show.by_ship(p)), flash=("hydra",))
            case "pays_scylla" if a[1]:
                show.step(k, 420, go=show.pay(p, a[1], show.at[p]))
            case "pays_reroll":
                show.step(k, 300, go=show.pay(p, 1, art.MIDDLE))
            case "loses_fish":
                show.step(k, 420, go=show.pay(p, a[1], art.MIDDLE), flash=(f"board-{p}",))
            case "steals":
                show.step(k, 420, go=show.pay(a[2], a[1], show.spot(p, "fish", show.fish[p])), flash=(f"board-{p}",))
                show.fish[p] += a[1]
            case "fish" | "boost" | "protected" | "battles" | "fights" | "draws" | "wedge" if p == sailing:
                if name == "boost":
                    show.count(p, a[1])
                show.step(k, 300, note=(SHIP_NOTES.get(name, name), show.by_ship(p)))
            case "curse":
                show.step(k, 520, note=("curse", show.by_ship(a[1])), flash=(f"board-{a[1]}",))
            case "fleece" if t.fleece != rules.NONE:
                show.step(k, 520, go={"fleece": show.spot(p, "fleece")}, flash=(f"board-{p}",))
            case _:
                ms, who = FLASHES.get(name, (180, None))
                show.step(k, ms, flash=() if who is None else (f"board-{a[who]}",))
    return show.done()

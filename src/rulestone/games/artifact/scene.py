"""How Artifact looks: raised walls seen from above, a golden amphora carried about, a board that really turns.

The layers of the board (floor, walls, pieces, hints, squares to click) are turned together. Ho is always left and right on the screen.
On a narrow screen the board is as wide as the picture, and the piles are beside the hand.
"""

from dataclasses import dataclass
from functools import cache
from math import cos, hypot, pi, sin

from rulestone.table import Scene, Step, kit, svg
from rulestone.table.kit import many

from . import art, rules, words
from .art import CARD_HEIGHT, CARD_WIDTH, MIDDLE, card_face, layer, on_screen, still, tag, upright, use
from .content import BONUS, DIAG, DROP, DYNAMITE, HO, JUMP, NONE, SWAP, VERT
from .rules import CARD_VERBS, DISCARD, DRAW, OVER, PLAY, REASONS
from .words import NAMES, ORDER, STEPS, Table, confirm, ending, goal, in_words, meant, prompt, say, say_move, text, why

__all__ = ["confirm", "ending", "goal", "in_words", "meant", "picks", "prompt", "say", "say_move", "scene", "steps", "text", "why"]
ANY_ORDER = True  # a card and then a square, or a square and then a card


@dataclass(frozen=True, eq=False)
class Places:
    """Where things are around the board."""

    width: int
    height: int
    compass: tuple[int, int]
    round: tuple[int, int]
    pile: tuple[int, int]
    deck: tuple[int, int]
    slots: tuple[int, int]  # top left of the plays of this turn
    slot_step: int
    slots_wide: int  # how many of them fit without overlapping
    hand: tuple[int, int]
    hand_wide: int
    dial: int = 50  # the radius of the compass
    narrow: bool = False


COLUMN = 759  # the middle of the column beside the board: compass, discard pile, deck
WIDE = Places(820, 1010, (COLUMN, 160), (COLUMN, 284), (COLUMN, 446), (COLUMN, 668), (14, 789), 52, 7, (410, 930), 820)
NARROW = Places(706, 1006, (670, 822), (588, 800), (582, 932), (646, 932), (14, 788), 47, 5, (265, 930), 532, 27, narrow=True)
SLOT_WIDTH, SLOT_HEIGHT, COPY_STEP = 46, 62, 24
FLASHES = {"carries": (120, "cell-{0}"), "wins": (700, "cell-{0}", "seat-{1}")}
FLASHES |= dict.fromkeys(("turn", "chase", "allowance", "stops", "loose", "handed"), (220, "seat-{1}"))
LAID = (*CARD_VERBS, "idle")  # events that lay out a card
LAYERS = ("floor", "walls", "trail", "men", "prize", "hints", "squares")


def quarters(view, seat):
    """How far the board is turned for a viewer: 0 to 3, or 4 if it has just come full circle, so that it doesn't turn back."""
    quarter = view.ask(rules.quarters, seat or 0)
    return 4 if quarter == 0 and any(event.name == "rotate" for event in view.events) else quarter


def panel_at(places, players, player):
    """Top left of a player's panel, and its width."""
    width = (places.width - 20 - 8 * (players - 1)) / players
    return (10 + player * (width + 8), 8), width


def slot_at(places, index, limit, usual):
    """The middle of a place for a played card; those of the bonus are set slightly apart."""
    step, (x, y) = places.slot_step * min(1, places.slots_wide / max(1, limit)), places.slots
    return (x + SLOT_WIDTH / 2 + index * step + (20 if index >= usual else 0), y + SLOT_HEIGHT / 2)


# ---- the board ------------------------------------------------------------------------------------------------------------


@cache
def walls(plan, quarter, heights):
    """The blocks, from back to front."""
    blocks = []
    for cell in sorted((cell for cell, high in enumerate(heights) if high), key=lambda cell: (on_screen(quarter, plan.at[cell])[1], cell)):
        for level in range(heights[cell]):
            low = level * plan.lift
            count = svg.text(level + 1, 0, -plan.lift, size=24, fill="on3", serif=True, bold=True) if level else ""
            how = {"motion": "drop", "come": (0, -low - 150)}
            blocks.append(upright(f"block-{cell}-{level}", quarter, use("block") + count, plan.at[cell], (0, -low), **how))
    return layer("walls", quarter, *blocks, also="deep")


@cache
def squares(plan, quarter, heights):
    """The squares to click, on top of the blocks."""
    made = [svg.thing(f"cell-{cell}", art.target(quarter, heights[cell] * plan.lift), at=plan.at[cell]) for cell in plan.cells]
    return layer("squares", quarter, *made)


def stands(plan, pos, heights):
    """Each piece's offset from the middle of its square: pieces that share a square stand side by side, those on walls higher."""
    made = []
    for player, cell in enumerate(pos):
        here = [other for other, there in enumerate(pos) if there == cell]
        apart = {1: 0, 2: 36, 3: 24, 4: 17}[len(here)] * plan.scale
        right = (here.index(player) - (len(here) - 1) / 2) * apart
        made.append((right, -heights[cell] * plan.lift - 3 * plan.scale))
    return made


def artifact_away(plan, pos, heights, art, holder):
    """Where on its square the artifact is drawn: held high by its holder, in front of anybody else there, or in the middle."""
    k, up = plan.scale, heights[art] * plan.lift
    if holder != NONE:
        right, down = stands(plan, pos, heights)[holder]
        return (right + 15 * k, down - 20 * k)
    return (-20 * k, 14 * k - up) if art in pos else (0, -up)


@cache
def men(plan, quarter, heights, pos, art, holder, homes):
    """Flags, pieces and the artifact."""
    k, crowd, parts = plan.scale, art in pos, []

    def stand(id, art, cell, away):
        parts.append(upright(id, quarter, art, plan.at[cell], away, also="landing"))

    for player, cell in enumerate(homes):
        stand(f"flag-{player}", use(f"flag{player}", scale=k * 0.9), cell, (15 * k, -heights[cell] * plan.lift - 22 * k))
    places, away = stands(plan, pos, heights), artifact_away(plan, pos, heights, art, holder)
    stand("gleam", use("glow", scale=k * (0.7 if crowd else 1)), art, away)
    for player in sorted(range(len(pos)), key=lambda player: (on_screen(quarter, plan.at[pos[player]])[1], places[player])):
        scale = k * (1 if pos.count(pos[player]) < 3 else 0.85)
        stand(f"piece-{player}", use(f"piece{player}", scale=scale), pos[player], places[player])
    relic = use("amphora", scale=k * (0.82 if crowd else 1.25))
    if holder == NONE and crowd:
        relic += svg.circle(0, 0, 21 * k, line="clay", width=2.4, also="dashed")
        relic += svg.circle(-15 * k, -15 * k, 11, fill="clay") + svg.text("?", -15 * k, -15 * k, size=19, fill="on0", bold=True)
    stand("artifact", relic, art, away)
    return layer("men", quarter, *parts)


@cache
def prize(plan, quarter, cell):
    """The holder's square, highlighted if you can reach it and take the artifact."""
    half = plan.size / 2 - 1
    ring = svg.rect(-half, -half, 2 * half, 2 * half, line="clay", width=5, round=9, also="beckon")
    return layer("prize", quarter, svg.group(ring, at=plan.at[cell]), also="landing")


def trail(t, quarter, events):
    """A faint trace of what the last move did on the board."""
    plan, parts = t.plan, []

    def dash(player, here, there):
        parts.append(svg.line(*plan.at[here], *plan.at[there], ink=f"seat{player}", width=5, also="dashed"))

    for event in events:
        args = event.args
        if event.name in STEPS:
            there = plan.cell(args[2])
            dash(args[0], plan.neighbours[there][(args[1] + 4) % 8], there)
        elif event.name == "swap":
            dash(args[0], t.pos[args[0]], t.pos[args[1]])
        elif event.name == "dynamite":
            parts.append(svg.group(art.BLAST, at=plan.at[plan.cell(args[1])], scale=plan.scale))
    return [layer("trail", quarter, svg.group(*parts, also="half"))] if parts else []


# ---- hints: what a card would do ------------------------------------------------------------------------------------------


def hints(t, quarter, moves):
    """What each of the mover's cards can do now, shown while the card is hovered or chosen."""
    plan, made = t.plan, []
    here = plan.at[t.pos[t.mover]]
    for kind, verb in enumerate(CARD_VERBS):
        own, parts = [move for move in moves if move.verb == verb], []
        for move in own:
            cell = t.target(move)
            at, top = (plan.at[cell], t.heights[cell] * plan.lift) if cell is not None else (here, 0)
            if verb in STEPS:
                parts.append(art.arrow_between(here, at, "sea", 16 * plan.scale if kind == JUMP else 0))
                if cell == t.art and t.holder != t.mover:
                    parts.append(still(quarter, tag(words.take_says(t, move), fill="clay"), at, (0, 42 * plan.scale - top)))
            elif kind == SWAP:
                bend = 20 + 0.2 * hypot(at[0] - here[0], at[1] - here[1])
                parts.append(art.arrow_between(here, at, "clay", bend, 0.1) + art.arrow_between(at, here, "clay", bend, 0.1))
            elif kind == DROP:
                parts.append(still(quarter, svg.group(use("block"), also="ghost"), at, (0, -top)))
            elif kind == DYNAMITE:
                parts.append(still(quarter, use("stick", scale=plan.scale * 1.1), at, (0, -top)))
            else:
                parts.append(art.TURN_ARROW)
        if own:
            parts += blocked(t, quarter, kind)
            if kind == SWAP:
                parts.append(still(quarter, tag(words.swap_says(t, own), fill="clay"), inside(plan.at[t.art]), (0, -50 * plan.scale)))
            made.append(svg.thing(f"hint-{kind}", *parts, hover=f"card-{kind}"))
    return layer("hints", quarter, *made)


def inside(point):
    """Not too near the edge, so that a label fits."""
    most = art.SIDE / 2 - 110
    return (max(-most, min(most, point[0])), max(-most - 90, min(most + 90, point[1])))


def blocked(t, quarter, kind):
    """Where the card would go if the square were not higher."""
    made = []
    near = t.plan.neighbours[t.pos[t.mover]][kind == DIAG :: 2] if kind in (HO, VERT, DIAG) else ()
    for way, cell in enumerate(near):
        if cell != NONE and t.heights[cell] and t.ask(rules.may_step, kind, way) == REASONS.up:
            made.append(still(quarter, tag("Jump!"), t.plan.at[cell], (0, -t.heights[cell] * t.plan.lift)))
    return made


# ---- cards and panels -----------------------------------------------------------------------------------------------------


@cache
def fan(places, counts):
    """Where each kind of card in a hand lies: kind → (x, y, turn) of its middle, the width of its copies, and the step between them."""
    kinds = [kind for kind in ORDER if counts[kind]]
    extra = sum(counts[kind] - 1 for kind in kinds)
    room = places.hand_wide - 24 - len(kinds) * CARD_WIDTH
    step = max(6, min(COPY_STEP, room / max(1, extra)) if extra else 0)
    gap = min(14, (room - extra * step) / max(1, len(kinds) - 1))
    total = len(kinds) * CARD_WIDTH + extra * step + gap * (len(kinds) - 1)
    (x, y), made = places.hand, {}
    x -= total / 2
    for index, kind in enumerate(kinds):
        width = CARD_WIDTH + (counts[kind] - 1) * step
        away = index - (len(kinds) - 1) / 2
        made[kind] = (x + width / 2, y + abs(away) ** 1.7 * 0.9, away * 1.5, width, step)
        x += width + gap
    return made


@cache
def hand(places, counts, quarter, come):
    """The hand as a fan; cards of one kind lie together and are clicked as one thing."""
    made, fanned = [], fan(places, counts)
    for kind in ORDER:
        parts = []
        if counts[kind]:
            x, y, turn, width, step = fanned[kind]
            w, h = width + 9, CARD_HEIGHT + 9  # so that its glow shows around the cards
            parts.append(svg.rect(-w / 2, -h / 2, w, h, fill="felt", round=13, transform=svg.placing((x, y), turn)))
            for copy in range(counts[kind]):
                along = -width / 2 + CARD_WIDTH / 2 + copy * step
                at = (x + along * cos(turn * pi / 180), y + along * sin(turn * pi / 180))
                top = counts[kind] if copy == counts[kind] - 1 else 0
                body = card_face(kind, quarter, top, f"way-{kind}" if top else "")
                parts.append(svg.thing(f"copy-{kind}-{copy}", body, at=at, turn=turn, come=come))
        made.append(svg.thing(f"card-{kind}", *parts))
    return tuple(made)


@cache
def reference(places, quarter):
    """For spectators: the eight kinds of cards."""
    (x, y), step = places.hand, 60 if places.narrow else CARD_WIDTH + 6
    faces = [art.small_card(kind, 54, 74, 4, 6, 0.8) if places.narrow else card_face(kind, quarter) for kind in ORDER]
    drawn = enumerate(zip(ORDER, faces, strict=True))
    return tuple(svg.thing(f"kind-{kind}", face, at=(x + (index - 3.5) * step, y)) for index, (kind, face) in drawn)


def panel_of(places, t, player, seat):
    """The part of a hand that everybody may see; all of it if nothing is hidden (in a replay)."""
    counts = t.hand[player] if player != seat and sum(t.hand[player]) == t.hand_n[player] else t.known[player]
    shown = tuple(kind for kind in ORDER for _ in range(counts[kind]))
    return panel(places, player, t.players, t.hand_n[player], shown, player == t.mover, player == t.holder, player == seat)


@cache
def panel(places, player, players, size, shown, active, holds, mine):
    """A player's panel: the mark, the name, the cards in hand (known ones face up), and the artifact if it is theirs."""
    at, width = panel_at(places, players, player)
    parts = [
        svg.rect(0, 0, width, 76, fill="board", line=f"seat{player}" if active else "line", width=4 if active else 1.5, round=13),
        svg.group(kit.mark(player, 10), at=(22, 22)),
        svg.text(NAMES[player], 40, 22, size=21, align="start", bold=True),
    ]
    if mine and not (holds and width < 250):
        parts.append(svg.text("you", 50 + len(NAMES[player]) * 13.5, 23, size=19, fill="muted", align="start", serif=True))
    if holds:
        parts.append(svg.group(use("glow", scale=0.5), use("amphora", scale=0.85), at=(width - 25, 22)))
    words = many(size, "card") if width > 250 else str(size)
    step = min(33, (width - 58 - 10 * len(words)) / max(1, size - 1))
    faces = [*[f"back{player}"] * (size - len(shown)), *(f"small{kind}" for kind in reversed(shown[:size]))]  # the known ones on top
    parts += [use(face, at=(27 + round(index * step, 1), 53), scale=0.95) for index, face in enumerate(faces)]
    parts.append(svg.text(words, width - 12, 56, size=19, fill="muted", align="end"))
    return svg.thing(f"seat-{player}", *parts, at=at)


@cache
def compass(places, quarter):
    """What Ho and Vert mean now: Ho is left and right, and the needle shows where the map's north is."""
    at, up = places.compass, (0, -1 - places.dial)
    ring = svg.circle(0, 0, places.dial, fill="board", line="line", width=1.5, also="low-shadow")
    arrows = svg.path("M-33 0H33M0 -33V33", line="sea", width=4)
    arrows += svg.path("M-42 0L-31 -8V8ZM42 0L31 -8V8ZM0 -42L-8 -31H8ZM0 42L-8 31H8Z", fill="sea")
    arrows = svg.group(arrows, scale=places.dial / 50)
    lines = [] if places.narrow else [svg.text("Ho", -23, 82, size=18, bold=True), svg.text("Vert", 36, 82, size=18, bold=True)]
    for kind, x in () if places.narrow else ((HO, -49), (VERT, 3)):
        unturned = svg.placing((x, 82), 90 * quarter, 0.4)
        lines.append(svg.thing(f"line-{kind}", use(f"icon{kind}"), at=(x, 82), scale=0.4, still=unturned))
    body = svg.thing("compass", ring, arrows, *lines, at=at)
    how = {"motion": "" if quarter else "still"}
    sign = svg.circle(0, 0, 13, fill="clay") + svg.text("N", 0, 0, size=19, fill="on-clay", bold=True)
    north = svg.thing("north", sign, at=up, turn=-90 * quarter, still=svg.placing(up), **how)
    return body, svg.thing("needle", north, at=at, turn=90 * quarter, still=svg.placing(at), also="landing", **how)


@cache
def round_sign(at, number, spare):
    """The round, and the spare blocks if they are limited."""
    blocks = "" if spare is None else svg.text(f"{many(spare, 'block')} left", 0, 26, size=19, fill="muted", serif=True)
    return svg.thing("round", svg.text(f"Round {number}", size=19, fill="muted", serif=True), blocks, at=at)


@cache
def piles(places, deck_n, disc_n, top, quarter, offered, come):
    """The deck and the discard pile with its top card; under them cards that fly when one is drawn or the pile is shuffled."""
    deck_at, pile_at = places.deck, places.pile
    w, h = CARD_WIDTH, CARD_HEIGHT
    place = svg.rect(-w / 2 - 5, -h / 2 - 5, w + 10, h + 10, fill="felt", line="line", width=1.5, round=13)
    empty = svg.text("empty", size=19, fill="muted")
    if places.narrow:  # just the number, on a corner of the pile
        deck, discards = (art.corner(count) for count in (deck_n, disc_n))
    else:
        deck, discards = (
            svg.text(words, 0, -h / 2 - 20, size=19, fill="muted", serif=True) for words in (f"Deck {deck_n}", f"Discards {disc_n}")
        )
    things = [svg.thing(f"fly-{deck_n - k}", use("back"), at=deck_at, also="landing") for k in range(min(7, deck_n))]
    things.append(svg.thing("deck", place, kit.stack(deck_n, use("back"), most=4) or empty, deck, at=deck_at))
    things.append(svg.thing("discard", place, empty if not disc_n else "", discards, at=pile_at))
    if disc_n > 1:
        sheet = svg.rect(-w / 2, -h / 2, w, h, fill="board", line="stone", width=1.4, round=9)
        things.append(svg.thing(f"rest-{disc_n}", kit.stack(disc_n, "", layer=sheet, most=4), at=pile_at, also="landing"))
    if disc_n:
        frame = svg.rect(-w / 2 + 1, -h / 2 + 1, w - 2, h - 2, line="clay", width=3.5, round=8, also="dashed") if offered else ""
        body = card_face(top, quarter) + frame + (discards if places.narrow else "")
        things.append(svg.thing(f"top-{disc_n}", body, at=pile_at, motion="" if come else "still", come=come, also="landing"))
    return tuple(things)


@cache
def plays(places, used, limit, usual, phase, first, second):
    """The plays of this turn: a place for each card, a pip in those that are left, and why there are that many."""
    parts, most, w, h = [], max(limit, used), SLOT_WIDTH, SLOT_HEIGHT
    for index in range(most):
        x, y = slot_at(places, index, most, usual)
        parts.append(svg.rect(x - w / 2, y - h / 2, w, h, fill="board", line="line", width=1.5, round=6))
        if index >= used and phase in (DRAW, PLAY):
            parts.append(svg.circle(x, y, 10, fill="gold", line="on3", width=1.4))
    if limit > usual:
        x, y = slot_at(places, usual, most, usual)
        parts.append(svg.text("+", x - w / 2 - 13, y, size=24, fill="gold", bold=True))
    x, top = slot_at(places, max(most, 1) - 1, most, usual)[0] + w / 2 + 16, places.slots[1] + 18
    top, step, lines = (top - 6, 22, second.split(", ")) if places.narrow else (top, 28, [second])  # a line for each reason
    parts.append(svg.text(first, x, top, size=22, align="start", bold=True))
    parts += [svg.text(line, x, top + (k + 1) * step, size=19, fill="muted", align="start") for k, line in enumerate(lines)]
    return svg.thing("plays", *parts)


@cache
def played_card(at, index, kind, last, come):
    """A card played in this turn; the last one is outlined, as it will be the top discard that the next player can take."""
    body = art.small_card(kind, 40, 54, 3.5, 5, 0.56)
    body += svg.rect(-19, -26, 38, 52, line="clay", width=3, round=5, also="dashed") if last else ""
    return svg.thing(f"played-{index}", body, at=at, motion="" if come else "still", come=come)


# ---- the scene ------------------------------------------------------------------------------------------------------------


def scene(view, seat, narrow=False):
    """Players on top, the board with compass and piles beside it, then the plays of this turn, and nearest to the prompt the hand."""
    t, quarter, events, places = Table(view), quarters(view, seat), view.events, NARROW if narrow else WIDE
    names = [event.name for event in events]
    things = [art.defs(t.plan), art.floor(t.plan, quarter, t.homes), walls(t.plan, quarter, t.heights), *trail(t, quarter, events)]
    things.append(men(t.plan, quarter, t.heights, t.spots, t.art, t.holder, t.homes))
    if seat is not None and t.mover == seat and t.phase == PLAY:
        legal = [move for move in view.legal() if not t.idle(move)]
        if t.holder not in (NONE, seat) and any(move.verb in STEPS and t.target(move) == t.art for move in legal):
            things.append(prize(t.plan, quarter, t.art))
        things.append(hints(t, quarter, legal))
    things += [squares(t.plan, quarter, t.heights), *(panel_of(places, t, player, seat) for player in range(t.players))]
    things += compass(places, quarter)
    things.append(round_sign(places.round, t.turn // t.players + 1, t.spare if t.block_supply else None))
    actor = next((event.args[0] for event in events if event.name in ("discards", "picks", *LAID)), None)
    away = f"seat-{actor}" if actor is not None and actor != seat else ""
    offered = t.phase in (PLAY, DISCARD) and not t.laid and t.disc_n > 0
    things += piles(places, t.deck_n, t.disc_n, t.pile[-1] if t.pile else 0, quarter, offered, away if "discards" in names else "")
    if t.phase != OVER or t.laid:
        things.append(plays(places, t.used, t.limit, t.usual, t.phase, *words.reasons(t, seat)))
    for index, kind in enumerate(t.laid):
        last = index == t.played_n - 1
        come = away if last and names and names[0] in LAID else ""
        at = slot_at(places, index, max(t.limit, t.used), t.usual)
        things.append(played_card(at, index, kind, last and t.phase != OVER, come))
    (x, y), width = panel_at(places, t.players, t.mover or 0)
    motion = "still" if "takes" in names or "steals" in names else ""
    things.append(svg.thing("bonus", art.PLUS, at=(x + width - 25, y + 22), scale=0.01, motion=motion, also="landing"))
    come = "discard" if "picks" in names else "deck"
    things += reference(places, quarter) if seat is None else hand(places, tuple(t.hand[seat]), quarter, come)
    cards, plates = words.cards(t, seat, quarter), words.plates(t)
    return Scene(places.width, places.height, things, title=words.title(t), cards=cards, plates=plates, panels=True)


def picks(view, move):
    """A card and its square; Swap the opponent's square (and the panel, if several stand there); Rotate needs no square."""
    if move.verb in ("draw_deck", "draw_discard"):
        return (move.verb.removeprefix("draw_"),)
    if move.verb == "discard":
        return (f"card-{move.args[0]}",)
    if move.verb not in CARD_VERBS:
        return ()
    t, card = Table(view), f"card-{CARD_VERBS.index(move.verb)}"
    cell = t.target(move)
    if cell is None or cell == NONE:
        return (card,)
    if move.verb == "swap" and len(t.others_at(cell, t.mover)) > 1:
        return (card, f"cell-{cell}", f"seat-{move.args[0]}")
    return (card, f"cell-{cell}")


# ---- step by step ---------------------------------------------------------------------------------------------------------


class Showing(kit.Showing):
    """A move shown step by step: where things are now, and the steps so far."""

    def __init__(self, before, seat, places):
        super().__init__()
        t = self.t = Table(before)
        self.places = places
        self.seat, self.quarter, self.plan = seat, quarters(before, seat), t.plan
        self.pos, self.heights, self.art, self.holder = list(t.spots), list(t.heights), t.art, t.holder

    def men(self):
        """All pieces and the artifact where they are now."""
        places = zip((self.plan.at[cell] for cell in self.pos), stands(self.plan, self.pos, self.heights), strict=True)
        relic = (self.plan.at[self.art], artifact_away(self.plan, self.pos, self.heights, self.art, self.holder))
        named = {f"piece-{player}": place for player, place in enumerate(places)} | {"artifact": relic, "gleam": relic}
        return {id + part: at for id, place in named.items() for part, at in zip(("", ".l"), place, strict=True)}

    def panel(self, player):
        (x, y), width = panel_at(self.places, self.t.players, player)
        return (x + width / 2, y + 40)

    def copy(self, player, kind, to):
        """The top card of a kind in the hand that is seen, on its way; nothing for other hands."""
        copies = self.t.hand[player][kind]
        return {f"copy-{kind}-{copies - 1}": to} if player == self.seat and copies else {}

    def lay_out(self, event, player, kind):
        """A card from the hand to its place among the plays."""
        t = self.t
        flies = self.copy(player, kind, slot_at(self.places, t.used, max(t.limit, t.used), t.usual))
        self.step(event, 240 if flies else 200, go=flies, flash=() if flies else (f"seat-{player}",))

    def move(self, event, player, cell, leaps, carries):
        """A step, or a leap in an arc."""
        if leaps:
            (x1, y1), (x2, y2) = self.plan.at[self.pos[player]], self.plan.at[cell]
            up = (0, -self.heights[cell] * self.plan.lift - 40 * self.plan.scale)
            flying = [f"piece-{player}", *(("artifact", "gleam") if carries else ())]
            self.step(None, 190, go=dict.fromkeys(flying, ((x1 + x2) / 2, (y1 + y2) / 2)) | {f"{id}.l": up for id in flying})
        self.pos[player] = cell
        if carries:
            self.art = cell
        self.step(event, 230 if leaps else 320, go=self.men())

    def cross(self, event, one, two, carried):
        """Two pieces change places in crossing arcs; the artifact visibly stays behind."""
        (x1, y1), (x2, y2) = (self.plan.at[self.pos[player]] for player in (one, two))
        x, y, dx, dy = (x1 + x2) / 2, (y1 + y2) / 2, (x2 - x1) * 0.22, (y2 - y1) * 0.22
        self.step(None, 280, go={f"piece-{one}": (x + dy, y - dx), f"piece-{two}": (x - dy, y + dx)}, flash=(f"cell-{self.art}",))
        self.pos[one], self.pos[two] = self.pos[two], self.pos[one]
        if carried:
            self.art = self.pos[self.holder]
        elif self.holder in (one, two):
            self.holder = NONE
        self.step(event, 300, go=self.men())

    def unwind(self):
        """If the board has just come full circle and turns again: count its quarters from 0 anew, at once."""
        if self.quarter == 4:
            inner = [f"block-{cell}-{level}" for cell, high in enumerate(self.heights) for level in range(high)]
            inner += [f"{kind}-{player}" for kind in ("flag", "piece") for player in range(self.t.players)] + ["artifact", "gleam"]
            go = (
                dict.fromkeys(LAYERS, MIDDLE)
                | {f"{id}.u": (0, 0) for id in inner}
                | {"needle": self.places.compass, "north": (0, -1 - self.places.dial)}
            )
            self.made.append(Step(None, go, (), 1))


def steps(before, after, events, narrow=False):
    """Each event along its real path: the card is laid out, pieces step, leap and cross, the artifact changes hands, piles move."""
    places = NARROW if narrow else WIDE
    show = Showing(before, getattr(after, "viewer", None), places)
    t, plan, step, deck_n, laid = show.t, show.plan, show.step, show.t.deck_n, False
    names = [event.name for event in events]
    for k, event in enumerate(events):
        name, a = event.name, event.args
        if name in LAID and not laid:
            show.lay_out(k, a[0], a[1] if name == "idle" else CARD_VERBS.index(name))
            laid = True
        match name:
            case "ho" | "vert" | "diag" | "jump":
                show.move(k, a[0], plan.cell(a[2]), name == "jump", "carries" in names)
            case "swap":
                show.cross(k, *a, carried="follows" in names)
            case "drop" | "dynamite":
                cell = plan.cell(a[1])
                show.heights[cell] = a[2]
                step(k, 260, flash=(f"cell-{cell}",))
            case "rotate":
                show.unwind()
                step(k, 260, flash=("compass",))
            case "takes" | "steals":
                show.holder = a[0]
                x, y = slot_at(places, t.limit, t.limit + BONUS, t.usual)
                step(k, 380, go=show.men(), flash=(f"cell-{show.art}", f"seat-{a[0]}"))
                if names[k + 1 : k + 2] in (["allowance"], ["turn"], ["chase"]):
                    step(None, 260, go={"bonus": show.panel(a[0])})
                    step(None, 420, go={"bonus": (x + places.slot_step, y)})
            case "draws":
                step(k, 300, go={} if a[0] == show.seat or not deck_n else {f"fly-{deck_n}": show.panel(a[0])}, flash=("deck",))
                deck_n = max(0, deck_n - 1)
            case "picks":
                step(k, 340, go={} if a[0] == show.seat else {f"top-{t.disc_n}": show.panel(a[0])}, flash=("discard",))
            case "discards":
                flies = show.copy(*a, places.pile)
                step(k, 260, go=flies, flash=("discard",) if flies else (f"seat-{a[0]}",))
            case "refills":
                step(k, 200, flash=("deck", f"seat-{a[0]}"))
                for index in range(min(a[1], 7, deck_n) if a[0] != show.seat else 0):
                    step(None, 130, go={f"fly-{deck_n - index}": show.panel(a[0])})
            case "reshuffles":
                step(k, 480, go={f"rest-{t.disc_n}": places.deck} if t.disc_n > 1 else {}, flash=("deck",))
                deck_n = 0  # the new deck's cards are not drawn yet
            case "piles":
                step(k, 160, flash=("discard",))
                for index in range(t.played_n):
                    step(None, 150, go={f"played-{index}": places.pile})
            case _:
                ms, *flash = FLASHES.get(name, (120,))
                step(k, ms, flash=[flashing.format(show.art, a[0]) for flashing in flash])
    return show.made

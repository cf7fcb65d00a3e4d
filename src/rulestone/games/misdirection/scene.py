"""Where everything is on the table of misDIRECTION, what you can click, and how a move is shown step by step.

Things for the steps of a move (die faces, arrows held up, small labels) are parked outside the picture until a step brings them in.
"""

import numpy as np

from rulestone.table import Scene, kit

from . import art, content, rules, words
from .art import DIE, DOWN, HEIGHT, PLACES, WIDTH
from .content import CENTRE, COVERED, OPPOSITE, SEATS, SIDE, TILE_SPACE, TILES
from .words import AIDS, ARROWS, HOME, MARKS, PLAYER, PRINTED, Table, confirm, ending, goal, in_words, prompt, reach, say, say_move, why

__all__ = [
    "AIDS",
    "confirm",
    "ending",
    "goal",
    "in_words",
    "meant",
    "picks",
    "prompt",
    "say",
    "say_move",
    "scene",
    "screen",
    "steps",
    "text",
    "why",
]

NEXT = content.NEXT.tolist()
LIFT = 30  # how far a token is lifted
NUMBERS = TILES.astype(int).reshape(len(TILES), -1, 8).sum(2).tolist()
TURNS = ("turns_free", "turns_own", "turns_under")


def codes_of(state):
    """What each tile shows: DOWN, 8 * kind + arrow as it lies, or COVERED + kind."""
    face, printed = state.face.astype(np.int64), state.tile.astype(np.int64)
    lying = printed & ~7 | printed + 2 * (face + 3) & 7
    return np.where(face == 0, DOWN, np.where(printed >= COVERED, printed, lying)).tolist()


def screen(s, seat, aid):
    """Q35: remove the arrows that have to be remembered from a view before anything is sent."""
    if not AIDS.all(aid):
        rules.cover(s, seat if aid == "own" else rules.NOBODY)


# ---- the picture --------------------------------------------------------------------------------------------------------------


def scene(view, seat):
    """Back to front: board, tiles, trail, tokens, previews; around it the coins, the turn, the die and the tiles still face down."""
    t, codes, events = Table(view), codes_of(view.state), view.events
    ups = [cell for cell in art.TILE_CELLS if codes[cell] != DOWN]
    spun = {event.args[1] for event in events if event.name in TURNS}
    legs = [event.args for event in events if event.name == "travels"]
    rolling_off, mine = t.last_die == 0 and not view.over, seat is not None and seat == view.to_move
    done, left = mine and t.phase in (rules.POST, rules.LANDED), list(NUMBERS[t.arrows])
    for cell in ups:
        left[t.kinds[cell]] -= 1
    cards = words.cards(t, codes, ups, left)
    del cards["turn" if done else "done"]

    tiles = art.ALL_DOWN | {cell: art.tile(cell, art.BENEATH + code, False) for cell, code in t.beneath.items()}
    tiles |= {cell: art.tile(cell, codes[cell], cell in spun) for cell in ups}
    things = [art.DEFS, art.BOARD, *(art.corner(k, k in t.seats) for k in range(SEATS)), art.MIDDLE, *tiles.values()]
    if legs:
        things.append(art.trail(legs))
    for k in t.seats:
        together, way = t.on(t.pos[k]), None if view.over else t.heading(t.pos[k])
        own = seat is not None and PLAYER[view.players][k] == seat
        things.append(art.token(k, t.pos[k], together.index(k), len(together), way, own, t.lose[k] > 0))
    if rolling_off:
        things += art.roll_off(t.seats, t.rolloff, t.first)
    if view.over and t.winner != rules.NONE:
        things.append(art.CROWN)
    for k in t.seats:
        things += art.disk(k, t.light[k], t.lose[k], k == t.seat, t.rolloff[k] if rolling_off else 0)
    things.append(art.result(t.winner, t.points) if view.over else art.steps_bar(t.seat, t.steps))
    things += art.pot(t.points, min(t.turn, t.cap_turns), done)
    things.append(art.die(t.opening or t.last_die))
    things += [art.legend(k, sum(left[kind] for kind in kinds)) for k, (_, kinds, _, _) in enumerate(words.LEGEND)]
    if mine and t.phase == rules.PRE:
        things.append(art.ways(t.seat, t.pos[t.seat], reach(t)))
    if mine and t.ask(rules.may_rotate) == 0:
        things.append(choices(t, codes, ups, cards))
    things += art.PARKED
    now = words.ENDED if view.over else words.TO_MOVE.format(kit.name(view, view.to_move))
    title = words.TITLE.format(t.turn, now, t.points)
    return Scene(WIDTH, HEIGHT, things, title=title, cards=cards, plates=words.plates(t, seat), panels=True)


def choices(t, codes, ups, cards):
    """On a chosen tile, the buttons to rotate it either way (showing its new arrow) or to teleport there."""
    listed, parts = [0] * len(rules.ACTIONS), []
    legal = set(listed[: t.ask(rules.legal, listed)])
    for cell in ups:
        turns, port = rules.ACTIONS.rot_cw(cell) in legal, rules.ACTIONS.teleport(cell) in legal
        if turns or port:
            parts.append(art.buttons(cell, codes[cell], turns, port))
        if turns:
            cards[f"ccw-{cell}"], cards[f"cw-{cell}"] = words.TURN_CARDS
        if port:
            cards[f"port-{cell}"] = words.PORT_CARD
    return art.svg.thing("turns", *parts, motion="still")


def picks(view, move):
    """The die to roll; a tile and then which way; a tile to teleport to; Done to pass the die on."""
    if not move.args:
        return ("die",) if move.verb == "roll" else ("done",)
    cell = move.args[0]
    if move.verb == "teleport":
        return (f"tile-{cell}",) if view.ask(rules.may_rotate) else (f"tile-{cell}", f"port-{cell}")
    return (f"tile-{cell}", f"{move.verb[4:]}-{cell}")


def meant(view, id):
    """A click on a tile means rotating it, one on the die rolling; you can't flip a disk by clicking it."""
    kind, _, number = id.partition("-")
    if kind in ("disk", "plate") and not view.over:
        return words.NOT_BY_HAND
    cell = {"tile": int, "corner": lambda seat: HOME[int(seat)], "centre": lambda _: CENTRE}.get(kind)
    return ("rot_cw", cell(number)) if cell else ("roll",) if kind == "die" else None


# ---- what happened, step by step ----------------------------------------------------------------------------------------------


def steps(before, after, events):
    """Along the real path: the die, the arrow held up, each leg, the edge, bumps, the tile turned over, the disk."""
    showing, pos, kinds = kit.Showing(), before.state.pos.tolist(), Table(after).kinds

    def show(event, ms, *brought, flash=(), token=None, at=None, lift=0):
        """One step. What is `brought`, as (id, cell): an arrow held up or turned over, a label, a face of the die; tokens stand above."""
        go = {}
        if token is not None:
            pos[token] = pos[token] if at is None else at
            x, y = PLACES[pos[token]]
            go[f"token-{token}"] = (x, y - lift)
        bring = {id: DIE if cell is None else art.above(cell) if id.startswith("note") else PLACES[cell] for id, cell in brought}
        showing.step(event, ms, go=go, bring=bring, flash=flash, stay=lambda id: DIE not in bring.values() and id.startswith("face"))

    for k, event in enumerate(events):
        a = event.args
        who = a[0] if a else None
        match event.name:
            case "rolls" | "opens":
                show(k, 420, (f"face-{a[1]}", None), flash=(f"face-{a[1]}",))
                first, cell = events[k + 1] if k + 1 < len(events) else event, pos[who]
                if first.name == "travels" and PRINTED[cell] == TILE_SPACE:  # R9: lifted, so that everybody sees the arrow
                    opposite = kinds[cell] == OPPOSITE
                    way = first.args[2] ^ 4 if opposite else first.args[2]
                    show(None, 500, (f"show-{way}", cell), *[("note-opposite", cell)] * opposite, token=who, lift=LIFT)
            case "travels":
                for walked in range(a[1]):
                    show(None if walked else k, 140, token=who, at=NEXT[pos[who]][a[2]])
            case "overshoots":
                show(k, 260, ("note-past", CENTRE), flash=("centre",))
            case "uncovers_edge" | "turns_over":
                edge, over = event.name == "uncovers_edge", f"over-{a[1] & 7}"
                show(k, 620 if edge else 520, (over, a[0]), *[("note-edge", a[0])] * edge, flash=(over,))
            case "follows_edge":
                show(k, 480, (f"show-{a[2]}", a[1]), ("note-edge", a[1]), flash=(f"show-{a[2]}",))
            case "follows_corner":
                show(k, 360, flash=[f"corner-{HOME.index(a[0])}"])
            case "lost_at_edge" | "lost_at_corner":
                show(None, 420, ("note-off", a[1]), token=who)
                show(k, 420, token=who, at=HOME[who])
            case "bumps":
                show(None, 240, ("note-bump", a[1]), token=who, flash=(f"token-{a[2]}",))
                show(k, 420, token=a[2], at=HOME[a[2]])
            case "will_head" | "will_head_opposite":
                long, note = (420, "note-next") if event.name == "will_head" else (520, "note-opposite")
                show(k, long, (f"show-{a[1]}", pos[who]), (note, pos[who]))
                show(None, 160, token=who)
            case "auto_flip":
                show(k, 420, ("note-flip", pos[who]), token=who, flash=(f"disk-{who}",))
            case "lose_turn":
                show(k, 520, ("note-lose", pos[Table(before).seat]), flash=(f"disk-{who}",))
            case "roll_again" | "rolls_on":
                at = a[2] if event.name == "rolls_on" else pos[who]
                show(k, 420, ("note-again", at), token=who, at=at)
            case "teleports":
                show(k, 520, token=who, at=a[1], flash=(f"tile-{a[1]}",))
            case "turns_free" | "turns_own" | "turns_under":  # in place, under any token on it; a covered one only lights up
                lit, place = (f"tile-{a[1]}",), PLACES[a[1]]
                show(k, 0, flash=lit)
                go = {} if before.state.face[a[1]] == rules.FACE_UNKNOWN else {lit[0]: (*place, -90 if a[-1] else 90)}
                go |= {f"token-{seat}": place for seat in range(SEATS) if pos[seat] == a[1]}
                showing.step(None, 380, go=go, flash=lit, stay=lambda id: True)
            case "flips_disk":
                show(k, 260, flash=(f"disk-{who}",))
            case "misses":
                show(k, 460, ("note-miss", HOME[who]), flash=(f"disk-{who}",))
            case "wins":
                show(k, 700, flash=("centre",))
            case _:
                show(k, 200)
    return showing.done()


def text(view) -> str:
    """For terminals: arrows of face-up tiles (Opposite: as the token will head), marks of tokens, the star in the centre."""
    t = Table(view)
    cells = []
    for cell, face in enumerate(t.face):
        way = t.heading(cell) if face or PRINTED[cell] != TILE_SPACE else None
        cells.append(ARROWS[way] if way is not None else "?" if face else "·")
    cells[CENTRE] = "★"
    for seat in t.seats:
        cells[t.pos[seat]] = MARKS[seat]
    rows = [" ".join(cells[SIDE * r : SIDE * (r + 1)]) for r in range(SIDE)]
    disks = "  ".join(f"{MARKS[k]} {'light' if t.light[k] else 'dark'}" for k in t.seats)
    return "\n".join([*rows, f"disks: {disks}   pot: {t.points}"])

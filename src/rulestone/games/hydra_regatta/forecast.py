"""What the table predicts about a position: how far ships get, what their dice are worth, who is ahead.

Everything asks the rules except `reach`, which looks at hundreds of voyages; tests check it against the rules.

The `t` of these functions is the fields of a view (`fields`).
"""

from functools import lru_cache

from rulestone.kernel import rule
from rulestone.table import kit

from . import content, rules
from .content import EXITS, MAX_DOTS
from .rules import exit_to, here, icon_at, may_step, occupied, path_rule_applies, progress

TABLES = ("KIND", "EFFECT", "PARAMETER", "ICON", "LANE", "ANGLE", "ENTRY", "START_DOT")
KIND, EFFECT, PARAMETER, ICON, LANE, ANGLE, ENTRY, START_DOT = (getattr(content, name).tolist() for name in TABLES)
WAYS_OUT = [[dot.exits for dot in wedge.dots] for wedge in content.COURSE]


class Reach:
    """Where a ship can get: `ends` for each movement, `battles` at Hydras, `cost` of each dot, `safe` the protected ones."""

    def __init__(self):
        self.ends, self.battles, self.cost, self.safe = [], set(), {}, set()


@lru_cache(256)
def reach(top, others, start, first, dice, fish, moved, totals, protection, options):
    """Every way on from `start` (a place; `first` = the only exit to take, -1: any), for several amounts of movement left.

    One wave per dot: a ship is known by its place, boosts met, fish, and the movement it needed to get there (a ship with less
    stops before a boost that would carry it on). `protection` = the last protected dot of the turn. Favors are left
    out. `options`: whether skipped whirlpools keep their rule (Q18), and whether a Hydra may be battled under protection (Q24).
    """
    restricted, battles = options
    found = Reach()
    found.ends = [set() for _ in totals]
    wave = {(start, 0, fish, 0)}
    step, most = 0, max(totals)
    while wave and step < 60:
        step += 1
        landed = set()
        for place, boosts, fish_, needed in wave:
            needed = max(needed, step - rules.BOOST * boosts)
            todo = [(place, fish_, first if step == 1 else -1, False)]
            while todo:
                here, have, only, skipping = todo.pop()
                slot, dot = divmod(here, MAX_DOTS)
                wedge = top[slot]
                icon = ICON[wedge][dot]
                for e, (label, target) in enumerate(WAYS_OUT[wedge][dot]):
                    if only >= 0:
                        if e != only % 4:
                            continue
                        ruled = only < 4
                    else:
                        ruled = not skipping or restricted
                    rest = have
                    if ruled and icon == content.IS.CHARYBDIS and only < 0 and label not in dice:
                        continue
                    if ruled and icon == content.IS.SCYLLA:
                        if label > have:
                            continue
                        rest = have - label
                    if target >= MAX_DOTS:
                        next_slot = (slot + 1) % content.RING_SLOTS
                        target = ENTRY[top[next_slot]][target - MAX_DOTS]
                    else:
                        next_slot = slot
                    goal = next_slot * MAX_DOTS + target
                    met = ICON[top[next_slot]][target]
                    if met == content.IS.START:
                        rest = min(rules.MAX_FISH, rest + rules.LINE_FISH)
                    if goal in others:
                        todo.append((goal, rest, -1, True))
                        continue
                    if met == content.IS.FISH:
                        rest = min(rules.MAX_FISH, rest + 1)
                    found.cost.setdefault(goal, step)
                    safe = moved + step <= protection
                    if safe:
                        found.safe.add(goal)
                    if met == content.IS.HYDRA and (battles if safe else not rest):
                        found.battles.add(goal)
                        for total, ends in zip(totals, found.ends, strict=True):
                            if needed <= total:
                                ends.add(goal)
                    if met == content.IS.HYDRA and not safe:
                        if not rest:
                            continue
                        rest -= 1
                    landed.add((goal, boosts + (met == content.IS.BOOST), rest, needed))
        wave = set()
        for state in landed:
            for total, ends in zip(totals, found.ends, strict=True):
                if step == total + rules.BOOST * state[1] and state[3] <= total:
                    ends.add(state[0])
            if step < most + rules.BOOST * state[1]:
                wave.add(state)
    return found


def fields(view):
    """The fields of a view; if all roll at the same time, the phase is that of the player to move."""
    t = kit.Fields(view)
    t.together = t.phase == rules.NAV and t.ask(rules.together)
    if t.together:
        t.phase = t.stage[t.mover]
    return t


def offset_of(t, slot):
    """How many places after the line a slot lies."""
    return (slot - t.start_slot) % content.RING_SLOTS


def ranking(t):
    """Each player's rank, 0 for the leader; None until all ships are on the course."""
    if rules.NONE in t.pos[: t.players]:
        return None
    keys = t.ask(all_progress)
    return [sum(other > key for other in keys) for key in keys]


@rule
def all_progress(s):
    """How far along everybody is."""
    return [progress(s, player) for player in range(s.players)]


def counting(t, p):
    """The Movement dice on a board that count: none while a bust is still to be accepted (R19)."""
    return () if t.d2[p] and rules.busts(t.d1[p], t.d2[p]) else tuple(die for die in (t.d1[p], t.d2[p]) if die)


def sailing(t, p):
    """Is this the ship that is sailing now?"""
    return p == t.mover and t.phase in (rules.MOVE, rules.HYDRA, rules.ENDWIN)


def slowed(t, p):
    """Q32: how much shorter Aeolus makes the voyage that the dice on a board are for; 0 for a player who has sailed."""
    place = (p - t.fleece) % t.players
    sailed = t.phase > rules.VALUE and (place < t.turn or (place == t.turn and t.phase != rules.WEDGE))
    return 0 if sailed else sum(PARAMETER[card] for card in t.slots[p] if card != rules.NONE and EFFECT[card] == content.DOES.SLOW)


def movement(t, p, dice=None):
    """R21, Q32: how far a ship sails with the dice on its board, or with these Movement dice."""
    dice = sum(counting(t, p) if dice is None else dice)
    return t.ask(rules.foretell, p, dice)[0] if slowed(t, p) else t.ask(rules.navigation, p) + dice


def last_harmless(t, p):
    """R53, Q23: the last dot of the turn on which Hydras are ignored, 0 for none; curses included."""
    return t.ask(rules.last_harmless, t.prot) if sailing(t, p) else t.ask(rules.foretell, p, 0)[1]


def fork(t):
    """The dot whose exits are in question, its icon, whether its path rule holds, and (exit, label, open, goal, occupied) of each exit."""
    place, icon, ruled, exits = t.ask(ways_on)
    labels = WAYS_OUT[t.top[place // MAX_DOTS]][place % MAX_DOTS]
    return place, icon, ruled, [(e, label, *exits[e]) for e, (label, _) in enumerate(labels)]


@rule
def ways_on(s):
    """All that `fork` asks the rules, at once."""
    goals = [exit_to(s, e) for e in range(EXITS[s.top[here(s) // MAX_DOTS], here(s) % MAX_DOTS])]
    exits = [(may_step(s, e) == 0, goal, occupied(s, s.to_move, goal)) for e, goal in enumerate(goals)]
    return here(s), icon_at(s, here(s)), path_rule_applies(s), exits


def reach_of(t, p, totals, first=-1, dice=None):
    """`reach` for the position, from where the ship is; `totals` as `movement` gives them."""
    under_way = t.phase == rules.MOVE and p == t.mover
    start = t.cur if under_way and t.flags & rules.SKIP else t.pos[p]
    others = frozenset(t.pos[q] for q in range(t.players) if q != p)
    dice = dice or (t.nav[p], t.d1[p], t.d2[p])
    options = (t.skip_whirlpool == rules.RESTRICTED, bool(t.protected_battle))
    moved = t.moved if under_way else 0
    return reach(tuple(t.top), others, start, first, dice, t.fish[p], moved, tuple(totals), last_harmless(t, p), options)


def outlook(t, p):
    """Before the second roll: for each end dot the numbers of the second die that lead there; x for a bust (R30)."""
    rolls = {}  # by the faces that matter to Charybdis: the results of the second die, with the movement they give
    for value in range(t.d1[p], 7):
        rolls.setdefault(tuple(sorted({t.nav[p], t.d1[p], min(value, 4)})), {})[str(value)] = movement(t, p, (t.d1[p], value))
    if t.d1[p] > 1:
        rolls.setdefault((t.nav[p],), {})["x"] = movement(t, p, ())
    marks = {}
    for dice, totals in rolls.items():
        found = reach_of(t, p, totals.values(), dice=dice)
        for words, ends in zip(totals, found.ends, strict=True):
            for place in ends:
                marks.setdefault(place, []).append(words)
    return {place: short(sorted(words)) for place, words in marks.items()}


def short(words):
    """Numbers in a row as a range: 3-5."""
    digits = [word for word in words if word != "x"]
    bust = ["x"] * (len(digits) < len(words))
    row = len(digits) > 2 and int(digits[-1]) - int(digits[0]) == len(digits) - 1
    return "".join([f"{digits[0]}-{digits[-1]}" if row else ",".join(digits), *bust])


def held_wedges(t):
    """The wedges that the player to move has to place."""
    return [t.gaia] if t.phase == rules.GAIA else [wedge for wedge in t.hand[t.mover] if wedge != rules.NONE]

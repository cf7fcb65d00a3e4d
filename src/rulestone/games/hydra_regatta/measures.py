"""What the lab measures in the Hydra Regatta beyond the usual: race, push-your-luck, fish, Hydras, whirlpools, wedges, Favors."""

import numpy as np

from rulestone.kernel import rule
from rulestone.measures import Measures, choice, memory, number, ratio, tally, yes_no

from .content import (
    ANGLE,
    COURSE,
    DOES,
    EFFECT,
    EXITS,
    GODS,
    ICON,
    IS,
    KIND,
    KINDS,
    LABEL,
    LANE,
    LANES,
    MAX_DOTS,
    MAX_EXITS,
    PARAMETER,
    RING_SLOTS,
    STARTER,
    TYPE,
    WEDGE_NAMES,
)
from .rules import (
    ACTIONS,
    BOOST,
    BY_ANGLE,
    EVENTS,
    GAIA,
    LINE_FISH,
    MAX_FISH,
    NONE,
    OVER,
    WEDGES_COVER,
    path_rule_applies,
    progress,
)

SEATS = 8  # places of a measure that each player has
LANE_NAMES = ("A", "B", "C", "D")
MEETINGS = ("protected", "fed", "battled", "Artemis")
PROTECTED, FED, BATTLED, IGNORED = range(4)
FROM_DOT, FROM_LINE, FROM_FAVOR, FROM_THEFT = range(4)
FOR_NAV, FOR_SECOND, FOR_HYDRA, FOR_SCYLLA, FOR_CURSE, FOR_THIEF = range(6)
SHORTER, SAME, LONGER = range(3)
DICE = tuple(str(die) for die in range(1, 7))
DIE_AND_FISH = tuple(f"{die} with {fish}{' or more' * (fish == 3 < MAX_FISH)} fish" for die in DICE for fish in range(4))
SLOW_MINUTES, TURN_SECONDS = 45, 75
WITH = tuple(f"with_{god.name.lower()}" for god in GODS)
HAD = {"boat": "had", "bolt": "revealed", "trident": "was hit by"}
GOD_NAMES = tuple(god.name for god in GODS)

# ---- the shortest ways ----------------------------------------------------------------------------------------------------

FAR = 99


def _further(cost: int, ways: np.ndarray) -> np.ndarray:
    """Ways that start with one more dot; what can't be reached stays unreachable."""
    return np.where(ways < FAR, ways + cost, FAR)


LEAVE = np.full((len(COURSE), MAX_DOTS, LANES), FAR, np.int16)
"""The least movement from a dot to each seam of its wedge: 1 per dot, BOOST less for a boost; FAR if there is no way."""
CROSS = np.full((len(COURSE), LANES, LANES), FAR, np.int16)
"""The same from seam to seam."""
PATH = np.zeros((len(COURSE), MAX_DOTS, MAX_EXITS), np.int16)
"""The same for each exit of a dot, to the nearest seam."""
for _w, _wedge in enumerate(COURSE):
    _cost = [1 - BOOST * (dot.icon == "+") for dot in _wedge.dots]
    for _d in sorted(range(len(_wedge.dots)), key=lambda d: -_wedge.dots[d].angle):
        for _e, (_, _to) in enumerate(_wedge.dots[_d].exits):
            _seam = np.array([0 if lane == _to - MAX_DOTS else FAR for lane in range(LANES)])
            _way = _seam if _to >= MAX_DOTS else _further(_cost[_to], LEAVE[_w, _to])
            PATH[_w, _d, _e] = _way.min()
            LEAVE[_w, _d] = np.minimum(LEAVE[_w, _d], _way)
    for _lane, _entry in enumerate(_wedge.entries):
        CROSS[_w, _lane] = _further(_cost[_entry], LEAVE[_w, _entry])

SLOT_NAMES = ["the wedge with the line", *(f"{k} after the line" for k in range(1, RING_SLOTS))]

# ---- the measures ---------------------------------------------------------------------------------------------------------

MEASURES = Measures(
    ship_turns=number("turns", 240, seconds=TURN_SECONDS),
    rounds=number("rounds", 60, says="A race takes {mean} rounds."),
    slow=yes_no(f"longer than {SLOW_MINUTES} minutes at {TURN_SECONDS} seconds a turn"),
    # Start and finish.
    placing=choice("order of placing Ships", ("first", "second", "third", "fourth"), each=True),
    last_placer=yes_no("placed last and got the first Fleece", each=True),
    starter=choice("Starter Favor", tuple(GODS[TYPE[card]].name for card in STARTER), each=True),
    lane=choice("start lane", LANE_NAMES, each=True),
    last_order=choice("order in the last round", ("first", "second", "third", "fourth"), each=True),
    overtaken=yes_no(
        "the first to finish is overtaken in the last round", says="The first Ship to finish is overtaken in {share} of races."
    ),
    same_wedge=yes_no("first and second end on the same wedge"),
    other_rule=yes_no("the other reading of who is ahead on a wedge would change the winner"),
    spread=number("movement between first and last place at the end", 120),
    lead_changes=number("rounds that end with a new leader"),
    comeback=yes_no("the last at half-time wins", says="The player in last place at half-time wins {share} of races."),
    # The Golden Fleece.
    fleece_rounds=number("rounds with the Fleece", 40, each=True),
    fleece_turns=number("turns with the Fleece"),
    fleece_moves=number("movement gained by the Fleece", 200),
    fleece_worth=ratio("movement gained per turn with the Fleece", of="fleece_moves", to="fleece_turns"),
    # The dice.
    movement=number("movement from dice", 400, each=True),
    asked=tally("first die and fish: decisions", DIE_AND_FISH, shape=(6, 4)),
    dared=tally("first die and fish: second die rolled", DIE_AND_FISH, shape=(6, 4)),
    dares=number("second dice rolled", 120),
    busts=number("busts", 60),
    bust_rate=ratio("share of second dice that bust", of="busts", to="dares"),
    won_movement=number("movement won by second dice", 400),
    lost_movement=number("movement lost to busts", 400),
    dare_gain=ratio("movement won per second die", of="won_movement", to="dares"),
    dare_loss=ratio("movement lost per second die", of="lost_movement", to="dares"),
    dares_by_die=tally("second dice rolled, by first die", DICE),
    gain_by_die=tally("movement won by second dice, by first die", DICE),
    loss_by_die=tally("movement lost to busts, by first die", DICE),
    # Fish.
    fish_income=tally("fish from", ("dots", "the line", "Favors", "theft")),
    fish_spent=tally("fish for", ("Navigation", "the second die", "Hydras", "Scylla", "curses and Zeus", "thieves")),
    wasted=number("fish without room on the board", 100),
    boards=number("boards checked at the end of a round", 240),
    full_boards=number(f"of these, boards with {MAX_FISH} fish", 240),
    full_share=ratio(f"share of time with {MAX_FISH} fish", of="full_boards", to="boards"),
    # Hydras.
    meetings=tally("Hydras by lane", [f"{lane} {how}" for lane in LANE_NAMES for how in MEETINGS], shape=(4, 4)),
    meetings_by_lap=tally("Hydras by lap", [f"lap {lap} {how}" for lap in (1, 2, 3) for how in MEETINGS], shape=(3, 4)),
    met=number("Hydras met", 60, each=True),
    battles=number("battles with a Hydra", 30, each=True),
    all_battles=number("battles of all players", 60),
    battle_moves=number("movement lost in battles", 200),
    battle_loss=ratio("movement lost per battle", of="battle_moves", to="all_battles"),
    # Whirlpools.
    charybdis=tally("paths out of Charybdis", ("1", "2", "3")),
    scylla=tally("fish paid to Scylla", ("0", "1", "2")),
    passages=number("whirlpools left by a path", 100),
    choices=number("of these, by choice", 100),
    choice_share=ratio("share of whirlpools left by choice", of="choices", to="passages"),
    detour=number("movement lost compared with the best path", 200),
    detour_mean=ratio("movement lost per whirlpool compared with the best path", of="detour", to="passages"),
    ended_on=number("turns ended on a whirlpool", 60),
    # Wedges.
    placed=number("wedges placed", 12, each=True),
    all_placed=number("wedges placed by all players", 20),
    stack_empty=yes_no("the stack of wedges runs out"),
    placed_before=tally("wedges placed in front of", ("their own Ship", "the leader", "the last", "another player")),
    own_way=tally("a wedge makes its owner's way", ("shorter", "no different", "longer")),
    others_way=tally("a wedge makes another player's way", ("shorter", "no different", "longer")),
    own_shorter=number("movement saved for their owner by wedges", 60),
    own_longer=number("movement added for their owner by wedges", 60),
    others_shorter=number("movement saved for others by wedges", 120),
    others_longer=number("movement added for others by wedges", 120),
    lap_shorter=tally("movement saved in a lap by the wedge", WEDGE_NAMES),
    lap_longer=tally("movement added to a lap by the wedge", WEDGE_NAMES),
    # Favors.
    **{name: yes_no(f"{HAD[god.kind]} {god.name}", each=True) for name, god in zip(WITH, GODS, strict=True)},
    favor_kinds=tally("Favors revealed", KINDS),
    favor_kept=tally("Favors kept in a slot", GOD_NAMES),
    favor_used=tally("Favors used", GOD_NAMES),
    favor_thrown=tally("Favors discarded unused", GOD_NAMES),
    favor_left=tally("Favors left on boards at the end", GOD_NAMES),
    crowded_boards=number("boards with both Favor slots full at the end of a round", 240),
    crowded_share=ratio("share of time with both Favor slots full", of="crowded_boards", to="boards"),
    # The track.
    traffic=tally("dots sailed, by wedge after the line", SLOT_NAMES, cells="slot-{}"),
    lanes=tally("dots sailed by lane", LANE_NAMES),
    laps_by_lane=tally("laps sailed mostly in lane", LANE_NAMES),
    dots_by_lane=tally("dots in laps sailed mostly in lane", LANE_NAMES),
    lap_dots=number("dots in completed laps", 1000),
    laps_done=number("laps completed", 16),
    lap_length=ratio("dots in a lap", of="lap_dots", to="laps_done"),
    skips=number("Ships skipped, each saving one movement", 60, each=True),
    # What the rules below remember of the race so far.
    source=memory(),
    wanted=memory(),
    holder=memory(),
    finisher=memory(),
    leader=memory(),
    half_last=memory(),
    seen_round=memory(),
    nav=memory(4),
    at=memory(4),
    left=memory(4),
    laps=memory(4),
    lap_lanes=memory(4 * LANES),
    cost=memory(2 * LANES),
)
FIRST_WITH = MEASURES.place[WITH[0]]


@rule
def opening(s, out):
    """Starters and the order of placing; in a position written by hand also where the Ships are."""
    out[MEASURES.holder] = s.fleece
    out[MEASURES.finisher] = out[MEASURES.leader] = out[MEASURES.half_last] = -1
    for index in range(s.players):
        p = s.order0[index]
        out[MEASURES.placing + p] = index
        out[MEASURES.last_placer + p] = index == s.players - 1
    for p in range(s.players):
        out[MEASURES.lane + p] = -1
        out[MEASURES.nav + p] = s.nav[p]
        if s.pos[p] != NONE:
            dot = s.top[s.pos[p] // MAX_DOTS] * MAX_DOTS + s.pos[p] % MAX_DOTS
            out[MEASURES.at + p] = out[MEASURES.left + p] = dot
        for number_ in range(4):
            if s.slots[p, 0] == STARTER[number_]:
                out[MEASURES.starter + p] = number_
    follow(s, out)


@rule
def before(s, action, out):
    """What is decided, and what a wedge would change."""
    p = s.to_move
    if ACTIONS.hold.includes(action) or ACTIONS.roll2.includes(action):
        cell = 4 * (s.d1[p] - 1) + min(s.fish[p], 3)
        out[MEASURES.asked + cell] += 1
        if ACTIONS.roll2.includes(action):
            out[MEASURES.dared + cell] += 1
            out[MEASURES.dares] += 1
            out[MEASURES.dares_by_die + s.d1[p] - 1] += 1
    elif ACTIONS.nav_reroll.includes(action):
        out[MEASURES.fish_spent + FOR_NAV] += 1
    elif ACTIONS.reroll2.includes(action):
        out[MEASURES.fish_spent + FOR_SECOND] += 1
    elif ACTIONS.use.includes(action):
        use(p, s.slots[p, ACTIONS.use.argument(action)], out)
    elif ACTIONS.step.includes(action):
        out[MEASURES.choices] += path_rule_applies(s)
    elif ACTIONS.wedge.includes(action):
        wedge = s.gaia if s.phase == GAIA else s.hand[p, ACTIONS.wedge.argument(action)]
        judge_wedge(s, p, wedge, ACTIONS.wedge.argument(action, 1), out)


@rule
def after(s, action, player, out):
    """The events, and where everybody is when a round is over."""
    follow(s, out)
    if s.round != out[MEASURES.seen_round] or s.phase == OVER:
        if out[MEASURES.seen_round] > 0:
            end_round(s, out)
        out[MEASURES.seen_round] = s.round


@rule
def finish(s, out):
    """The order of the finish."""
    n = s.players
    first = s.rank[0]
    out[MEASURES.rounds] = s.round
    out[MEASURES.ship_turns] = s.round * n
    out[MEASURES.slow] = s.round * n * TURN_SECONDS > SLOW_MINUTES * 60
    for p in range(n):
        out[MEASURES.last_order + p] = (p - s.fleece) % n
        out[MEASURES.all_placed] += out[MEASURES.placed + p]
        out[MEASURES.all_battles] += out[MEASURES.battles + p]
        for k in range(2):
            if s.slots[p, k] != NONE:
                out[MEASURES.favor_left + TYPE[s.slots[p, k]]] += 1
    out[MEASURES.overtaken] = out[MEASURES.finisher] != first
    out[MEASURES.same_wedge] = progress(s, first) // 64 == progress(s, s.rank[1]) // 64
    best = first
    nearest = FAR * RING_SLOTS * 9
    farthest = 0
    for p in range(n):
        if other_progress(s, p) > other_progress(s, best):
            best = p
        left = to_go(s, p, s.race + 1, NONE, 0, out)
        nearest = min(nearest, left)
        farthest = max(farthest, left)
    out[MEASURES.other_rule] = best != first
    out[MEASURES.spread] = farthest - nearest
    out[MEASURES.comeback] = out[MEASURES.half_last] == first if out[MEASURES.half_last] >= 0 else -1
    out[MEASURES.stack_empty] = s.stack_n == 0


# ---- parts ----------------------------------------------------------------------------------------------------------------


@rule
def follow(s, out):
    """The events of a move, in order."""
    for k in range(min(s.told, s.story.shape[0])):
        event = s.story[k, 1]
        who = s.story[k, 2]
        if event == EVENTS.sails:
            sail_on(who, s.story[k, 3], out)
            out[MEASURES.traffic + (s.story[k, 4] - s.start_slot) % RING_SLOTS] += 1
        elif event <= EVENTS.keeps_fleece:
            follow_start(event, who, s.story[k, 3], out)
        elif event == EVENTS.voyage:
            out[MEASURES.movement + who] += s.story[k, 3]
            if who == out[MEASURES.holder]:
                out[MEASURES.fleece_turns] += 1
                # R11: the die once more. Q32: Aeolus leaves 1 movement in any case, and that without the Fleece too.
                out[MEASURES.fleece_moves] += min(out[MEASURES.nav + who], s.story[k, 3] - 1)
        elif event == EVENTS.nav or event == EVENTS.set_nav or event == EVENTS.dice:
            out[MEASURES.nav + who] = s.story[k, 3]
        elif event == EVENTS.success:
            out[MEASURES.won_movement] += s.story[k, 4]
            out[MEASURES.gain_by_die + s.story[k, 3] - 1] += s.story[k, 4]
        elif event == EVENTS.bust:
            out[MEASURES.busts] += 1
            out[MEASURES.lost_movement] += s.story[k, 4]
            out[MEASURES.loss_by_die + s.story[k, 4] - 1] += s.story[k, 4]
        elif event == EVENTS.lap:
            complete_lap(s, who, s.story[k, 3], out)
        elif event == EVENTS.skips:
            out[MEASURES.skips + who] += 1
            out[MEASURES.left + who] = s.story[k, 3]  # Q18: the next way leads out of the skipped dot
        elif event == EVENTS.places:
            out[MEASURES.placed + who] += 1
        elif event == EVENTS.path or event == EVENTS.pays_scylla:
            leave_whirlpool(event, who, s.story[k, 3], out)
        elif event == EVENTS.protected:
            meet(who, PROTECTED, out)
        elif event == EVENTS.feeds:
            out[MEASURES.fish_spent + FOR_HYDRA] += 1
            meet(who, FED, out)
        elif event == EVENTS.battles or event == EVENTS.fights:
            out[MEASURES.battles + who] += 1
            out[MEASURES.battle_moves] += s.story[k, 3]
            meet(who, BATTLED, out)
        elif event >= EVENTS.bolt and event <= EVENTS.makes_room:
            follow_favor(s, event, k, out)
        else:
            follow_fish(event, who, s.story[k, 3], out)


@rule
def follow_start(event, who, what, out):
    """Setup and the Golden Fleece."""
    if event == EVENTS.starter:
        have(who, what, out)
        out[MEASURES.favor_kept + TYPE[what]] += 1
    elif event == EVENTS.ship:
        out[MEASURES.lane + who] = what
    elif event == EVENTS.first_fleece or event == EVENTS.fleece or event == EVENTS.keeps_fleece:
        out[MEASURES.holder] = who
        out[MEASURES.fleece_rounds + who] += 1


@rule
def follow_fish(event, who, count, out):
    """Where fish come from and what they are spent on; those for Hydras and Scylla are counted there."""
    if event == EVENTS.fish:
        out[MEASURES.fish_income + out[MEASURES.source]] += count
        out[MEASURES.wasted] += out[MEASURES.wanted] - count
    elif event == EVENTS.full:
        out[MEASURES.wasted] += out[MEASURES.wanted]
    elif event == EVENTS.loses_fish:
        out[MEASURES.fish_spent + FOR_CURSE] += count
    elif event == EVENTS.steals:
        out[MEASURES.fish_income + FROM_THEFT] += count
        out[MEASURES.fish_spent + FOR_THIEF] += count


@rule
def expect_fish(source, wanted, out):
    """Note where fish gained now come from."""
    out[MEASURES.source] = source
    out[MEASURES.wanted] = wanted


@rule
def sail_on(who, dot, out):
    """A Ship comes to a dot."""
    wedge = dot // MAX_DOTS
    lane = LANE[wedge, dot % MAX_DOTS]
    out[MEASURES.at + who] = out[MEASURES.left + who] = dot
    out[MEASURES.lanes + lane] += 1
    out[MEASURES.lap_lanes + LANES * who + lane] += 1
    if ICON[wedge, dot % MAX_DOTS] == IS.FISH:
        expect_fish(FROM_DOT, 1, out)


@rule
def complete_lap(s, who, lap, out):
    """A lap counts for the lane where most of it was sailed."""
    expect_fish(FROM_LINE, LINE_FISH, out)
    out[MEASURES.laps + who] = lap
    if lap >= s.race and out[MEASURES.finisher] < 0:
        out[MEASURES.finisher] = who
    lanes = MEASURES.lap_lanes + LANES * who
    most = 0
    dots = 0
    for lane in range(LANES):
        dots += out[lanes + lane]
        if out[lanes + lane] > out[lanes + most]:
            most = lane
    out[MEASURES.laps_by_lane + most] += 1
    out[MEASURES.dots_by_lane + most] += dots
    out[MEASURES.laps_done] += 1
    out[MEASURES.lap_dots] += dots
    for lane in range(LANES):
        out[lanes + lane] = 0


@rule
def meet(who, how, out):
    """A Hydra is met on the dot where the Ship is."""
    dot = out[MEASURES.at + who]
    out[MEASURES.met + who] += 1
    out[MEASURES.meetings + 4 * LANE[dot // MAX_DOTS, dot % MAX_DOTS] + how] += 1
    out[MEASURES.meetings_by_lap + 4 * min(2, out[MEASURES.laps + who]) + how] += 1


@rule
def leave_whirlpool(event, who, label, out):
    """A path out of a whirlpool, and how much longer it is than the shortest."""
    dot = out[MEASURES.left + who] % MAX_DOTS
    wedge = out[MEASURES.left + who] // MAX_DOTS
    out[MEASURES.passages] += 1
    if event == EVENTS.path:
        out[MEASURES.charybdis + label - 1] += 1
    else:
        out[MEASURES.scylla + label] += 1
        out[MEASURES.fish_spent + FOR_SCYLLA] += label
    best = FAR
    own = FAR
    for e in range(EXITS[wedge, dot]):
        best = min(best, PATH[wedge, dot, e])
        if LABEL[wedge, dot, e] == label:
            own = min(own, PATH[wedge, dot, e])
    if own < FAR:
        out[MEASURES.detour] += own - best


@rule
def use(who, card, out):
    """A Favor is used."""
    out[MEASURES.favor_used + TYPE[card]] += 1
    if EFFECT[card] == DOES.GAIN_FISH:
        expect_fish(FROM_FAVOR, PARAMETER[card], out)
    elif EFFECT[card] == DOES.IGNORE_HYDRA:
        meet(who, IGNORED, out)


@rule
def have(who, card, out):
    """Note that a player had something to do with a Favor."""
    out[FIRST_WITH + SEATS * TYPE[card] + who] = 1


@rule
def follow_favor(s, event, k, out):
    """Favors revealed, kept and discarded."""
    who = s.story[k, 2]
    card = s.story[k, 3]
    if event == EVENTS.replaces or event == EVENTS.makes_room:
        out[MEASURES.favor_thrown + TYPE[card]] += 1
        if event == EVENTS.replaces:
            have(who, s.story[k, 4], out)
            out[MEASURES.favor_kept + TYPE[s.story[k, 4]]] += 1
        return
    if event == EVENTS.declines:
        out[MEASURES.favor_thrown + TYPE[card]] += 1
        return
    if event == EVENTS.cursed:
        have(s.story[k, 4], card, out)
        return
    out[MEASURES.favor_kinds + KIND[card]] += 1
    if event == EVENTS.boat:
        have(who, card, out)
        out[MEASURES.favor_kept + TYPE[card]] += 1
    elif event == EVENTS.bolt:
        have(who, card, out)
        if EFFECT[card] == DOES.GAIN_FISH:
            expect_fish(FROM_FAVOR, PARAMETER[card], out)


@rule
def end_round(s, out):
    """Everybody has had a turn: who leads, who is last at half-time, and what is on the boards."""
    leader = 0
    furthest = 0
    last = 0
    for p in range(s.players):
        leader = p if progress(s, p) > progress(s, leader) else leader
        last = p if progress(s, p) < progress(s, last) else last
        furthest = max(furthest, s.laps[p])
        dot = s.pos[p]
        icon = ICON[s.top[dot // MAX_DOTS], dot % MAX_DOTS]
        out[MEASURES.ended_on] += icon in (IS.CHARYBDIS, IS.SCYLLA)
        out[MEASURES.boards] += 1
        out[MEASURES.full_boards] += s.fish[p] == MAX_FISH
        out[MEASURES.crowded_boards] += s.slots[p, 0] != NONE and s.slots[p, 1] != NONE
    out[MEASURES.lead_changes] += out[MEASURES.leader] >= 0 and out[MEASURES.leader] != leader
    out[MEASURES.leader] = leader
    if out[MEASURES.half_last] < 0 and 2 * furthest >= s.race and s.phase != OVER:
        out[MEASURES.half_last] = last


@rule
def other_progress(s, p):
    """How far along a Ship would be by the other reading of who is ahead on the same wedge (Q39)."""
    dot = s.pos[p] % MAX_DOTS
    wedge = s.top[s.pos[p] // MAX_DOTS]
    inner = 3 - LANE[wedge, dot]
    angle = ANGLE[wedge, dot]
    place = inner * 16 + angle if s.rank_in_wedge == BY_ANGLE else angle * 4 + inner
    return progress(s, p) // 64 * 64 + place


@rule
def judge_wedge(s, p, wedge, slot, out):
    """Whose way comes to this slot first, and how the shortest ways change when the wedge lies there."""
    laid = wedge if WEDGES_COVER else NONE
    nearest = p
    leader = p
    last = p
    for q in range(s.players):
        if (slot - s.pos[q] // MAX_DOTS) % RING_SLOTS < (slot - s.pos[nearest] // MAX_DOTS) % RING_SLOTS:
            nearest = q
        leader = q if progress(s, q) > progress(s, leader) else leader
        last = q if progress(s, q) < progress(s, last) else last
        change = to_go(s, q, s.race, laid, slot, out) - to_go(s, q, s.race, NONE, 0, out)
        effect = SHORTER if change < 0 else LONGER if change > 0 else SAME
        if q == p:
            out[MEASURES.own_way + effect] += 1
            out[MEASURES.own_shorter] += max(0, -change)
            out[MEASURES.own_longer] += max(0, change)
        else:
            out[MEASURES.others_way + effect] += 1
            out[MEASURES.others_shorter] += max(0, -change)
            out[MEASURES.others_longer] += max(0, change)
    whose = 0 if nearest == p else 1 if nearest == leader else 2 if nearest == last else 3
    out[MEASURES.placed_before + whose] += 1
    change = round_trip(s, laid, slot, out) - round_trip(s, NONE, 0, out)
    out[MEASURES.lap_shorter + wedge] += max(0, -change)
    out[MEASURES.lap_longer + wedge] += max(0, change)


@rule
def round_trip(s, wedge, slot, out):
    """Movement of the shortest lap from line to line, with `wedge` on `slot` (NONE: as the course lies)."""
    for lane in range(LANES):
        out[MEASURES.cost + lane] = 1
    for back in range(1, RING_SLOTS):
        go_back(s, (s.start_slot - back) % RING_SLOTS, wedge, slot, out)
    best = out[MEASURES.cost]
    for lane in range(1, LANES):
        best = min(best, out[MEASURES.cost + lane])
    return best


@rule
def to_go(s, p, laps, wedge, slot, out):
    """Movement a Ship needs to complete this many laps by the shortest way, ignoring Hydras and whirlpools."""
    here = s.pos[p] // MAX_DOTS
    dot = s.pos[p] % MAX_DOTS
    for lane in range(LANES):
        out[MEASURES.cost + lane] = 0
    crossings = laps - s.laps[p]
    for crossing in range(crossings):
        for lane in range(LANES):
            out[MEASURES.cost + lane] += 1
        for back in range(1, RING_SLOTS):
            there = (s.start_slot - back) % RING_SLOTS
            if crossing == crossings - 1 and there == here:
                return leave_from(s.top[there], dot, out)
            go_back(s, there, wedge, slot, out)
    return out[MEASURES.cost + LANE[s.top[here], dot]] if crossings > 0 else 0


@rule
def leave_from(wedge, dot, out):
    """The shortest way on from a dot, given the cost from each seam of its wedge."""
    best = out[MEASURES.cost] + LEAVE[wedge, dot, 0]
    for lane in range(1, LANES):
        best = min(best, out[MEASURES.cost + lane] + LEAVE[wedge, dot, lane])
    return best


@rule
def go_back(s, there, wedge, slot, out):
    """From the cost behind a slot to that before it, lane by lane."""
    top = wedge if wedge != NONE and there == slot else s.top[there]
    for lane in range(LANES):
        best = out[MEASURES.cost] + CROSS[top, lane, 0]
        for seam in range(1, LANES):
            best = min(best, out[MEASURES.cost + seam] + CROSS[top, lane, seam])
        out[MEASURES.cost + LANES + lane] = best
    for lane in range(LANES):
        out[MEASURES.cost + lane] = out[MEASURES.cost + LANES + lane]

"""What the lab measures in this game, besides what it measures in every game: the designer's questions (sheet, section 12)."""

import numpy as np

from rulestone.kernel import rule
from rulestone.measures import Measures, choice, memory, number, ratio, tally, yes_no

from .bot import rows
from .content import CHAIN_TO_WIN, GEAR_NAMES, KIND_NAMES, KINDS, LAST_SPACE, SIDES
from .rules import (
    ACTIONS,
    ALL,
    BLOCKED,
    CHAIN,
    CHAMPION_DRAFT,
    CLOSED,
    EVENTS,
    EYEBALL,
    HEADS,
    HEART,
    MEDUSA,
    MEDUSA_DRAFT,
    MEDUSAS_REASONS,
    OVER,
    PLACE,
    SECTION,
    STONE,
    can_grow,
    ends_into,
    first_to_close,
    grower,
    longest_chain,
    matches,
    open_end,
    open_ends,
    sections,
)

LATE = 8  # rounds: the eighth and later ones are counted together
TILE_NAMES = KIND_NAMES[:3]
GOALS = ("three Snakeheads", "petrified", "chain", "three captured", "closed in", "out of tiles")  # by bit of `reasons`
ENDINGS = (*GOALS, "Snakeheads and chain", "petrified and chain", "another combination", "goals of both sides")


def ending_of(reasons):
    """The index in ENDINGS of a set of reasons."""
    if reasons.bit_count() == 1:
        return reasons.bit_length() - 1
    if reasons & MEDUSAS_REASONS and reasons & ~MEDUSAS_REASONS:
        return 9
    return {HEADS | CHAIN: 6, STONE | CHAIN: 7}.get(reasons, 8)


ENDING = np.array([ending_of(reasons) for reasons in range(64)], np.int16)
OWN_SECTION, SHIELDED, TORCHED, COVERED = 2, 3, 4, 5  # what closed the last end; 0 and 1: her own Snakehead or Eyeball
SPACES = [f"space {cell}" for cell in range(1, LAST_SPACE + 1)]
OPPOSITE, OUTWARDS = 3, 4  # the second space; below 3: how many spaces apart

MEASURES = Measures(
    rounds=number("rounds", 12, seconds=90, says="A game takes {mean} rounds."),
    ending=choice("how it ends", ENDINGS),
    goals=tally("goals reached", GOALS),
    won_closed=yes_no(
        "Medusa wins with the reveal that closes her last end",
        says="In {share} of games Medusa wins with the tile that closes her in (Q25).",
    ),
    stack_out=yes_no("the stack runs out"),
    # The Champion's draft.
    equips_by_round=tally(
        "Champion's draft by round", [f"round {r}: {g}" for r in range(1, LATE + 1) for g in GEAR_NAMES], shape=(LATE, 4)
    ),
    equips_by_hearts=tally("Champion's draft by Hearts", [f"{h}: {g}" for h in ("two Hearts", "one Heart") for g in GEAR_NAMES]),
    heart_drafted=yes_no("the Champion drafts the Heart at least once"),
    heart_drafts=number("drafts of the Heart", 8),
    absorbed=number("Eyeballs absorbed by the drafted Heart", 1),
    absorbing=ratio("share of Heart drafts that absorb an Eyeball", of="absorbed", to="heart_drafts"),
    # Medusa's draft and her secret.
    drafts_by_round=tally("Medusa's draft", [f"round {r}: {k}" for r in range(1, LATE + 1) for k in TILE_NAMES], shape=(LATE, 3)),
    secret=choice("the secret tile", TILE_NAMES),
    secret_told=number("reveals until the secret tile is known", 18),
    # Answers. Numbers of one sort are in a row: the rules add the turn or the kind to the first.
    reveals_1=number("reveals in turn 1", 18),
    reveals_2=number("reveals in turn 2", 18),
    matches_1=number("matches in turn 1", 18),
    matches_2=number("matches in turn 2", 18),
    match_rate_1=ratio("match rate in turn 1", of="matches_1", to="reveals_1"),
    match_rate_2=ratio("match rate in turn 2", of="matches_2", to="reveals_2"),
    snakeheads_laid=number("Snakeheads placed", 6),
    eyeballs_laid=number("Eyeballs placed", 6),
    sections_laid=number("Snake Sections placed", 6),
    snakeheads_met=number("Snakeheads met by the Blade", 6),
    eyeballs_met=number("Eyeballs met by the Shield", 6),
    sections_met=number("Snake Sections met by the Torch", 6),
    snakehead_rate=ratio("match rate of Snakeheads", of="snakeheads_met", to="snakeheads_laid"),
    eyeball_rate=ratio("match rate of Eyeballs", of="eyeballs_met", to="eyeballs_laid"),
    section_rate=ratio("match rate of Snake Sections", of="sections_met", to="sections_laid"),
    unanswerable=number("second turns in which Medusa holds a kind whose weapon is gone", 18),
    unanswered=number("second turns in which she plays it", 18),
    unanswerable_rate=ratio(
        "share of second turns with a kind whose weapon is gone",
        of="unanswerable",
        to="reveals_2",
        says="In {share} of second turns Medusa holds a tile whose weapon is already spent.",
    ),
    unanswered_rate=ratio("share of these turns in which she plays it", of="unanswered", to="unanswerable"),
    # Eyeballs.
    hits=number("unshielded Eyeballs", 6),
    double_hit=yes_no("two unshielded Eyeballs in one round"),
    # Open ends, at the start of each round that was reached.
    ends_2=number("open ends in round 2", 14),
    ends_3=number("open ends in round 3", 14),
    ends_4=number("open ends in round 4", 14),
    ends_5=number("open ends in round 5", 14),
    ends_6=number("open ends in round 6", 14),
    ends_7=number("open ends in round 7", 14),
    closed_by=choice(
        "what closes the last end", ("own Snakehead", "own Eyeball", "own Snake Section", "Shield", "Torch", "Champion tile on the field")
    ),
    held_section=yes_no("closed in with a Snake Section in hand"),
    # The space that the Champion's tile takes up in turn 2.
    covers=number("second turns in which the Champion's tile covers an open end", 18),
    covers_best=number("second turns in which it covers an end of the longest row", 18),
    cover_rate=ratio("share of second turns with a covered end", of="covers", to="reveals_2"),
    cover_best_rate=ratio("share of second turns with an end of the longest row covered", of="covers_best", to="reveals_2"),
    skipped=number("skipped turns", 8),
    # Where tiles go, and chains.
    first_space=choice("the first space", [str(k) for k in range(1, 7)]),
    spaces=tally("where Medusa places her tiles", SPACES, cells=[f"space-{cell}" for cell in range(1, LAST_SPACE + 1)]),
    second_space=choice("the second space, seen from the first", ("the same", "next to it", "two apart", "opposite", "further out")),
    longest_row=number("longest row of Snake Sections", 6),
    threat=yes_no("an open end with three Snake Sections behind it"),
    shots=number("Snakeheads and Eyeballs placed to complete a chain", 12),
    chains=number("chains completed", 1),
    shot_rate=ratio("share of such tiles that complete the chain", of="chains", to="shots"),
    # Score states that a game passes through (after a reveal, while it is undecided).
    scores=tally(
        "score states",
        [f"{h} heads, {c} captured, {hearts}" for h in range(3) for c in range(3) for hearts in ("two Hearts", "one Heart")],
        shape=(9, 2),
    ),
    # Memory: the round and turn, earlier Eyeballs and the round of the last one, reveals, placements, the first space.
    round_=memory(),
    turn=memory(),
    hits_before=memory(),
    hit_round=memory(),
    revealed=memory(),
    placed=memory(),
    first_cell=memory(),
)


@rule
def opening(s, out):
    """Medusa holds her secret tile."""
    out[MEASURES.secret] = -1
    for kind in range(KINDS):
        if s.hand[kind] > 0:
            out[MEASURES.secret] = min(kind, SECTION)
    out[MEASURES.secret_told] = -1 if s.secret else 0
    out[MEASURES.closed_by] = -1
    out[MEASURES.held_section] = -1
    out[MEASURES.first_space] = -1
    out[MEASURES.second_space] = -1
    for round_ in range(6):
        out[MEASURES.ends_2 + round_] = -1
    note_score(s, out)


@rule
def before(s, action, out):
    """Count what is about to be drafted, placed or answered."""
    out[MEASURES.round_] = s.round
    out[MEASURES.turn] = s.turn
    out[MEASURES.hits_before] = s.hits
    late = min(s.round, LATE) - 1
    if s.phase == MEDUSA_DRAFT:
        out[MEASURES.drafts_by_round + 3 * late + min(ACTIONS.draft.argument(action), SECTION)] += 1
    elif s.phase == CHAMPION_DRAFT:
        gear = ACTIONS.equip.argument(action)
        out[MEASURES.equips_by_round + 4 * late + gear] += 1
        out[MEASURES.equips_by_hearts + (4 if s.live == 1 else 0) + gear] += 1
        if gear == HEART:
            out[MEASURES.heart_drafts] += 1
            out[MEASURES.heart_drafted] = 1
    elif s.phase == PLACE:
        count_placement(s, ACTIONS.place.argument(action), ACTIONS.place.argument(action, 1), out)


@rule
def after(s, action, player, out):
    """Count the result of a reveal, which is complete unless Medusa still has to rotate the tile."""
    if ACTIONS.respond.includes(action):
        count_reveal(s, out)
    elif not ACTIONS.rotate.includes(action):
        return
    for k in range(min(s.told, s.story.shape[0])):
        if s.story[k, 1] == EVENTS.drafted_stone:
            out[MEASURES.absorbed] += 1
    if s.hits > out[MEASURES.hits_before]:
        if out[MEASURES.hit_round] == out[MEASURES.round_]:
            out[MEASURES.double_hit] = 1
        out[MEASURES.hit_round] = out[MEASURES.round_]
    if s.fd_cell <= LAST_SPACE:
        return
    if out[MEASURES.threat] == 0 and sections(s) >= CHAIN_TO_WIN and longest_open_row(s, rows(s), False) >= CHAIN_TO_WIN:
        out[MEASURES.threat] = 1
    if s.phase != OVER:
        note_score(s, out)
        if s.round != out[MEASURES.round_] and s.round <= 7:
            out[MEASURES.ends_2 + s.round - 2] = open_ends(s, False, ALL)


@rule
def finish(s, out):
    """Count what the last position shows."""
    out[MEASURES.rounds] = s.round
    out[MEASURES.ending] = ENDING[s.reasons]
    for goal in range(6):
        out[MEASURES.goals + goal] = s.reasons >> goal & 1
    out[MEASURES.won_closed] = s.winner == MEDUSA and open_ends(s, False, 1, first_to_close(s)) == 0
    out[MEASURES.stack_out] = s.stack_n == 0
    out[MEASURES.hits] = s.hits
    out[MEASURES.skipped] = s.skips
    out[MEASURES.longest_row] = longest_chain(s, True) if sections(s) > 0 else 0
    out[MEASURES.chains] = s.reasons >> 2 & 1
    if s.reasons & CLOSED != 0:
        out[MEASURES.closed_by] = what_closed(s)
        held = 0
        for kind in range(SECTION, KINDS):
            held += s.hand[kind]
        out[MEASURES.held_section] = held > 0


# ---- Placing --------------------------------------------------------------------------------------------------------


@rule
def count_placement(s, kind, cell, out):
    """Count a tile that Medusa places face down."""
    out[MEASURES.placed] += 1
    out[MEASURES.spaces + cell - 1] += 1
    sides = SIDES[s.grid]
    if out[MEASURES.placed] == 1:
        out[MEASURES.first_cell] = cell
        out[MEASURES.first_space] = cell - 1
    elif out[MEASURES.placed] == 2:
        apart = (cell - out[MEASURES.first_cell]) % sides
        apart = min(apart, sides - apart)
        out[MEASURES.second_space] = OUTWARDS if cell > sides else OPPOSITE if 2 * apart == sides else apart
    if kind < SECTION and sections(s) >= CHAIN_TO_WIN and row_behind(s, cell, rows(s)) >= CHAIN_TO_WIN:
        out[MEASURES.shots] += 1
    if s.turn == 1:
        can = 0
        for held in range(KINDS):
            if s.hand[held] > 0 and s.equip[min(held, SECTION)] == 0:
                can = 1
        out[MEASURES.unanswerable] += can
        out[MEASURES.unanswered] += s.equip[min(kind, SECTION)] == 0
        if s.champ_cell[0] <= LAST_SPACE and ends_into(s, s.champ_cell[0]) != 0:
            out[MEASURES.covers] += 1
            depths = rows(s) if sections(s) > 0 else 0
            row = row_behind(s, s.champ_cell[0], depths)
            if row > 0 and row >= longest_open_row(s, depths, True):
                out[MEASURES.covers_best] += 1


@rule
def row_behind(s, cell, depths):
    """The longest row of Sections up to this space; the bot's `rows` counts as far as a chain needs."""
    most = 0
    for side in range(SIDES[s.grid]):
        tile = grower(s, cell, side)
        if tile >= 0:
            most = max(most, depths >> 3 * tile & 7)
    return most


@rule
def longest_open_row(s, depths, count_champion):
    """The longest row of Sections up to an open end."""
    most = 0
    for tile in range(s.n_tiles):
        if can_grow(s, tile):
            for side in range(SIDES[s.grid]):
                if open_end(s, tile, side, count_champion) >= 0:
                    most = max(most, depths >> 3 * tile & 7)
    return most


# ---- Reveals --------------------------------------------------------------------------------------------------------


@rule
def count_reveal(s, out):
    """Count a tile that was revealed and met the Champion's answer."""
    kind = min(s.last_kind, SECTION)
    matched = matches(s.last_kind, s.last_equip)
    out[MEASURES.reveals_1 + out[MEASURES.turn]] += 1
    out[MEASURES.matches_1 + out[MEASURES.turn]] += matched
    out[MEASURES.snakeheads_laid + kind] += 1
    out[MEASURES.snakeheads_met + kind] += matched
    out[MEASURES.revealed] += 1
    if s.secret == 0 and out[MEASURES.secret_told] < 0:
        out[MEASURES.secret_told] = out[MEASURES.revealed]


@rule
def note_score(s, out):
    """Remember that the game passes through this score state."""
    out[MEASURES.scores + 6 * min(s.heads, 2) + 2 * min(s.captured, 2) + (1 if s.live == 1 else 0)] = 1


@rule
def what_closed(s):
    """What closed the last end."""
    if open_ends(s, False, 1, first_to_close(s)) > 0:
        return COVERED
    if s.last_result == BLOCKED:
        return SHIELDED if s.last_kind == EYEBALL else TORCHED
    return min(s.last_kind, OWN_SECTION)

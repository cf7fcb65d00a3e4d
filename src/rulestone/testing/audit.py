"""The part of the contract that is checked in compiled code, over very many positions.

A template plays random games and checks positions along the way from the view of every player. It stops at the first violation and
reports where: `report` = (code, game, ply, viewer, positions checked, redealt worlds that differ from the truth). Game and ply are also
written along the way.
"""

from rulestone.kernel.chance import rand, stream
from rulestone.kernel.rule import int64, rule
from rulestone.kernel.sets import nth
from rulestone.kernel.sets import size as how_many
from rulestone.kernel.story import veil

TRUE, HIDDEN, WORLD, AGAIN, DICE, SPARE, PASSED, SLOTS = 0, 1, 2, 3, 4, 5, 6, 7
RUNS = 3
"""How often unnoticed moves are tried from a position, with different moves each time."""

WRONG = (
    "fine",
    "there is no legal action, but the game is not over",
    "legal actions are not in ascending order, or out of range",
    "more events were told in one move than ABOUT.story allows",
    "the game is longer than ABOUT.longest (or longest_for) says",
    "a payoff is outside [-1, 1]",
    "payoffs do not add up to zero, but ABOUT.zero_sum is True",
    "payoffs differ, but ABOUT.cooperative is True",
    "hide is not idempotent: hiding a hidden record changes it",
    "hide(redeal(hide(s, p), p), p) differs from hide(s, p)",
    "the player to move has other legal actions in their hidden record than in the true one",
    "a redealt world has other legal actions for the player who redealt it",
    "a redealt world does not end within the longest game",
    "hide changes the record, but ABOUT.perfect_information is True",
    "a move that the viewer does not notice (`seen` does not show its verb) changes what they see",
    "after moves that the viewer does not notice the turn passes, and what they see then depends on those moves",
    "legal does not list exactly the actions that may_VERB allows",
    "hide or redeal changes who decides at the same time",
)
UNLIKE, CHANGES = 9, 13
"""The codes that compare a view with the view of a redealt world, and with the truth."""


@rule
def audit_games(states, raw, start, count, seed, longest, facts, every, lists, report):
    """Play random games, and check each position with probability 1/every.

    The bits of `facts` are 1: zero sum, 2: cooperative, 4: perfect information, 8: the game gives reasons. `lists` has room for two lists
    of all actions.
    """
    s = states[TRUE]
    dice = states[DICE]
    moves, others = lists
    size = len(moves)
    for game in range(count):
        states[TRUE] = start[0]
        s.rng = stream(seed, game)
        dice.rng = stream(seed, game + 1000003)
        begin(s)  # noqa: F821
        while s.to_move >= 0:
            report[1] = game  # where it is, for whoever waits
            report[2] = s.ply
            somebody_decides(s)
            n = legal(s, moves)  # noqa: F821
            wrong = wrong_list(moves, n, size)
            if wrong == 0 and s.told > s.story.shape[0]:
                wrong = 3
            if wrong == 0 and s.ply >= longest:
                wrong = 4
            if wrong == 0 and rand(dice, every) == 0:
                report[4] += 1
                if facts & 8 and wrong_reasons(states, moves, n, size):
                    wrong = 16
                else:
                    wrong = wrong_views(states, raw, moves, n, others, longest, facts, report)
            if wrong > 0:
                report[0] = wrong
                return
            step(s, int64(moves[rand(s, n)]))  # noqa: F821
        wrong = wrong_end(s, facts)
        if wrong == 0 and rand(dice, every) == 0:
            report[4] += 1
            wrong = wrong_views(states, raw, moves, 0, others, longest, facts, report)
        if wrong > 0:
            report[0] = wrong
            report[2] = s.ply
            return


@rule
def somebody_decides(s):
    """If several players decide at the same time, pick one of them at random to move."""
    players = deciding(s)  # noqa: F821
    if players != 0:
        s.to_move = nth(players, rand(s, how_many(players)))


@rule
def wrong_list(moves, n, size):
    """Return 1 if the list of legal actions is empty, 2 if it's out of order or out of range, else 0."""
    if n < 1:
        return 1
    for k in range(n):
        if moves[k] < 0 or moves[k] >= size or (k > 0 and moves[k] <= moves[k - 1]):
            return 2
    return 0


@rule
def wrong_reasons(states, moves, n, size):
    """Return whether the list of legal actions differs from the actions that `may` allows."""
    s = states[TRUE]
    listed = 0
    for action in range(size):
        states[WORLD] = s
        if may(states[WORLD], action) == 0:  # noqa: F821
            if listed >= n or moves[listed] != action:
                return True
            listed += 1
    return listed != n


@rule
def wrong_end(s, facts):
    """Check the end of a game against the static facts. Returns a code from WRONG, 0 if all is well."""
    total = 0.0
    if s.told > s.story.shape[0]:
        return 3
    for player in range(s.players):
        if s.payoff[player] < -1.0 or s.payoff[player] > 1.0:
            return 5
        if facts & 2 and s.payoff[player] != s.payoff[0]:
            return 7
        total += s.payoff[player]
    if facts & 1 and (total > 1e-5 or total < -1e-5):
        return 6
    return 0


@rule
def wrong_views(states, raw, moves, n, others, longest, facts, report):
    """Check hidden information at one position, for every player and a spectator. Returns a code from WRONG, 0 if all is well."""
    s = states[TRUE]
    hidden = states[HIDDEN]
    world = states[WORLD]
    dice = states[DICE]
    for viewer in range(-1, s.players):
        report[3] = viewer
        states[HIDDEN] = s
        conceal(hidden, viewer)  # noqa: F821
        if facts & 4:
            hidden.rng = s.rng
            if not same(raw, TRUE, HIDDEN):
                return 13
            hidden.rng = 0
        states[AGAIN] = hidden
        conceal(states[AGAIN], viewer)  # noqa: F821
        if not same(raw, HIDDEN, AGAIN):
            return 8
        states[WORLD] = hidden
        world.rng = stream(dice.rng, viewer + 1)
        redeal(world, viewer)  # noqa: F821
        states[AGAIN] = world
        conceal(states[AGAIN], viewer)  # noqa: F821
        if not same(raw, HIDDEN, AGAIN):
            return 9
        world.rng = 0
        states[AGAIN] = s
        veil(states[AGAIN], viewer)
        if not same(raw, AGAIN, WORLD):
            report[5] += 1
        world.rng = stream(dice.rng, viewer + 1)
        together = deciding(s)  # noqa: F821
        if deciding(hidden) != together or deciding(world) != together:  # noqa: F821
            return 17
        if viewer >= 0 and viewer == s.to_move:
            if not same_list(moves, n, others, legal(hidden, others)):  # noqa: F821
                return 10
            if not same_list(moves, n, others, legal(world, others)):  # noqa: F821
                return 11
        if viewer != s.to_move and s.to_move >= 0:
            wrong = wrong_unnoticed(states, raw, others, viewer)
            if wrong > 0:
                return wrong
        if rand(dice, 4) == 0:
            while world.to_move >= 0:
                m = legal(world, others)  # noqa: F821
                if m < 1 or world.ply >= longest:
                    return 12
                step(world, int64(others[rand(world, m)]))  # noqa: F821
    return 0


@rule
def wrong_unnoticed(states, raw, others, viewer):
    """Check moves that the viewer doesn't notice, by trying different ones. Returns a code from WRONG, 0 if all is well.

    The viewer must see nothing of them. If the turn passes and the viewer hears nothing, it must look the same whatever the moves were.
    """
    world = states[AGAIN]
    dice = states[DICE]
    passed = False
    for run in range(RUNS):
        states[AGAIN] = states[TRUE if run == 0 else WORLD]
        world.rng = stream(dice.rng, 100 + run)
        mover = world.to_move = states[TRUE].to_move
        while world.to_move == mover:
            together = deciding(world)  # noqa: F821
            action = int64(others[rand(world, legal(world, others))])  # noqa: F821
            if together == 0 and seen(world, action, viewer) & 1:  # noqa: F821
                break
            step(world, action)  # noqa: F821
            states[SPARE] = world
            conceal(states[SPARE], viewer)  # noqa: F821
            if together != 0:
                if states[SPARE].ply != states[HIDDEN].ply:  # all have decided
                    break
                if deciding(world) >> mover & 1:  # noqa: F821
                    world.to_move = mover
            if world.to_move == mover:
                if not same(raw, SPARE, HIDDEN):
                    return 14
            elif world.to_move != viewer and states[SPARE].told == states[HIDDEN].told:
                if passed and not same(raw, SPARE, PASSED):
                    return 15
                states[PASSED] = states[SPARE]
                passed = True
    return 0


@rule
def same(raw, a, b):
    """Return whether two records are equal, byte for byte."""
    for k in range(raw.shape[1]):
        if raw[a, k] != raw[b, k]:
            return False
    return True


@rule
def same_list(moves, n, others, m):
    """Return whether two lists of actions are equal."""
    if n != m:
        return False
    for k in range(n):
        if moves[k] != others[k]:
            return False
    return True

"""Many games side by side, as templates: `begin`, `legal`, `step`, `conceal` and `quick_move` stand for one game's."""

from rulestone.envs.encoding import COUNT, FIRST, PART, PLACE
from rulestone.kernel.chance import rand, stream
from rulestone.kernel.rule import int64, rule, uint64

CALLER, RANDOM, GREEDY = 0, 1, 2
"""Who moves for a seat."""
RESTART, STAY = -1, -2
"""Instead of an action: leave the game and start the next one; do nothing."""


@rule
def advance(records, tools, first, stop, seeds, who, actions, written, shown):
    """Make one move in each of the games first..stop-1, then the bots' moves until it is the caller's turn again.

    When a game ends, the next one starts at once, with its own number and therefore its own random stream: game k of a seed is the same
    however many games run side by side and however the work is split. `end` keeps the last record of the finished game. `seeds` are the
    seed in each place, and by how much the next game's number is higher.
    """
    states, known, end = records
    _, start, moves = tools
    number, to_move, reward, done, _, mask = written
    views, runs, flat = shown
    for game in range(first, stop):
        s = states[game]
        done[game] = False
        for player in range(s.players):
            reward[game, player] = 0
        if actions[game] >= 0:
            step(s, int64(actions[game]))  # noqa: F821
        elif actions[game] == RESTART:
            open_game(states, game, start, seeds, number)
        if s.to_move < 0 or who[s.to_move] != CALLER:
            settle(states, end, game, tools, seeds, who, written)
        n = legal(s, moves)  # noqa: F821
        to_move[game] = s.to_move
        for action in range(mask.shape[1]):
            mask[game, action] = False
        for k in range(n):
            mask[game, moves[k]] = True
        known[game] = s
        conceal(known[game], s.to_move)  # noqa: F821
    flatten(views, runs, first, stop, flat)


@rule
def open_game(states, game, start, seeds, number):
    """Start the next game in this place."""
    s = states[game]
    seed, strides = seeds
    number[game] += strides[game]
    states[game] = start[0]
    s.rng = stream(seed[game], int64(number[game]))
    begin(s)  # noqa: F821


@rule
def settle(states, end, game, tools, seeds, who, written):
    """Make the bots' moves, and start new games, until it is the caller's turn."""
    spare, start, moves = tools
    number, _, reward, done, length, _ = written
    s = states[game]
    while s.to_move < 0 or who[s.to_move] != CALLER:
        if s.to_move < 0:
            if not done[game]:
                done[game] = True
                end[game] = s
                length[game] = s.ply
                for player in range(s.players):
                    reward[game, player] = s.payoff[player]
            open_game(states, game, start, seeds, number)
            continue
        n = legal(s, moves)  # noqa: F821
        action = int64(moves[0])
        if n > 1:
            if who[s.to_move] == GREEDY:
                action = quick_move(s, moves, n, spare, stream(s.rng, s.ply))  # noqa: F821
            else:
                action = int64(moves[rand(s, n)])
        step(s, action)  # noqa: F821


@rule
def first_illegal(mask, actions):
    """The first game whose action is illegal, or -1."""
    for game in range(mask.shape[0]):
        action = int64(actions[game])
        if action < STAY or action >= mask.shape[1] or (action >= 0 and not mask[game, action]):
            return game
    return -1


@rule
def sample(mask, seed, out):
    """A legal action for each game, uniformly at random."""
    for game in range(mask.shape[0]):
        n = 0
        for action in range(mask.shape[1]):
            if mask[game, action]:
                n += 1
        left = (int64(stream(seed, game) >> 32) * n) >> 32
        for action in range(mask.shape[1]):
            if mask[game, action]:
                if left == 0:
                    out[game] = action
                    break
                left -= 1


@rule
def look(states, known, viewer, views, runs, flat):
    """Every game as one viewer sees it."""
    for game in range(flat.shape[0]):
        known[game] = states[game]
        conceal(known[game], viewer)  # noqa: F821
    flatten(views, runs, 0, flat.shape[0], flat)


@rule
def flatten(views, runs, first, stop, out):
    """Write the records first..stop-1 to the same rows of `out`; `views` is their memory read as each of the PARTS.

    One run of fields after the other, with unsigned indices, so that the compiler can vectorise the loops.
    """
    u1, i1, u2, i2, i4 = views
    for run in range(runs.shape[0]):
        part, start, count, place = runs[run, PART], uint64(runs[run, FIRST]), uint64(runs[run, COUNT]), uint64(runs[run, PLACE])
        if part == 0:
            for row in range(uint64(first), uint64(stop)):
                for k in range(count):
                    out[row, place + k] = u1[row, start + k]
        elif part == 1:
            for row in range(uint64(first), uint64(stop)):
                for k in range(count):
                    out[row, place + k] = i1[row, start + k]
        elif part == 2:
            for row in range(uint64(first), uint64(stop)):
                for k in range(count):
                    out[row, place + k] = u2[row, start + k]
        elif part == 3:
            for row in range(uint64(first), uint64(stop)):
                for k in range(count):
                    out[row, place + k] = i2[row, start + k]
        else:
            for row in range(uint64(first), uint64(stop)):
                for k in range(count):
                    out[row, place + k] = i4[row, start + k]

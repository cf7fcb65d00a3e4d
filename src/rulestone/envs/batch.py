"""Many games side by side, as templates: `begin`, `legal`, `step`, `conceal`, `quick_move` and `bot_move` stand
for one game's rules."""

from rulestone.engine.quick import GREEDY
from rulestone.kernel.chance import GOLDEN, MASK, rand, stream
from rulestone.kernel.rule import int64, rule, uint64
from rulestone.nets.forward import flatten

CALLER = -1
"""The caller moves for a seat; the others are those of `engine.quick`."""
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
    _, start, moves, _, _ = tools
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
            open_game(states, game, start, game, seeds, number)
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
def open_game(states, place, start, game, seeds, number):
    """Start the next one of a series of games in a place."""
    s = states[place]
    seed, strides = seeds
    number[game] += strides[game]
    states[place] = start[0]
    s.rng = stream(seed[game], int64(number[game]))
    begin(s)  # noqa: F821


@rule
def close_game(states, place, start, game, seeds, ended):
    """Keep the end of a game, unless another one has ended in the same step, and start the next one."""
    number, reward, done, length, end = ended
    s = states[place]
    if not done[game]:
        done[game] = True
        end[game] = s
        length[game] = s.ply
        for player in range(s.players):
            reward[game, player] = s.payoff[player]
    open_game(states, place, start, game, seeds, number)


@rule
def settle(states, end, game, tools, seeds, who, written):
    """Make the bots' moves, and start new games, until it is the caller's turn."""
    spare, start, moves, mind, desk = tools
    number, _, reward, done, length, _ = written
    s = states[game]
    while s.to_move < 0 or who[s.to_move] != CALLER:
        if s.to_move < 0:
            close_game(states, game, start, game, seeds, (number, reward, done, length, end))
            continue
        n = legal(s, moves)  # noqa: F821
        action = int64(moves[0])
        if n > 1:
            action = bot_move(s, moves, n, int64(who[s.to_move]), spare, mind, desk)  # noqa: F821
        step(s, action)  # noqa: F821


# The same for one game of a GPU's: its record is in a place of its block's shared memory while it is played.


@rule
def start_move(states, place, start, game, action, seeds, ended):
    """Make the caller's move, or start the next game."""
    number, reward, done, _, _ = ended
    s = states[place]
    done[game] = False
    for player in range(s.players):
        reward[game, player] = 0
    if action >= 0:
        step(s, action)  # noqa: F821
    elif action == RESTART:
        open_game(states, place, start, game, seeds, number)


@rule
def move_alone(states, place, start, game, action, seeds, who, tools, ended):
    """Make the caller's move. Returns how many moves are then legal."""
    _, moves = tools
    s = states[place]
    start_move(states, place, start, game, action, seeds, ended)
    while s.to_move < 0:
        close_game(states, place, start, game, seeds, ended)
    return legal(s, moves)  # noqa: F821


@rule
def move_with_bots(states, place, start, game, action, seeds, who, tools, ended):
    """Make the caller's move, and then those of the random and quick bots. Returns how many moves are then legal."""
    spare, moves = tools
    s = states[place]
    start_move(states, place, start, game, action, seeds, ended)
    while s.to_move < 0 or who[s.to_move] != CALLER:
        if s.to_move < 0:
            close_game(states, place, start, game, seeds, ended)
            continue
        n = legal(s, moves)  # noqa: F821
        action = int64(moves[0])
        if n > 1:
            if who[s.to_move] == GREEDY:
                action = quick_move(s, moves, n, spare, stream(s.rng, s.ply))  # noqa: F821
            else:
                action = int64(moves[rand(s, n)])
        step(s, action)  # noqa: F821
    return legal(s, moves)  # noqa: F821


@rule
def hide_from(states, place, viewer):
    """Hide what a viewer can't know (NOBODY: the player to move)."""
    s = states[place]
    if viewer < 0:
        conceal(s, s.to_move)  # noqa: F821
    else:
        conceal(s, viewer)  # noqa: F821


@rule
def unpack(views, columns, words, lane, lanes, block, flat):
    """Write the part of one of `lanes` lanes of a warp: every `lanes`th column of every `warps`th row.

    `views` is the memory of the block's records, each of `words` words.
    """
    u1, i1, u2, i2, i4 = views
    warp, warps, count, first = block
    width = columns.shape[1]
    for column in range(lane, width, lanes):
        part = columns[0, column]
        at = int64(columns[1, column])
        to = first * width + column
        if part == 0:
            for row in range(warp, count, warps):
                flat[to + row * width] = u1[row * words * 8 + at]
        elif part == 1:
            for row in range(warp, count, warps):
                flat[to + row * width] = i1[row * words * 8 + at]
        elif part == 2:
            for row in range(warp, count, warps):
                flat[to + row * width] = u2[row * words * 4 + at]
        elif part == 3:
            for row in range(warp, count, warps):
                flat[to + row * width] = i2[row * words * 4 + at]
        else:
            for row in range(warp, count, warps):
                flat[to + row * width] = i4[row * words * 2 + at]


@rule
def mover(states, place):
    """Who is to move."""
    return int64(states[place].to_move)


@rule
def best_of(states, place, spare, moves):
    """What the game's quick bot would do."""
    s = states[place]
    n = legal(s, moves)  # noqa: F821
    if n > 1:
        return quick_move(s, moves, n, spare, stream(s.rng, s.ply))  # noqa: F821
    return int64(moves[0])


@rule
def advise(states, first, stop, tools, actions):
    """What the game's quick bot would do in each game, for the player to move."""
    spare, _, moves, _, _ = tools
    for game in range(first, stop):
        s = states[game]
        n = legal(s, moves)  # noqa: F821
        actions[game] = int64(moves[0])
        if n > 1:
            actions[game] = quick_move(s, moves, n, spare, stream(s.rng, s.ply))  # noqa: F821


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
        out[game] = draw(mask, seed, game)


@rule
def draw(mask, seed, game):
    """A legal action for one game."""
    n = 0
    for action in range(mask.shape[1]):
        if mask[game, action]:
            n += 1
    left = (int64(stream(seed, game) >> 32) * n) >> 32
    for action in range(mask.shape[1]):
        if mask[game, action]:
            if left == 0:
                return action
            left -= 1
    return 0


@rule
def next_draw(mask, seed, drawn, game):
    """A legal action for one game, after so many draws for all of them."""
    return draw(mask, (uint64(seed) + uint64(drawn[0] + uint64(1)) * GOLDEN) & MASK, game)


@rule
def look(states, known, viewer, views, runs, flat):
    """Every game as one viewer sees it."""
    for game in range(flat.shape[0]):
        known[game] = states[game]
        conceal(known[game], viewer)  # noqa: F821
    flatten(views, runs, 0, flat.shape[0], flat)

"""Many games side by side, as templates: `begin`, `legal`, `step`, `conceal`, `quick_move` and `bot_move` stand
for one game's rules."""

from rulestone.kernel.chance import stream
from rulestone.kernel.rule import int64, rule
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
    spare, start, moves, mind, desk = tools
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
            action = bot_move(s, moves, n, int64(who[s.to_move]), spare, mind, desk)  # noqa: F821
        step(s, action)  # noqa: F821


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

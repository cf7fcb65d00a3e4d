"""What a net sees and thinks, as rules: from a hidden record to a number for each move and the payoff expected for each player.

They are the same for every game, so they are compiled once for all. Inputs are mostly zeros and ones, so the first layer only adds up the
weights of those that aren't zero. Everything is added in double precision and in a fixed order: interpreted or compiled, a net makes the
same move.
"""

from rulestone.kernel.rule import int64, rule, uint64

COMMON = True
"""These rules are the same for every game; see `rulestone.kernel.compiled`."""
PART, FIRST, COUNT, PLACE = 0, 1, 2, 3
"""Columns of a run of fields: which type its memory is read as, its first number there, how many, and their place in the vector."""
SIZE, COLUMNS, SOURCES, PLACES, RING, SEAT_AT, ADVICE_AT, FEATURES, FEATURE_AT = range(9)
INPUTS, WEIGHTS, LAYERS, ACTIONS, OUTPUTS, MOST, WIDTHS = range(9, 16)
"""Columns of a net's plan: how many numbers of the vector it reads; where their descriptions, their sources for each viewer and the
players' seats begin in the tables, and how many seats there are; the first input for the viewer's seat; the first input for the advice of
the game's quick bot (-1: it isn't asked); how many features the game adds and their first input; how many inputs there are; where the
weights begin; how many hidden layers, actions and outputs; the most inputs that aren't zero at a time; and then the width of each layer."""
DEEPEST = 4
PLAN = WIDTHS + DEEPEST
KIND, LOW, HIGH, AT, RANKS, PILE, LAID, SEAT, ENTRY = 0, 1, 2, 3, 4, 5, 6, 7, 8
"""Columns of a number's description: how it is given, its smallest and largest value, its first input, where the ranks of its values
begin in the tables (or how many bits it has), the first input of the pile it belongs to (-1: none), how many numbers that pile has, and
whether it holds a seat."""
RANKED, SCALED, BITS = 0, 1, 2
"""How a number is given: one input for each value, one input from 0 to 1, or one input for each bit."""

# Arrays that belong together are passed together:
#   mind   the nets' plans, tables and weights, and the runs that turn records into vectors
#   desk   a thread's own arrays: its scratch records as memory, vectors, the numbers of inputs, and room for amounts and layers


@rule
def flatten(views, runs, first, stop, out):
    """Write the records first..stop-1 to the same rows of `out`; `views` is their memory read as each of the types of `encoding.PARTS`.

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


@rule
def see(plans, tables, net, flat, row, viewer, index, amount):
    """Write the inputs that aren't zero, as their numbers and amounts, for a vector that a viewer sees. Returns how many there are."""
    ring = int64(plans[net, RING])
    place = int64(tables[plans[net, PLACES] + viewer])
    source = int64(plans[net, SOURCES] + viewer * plans[net, SIZE])
    index[0] = plans[net, SEAT_AT] + viewer
    amount[0] = 1.0
    n = 1
    for column in range(int64(plans[net, SIZE])):
        at = int64(plans[net, COLUMNS]) + column * ENTRY
        value = int64(flat[row, tables[source + column]])
        if tables[at + SEAT] and 0 <= value < ring:
            value = (value - place) % ring
        low = int64(tables[at + LOW])
        value = min(max(value, low), int64(tables[at + HIGH])) - low
        first = int64(tables[at + AT])
        if tables[at + KIND] == RANKED:
            rank = int64(tables[tables[at + RANKS] + value])
            if first >= 0:
                index[n] = first + rank
                amount[n] = 1.0
                n += 1
            if tables[at + PILE] >= 0:
                index[n] = tables[at + PILE] + rank
                amount[n] = 1.0 / tables[at + LAID]
                n += 1
        elif tables[at + KIND] == SCALED:
            if value > 0:
                index[n] = first
                amount[n] = value / (int64(tables[at + HIGH]) - low)
                n += 1
        else:
            value += low
            bit = 0
            while value != 0 and bit < tables[at + RANKS]:
                if value & 1:
                    index[n] = first + bit
                    amount[n] = 1.0
                    n += 1
                value >>= 1
                bit += 1
    return n


@rule
def spread(plans, tables, flat, viewers, index, amount, out):
    """Write all inputs of many vectors, each as seen by its own viewer: what a net learns from."""
    for row in range(flat.shape[0]):
        for k in range(out.shape[1]):
            out[row, k] = 0
        n = see(plans, tables, 0, flat, row, int64(viewers[row]), index, amount)
        for k in range(n):
            out[row, index[k]] += amount[k]


@rule
def add_row(room, base, weights, first, width, amount):
    """Add a row of weights, times an amount, to a layer."""
    base = uint64(base)
    first = uint64(first)
    for k in range(uint64(width)):
        room[base + k] += amount * weights[first + k]


@rule
def think(mind, desk, net, row, viewer, advice):
    """Let a net look at a hidden record and fill its layers. The features of the game are already in the room, after the amounts.

    `advice` is the move of the game's quick bot, or -1.
    """
    plans, tables, weights, runs = mind
    views, flat, index, room = desk
    flatten(views, runs, row, row + 1, flat)
    n = see(plans, tables, net, flat, row, viewer, index, room)
    most = int64(plans[net, MOST])
    if advice >= 0:
        index[n] = plans[net, ADVICE_AT] + advice
        room[n] = 1.0
        n += 1
    for k in range(int64(plans[net, FEATURES])):
        index[n] = plans[net, FEATURE_AT] + k
        room[n] = room[most + k]
        n += 1
    here = most + int64(plans[net, FEATURES])
    at = int64(plans[net, WEIGHTS])
    width = int64(plans[net, WIDTHS])
    for k in range(width):
        room[here + k] = 0.0
    add_row(room, here, weights, at + int64(plans[net, INPUTS]) * width, width, 1.0)
    for k in range(n):
        add_row(room, here, weights, at + int64(index[k]) * width, width, room[k])
    straighten(room, here, width)
    at += (int64(plans[net, INPUTS]) + 1) * width
    for layer in range(1, int64(plans[net, LAYERS])):
        there = here + width
        wide = int64(plans[net, WIDTHS + layer])
        for k in range(wide):
            room[there + k] = 0.0
        add_row(room, there, weights, at + width * wide, wide, 1.0)
        for k in range(width):
            if room[here + k] != 0.0:
                add_row(room, there, weights, at + k * wide, wide, room[here + k])
        straighten(room, there, wide)
        at += (width + 1) * wide
        here = there
        width = wide
    return here


@rule
def straighten(room, base, width):
    """What is negative becomes zero."""
    for k in range(width):
        if not room[base + k] > 0.0:
            room[base + k] = 0.0


@rule
def head(plans, net):
    """Where the weights of the outputs begin. Their biases follow, and then how much the advice counts."""
    end = int64(plans[net, WEIGHTS]) + int64(plans[net, INPUTS] + 1) * int64(plans[net, WIDTHS])
    for layer in range(1, int64(plans[net, LAYERS])):
        end += int64(plans[net, WIDTHS + layer - 1] + 1) * int64(plans[net, WIDTHS + layer])
    return end


@rule
def output(mind, desk, net, here, number):
    """One output of a net that has thought, whose last layer is `here`: of an action, or after these the payoff of a player."""
    plans, _, weights, _ = mind
    _, _, _, room = desk
    width = int64(plans[net, WIDTHS + plans[net, LAYERS] - 1])
    outputs = int64(plans[net, OUTPUTS])
    end = head(plans, net)
    at = end + number * width
    a = 0.0
    b = 0.0
    c = 0.0
    d = 0.0
    for k in range(0, width, 4):
        a += room[here + k] * weights[at + k]
        b += room[here + k + 1] * weights[at + k + 1]
        c += room[here + k + 2] * weights[at + k + 2]
        d += room[here + k + 3] * weights[at + k + 3]
    return a + b + (c + d) + weights[end + outputs * width + number]


@rule
def liking(mind, desk, net, here, action, advice):
    """How much a net that has thought likes a move: more if the game's quick bot advises it."""
    liked = output(mind, desk, net, here, action)
    if action == advice:
        plans, _, weights, _ = mind
        width = int64(plans[net, WIDTHS + plans[net, LAYERS] - 1])
        liked += weights[head(plans, net) + int64(plans[net, OUTPUTS]) * (width + 1)]
    return liked


@rule
def best_move(mind, desk, net, here, moves, count, advice):
    """The move among moves[:count] that a net that has thought likes best."""
    choice = int64(moves[0])
    most = liking(mind, desk, net, here, choice, advice)
    for k in range(1, count):
        liked = liking(mind, desk, net, here, int64(moves[k]), advice)
        if liked > most:
            most = liked
            choice = int64(moves[k])
    return choice


@rule
def expected(mind, desk, net, here, player, viewer, players):
    """The payoff, from -1 to 1, that a net that has thought expects for a player."""
    worth = output(mind, desk, net, here, int64(mind[0][net, ACTIONS]) + (player - viewer) % players)
    return min(1.0, max(-1.0, worth))

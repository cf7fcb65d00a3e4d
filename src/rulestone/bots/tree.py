"""The search tree, as templates: `legal`, `step`, `conceal`, `redeal`, `greedy`, `quick_move`, `suspect`,
`sensible` and `estimate` stand for one game's.

Every simulation redeals what the thinking player cannot see, walks down the tree, plays on to the end (or to the game's
`estimate`) and counts the result on the way back. A node is what the player to move *knows* there: its key is a hash of the
record hidden for them. So nobody in the tree acts on what they cannot see, worlds that look alike share their statistics, dice
and drawn cards lead to nodes of their own once they are seen, and two orders of the same moves meet in one node. In a game
without secrets and chance this is plain UCT on positions.

Within a node the possible moves are always the same, because they may not depend on what is hidden (the test kit holds that).
"""

from math import sqrt

from rulestone.kernel.chance import MASK, rand, stream
from rulestone.kernel.rule import int64, rule, uint64

ROOT, WORLD, VIEW, SPARE = 0, 1, 2, 3
"""Records: what the thinking player knows, the world of this simulation, what the player to move knows, and spare ones for `greedy`."""
FIRST, COUNT, VISITS, TOTAL, SLOT, MEASURE = 0, 1, 2, 3, 4, 5
"""Columns of a node: its first edge, how many edges, how often visited, its player's payoffs, its place in the table, and, at a root
whose moves take turns, what the first move brought in the present world, which the others are measured by."""
ACTION, TIMES, SUM, PRIOR, PROOF, CHILD, APART = 0, 1, 2, 3, 4, 5, 6
"""Columns of an edge: the action, how often chosen, the payoffs of its player, how likely it looked, what is proved, the node it always
leads to, if nothing is hidden and no chance comes between (0: not known; no edge leads to the root), and, where the moves of the root take
turns, how far its results lay from those of the first move in the same worlds (squares added up)."""
NODE, EDGE, PLAYER, SURE = 0, 1, 2, 3
"""Columns of the path: `SURE` is 1 if no chance came between this edge and the next node."""
NODES, EDGES, DONE, STEPS = 0, 1, 2, 3
"""What is counted: nodes and edges in use, simulations done, steps made."""
OPEN, LOST, DRAWN, WON = 0, 1, 2, 3
GUIDED, CUT, SOLVE, HIDDEN, ADVISED, FAIR, TRUST, EXPECTED = 0, 1, 2, 3, 4, 5, 6, 7
"""Settings in whole numbers: thousandths of playout moves made by `greedy`; moves after which a playout is cut and estimated (-1: never);
whether positions can be proved; whether anything is hidden; how many times likelier than others the move of `greedy` looks; whether the
moves of the root take turns; thousandths of the other players' moves in the tree made by `greedy`, and of the worlds in which they are
suspected to have moved so in secret; whether `estimate` judges finished games too."""
EXPLORE, URGENCY = 0, 1
"""Settings in fractions: how curious, and how much worse than its node's mean an untried move is thought to be."""
# Arrays that belong together are handed on together:
#   words     the records as 64-bit words, the first word of a game's own fields, and which of its bits are theirs
#   memory    edges, nodes, the nodes' keys, and the table that finds them
#   walk      the path, what is counted, everybody's payoff in this simulation and in all
#   settings  in whole numbers and in fractions
MULTIPLIER, START = 0x9FB2_1C65_1E98_DF25, 0x9E37_79B9_7F4A_7C15


@rule
def all_moves(s, moves, count):
    """`sensible` of a game that does not say which moves are worth a thought."""
    return count


@rule
def anything(s, viewer, scratch):
    """`suspect` of a game that does not say what others would have done in secret."""


@rule
def even(s, player):
    """`estimate` of a game that has none."""
    return 0


@rule
def simulate(states, words, memory, walk, moves, settings, seed, first, number):
    """Run simulations first..first+number-1 for the player to move in states[ROOT]; `totals` adds up everybody's payoffs."""
    edges, nodes, _, _ = memory
    path, counts, result, totals = walk
    whole, _ = settings
    s = states[WORLD]
    me = states[ROOT].to_move
    for simulation in range(first, first + number):
        states[WORLD] = states[ROOT]
        world = simulation
        if whole[FAIR] and counts[NODES] > 0:  # all moves of the root meet the same worlds
            world = int64(edges[next_candidate(edges, nodes), TIMES])
        s.rng = stream(seed, world)
        if whole[HIDDEN]:
            redeal(s, me)  # noqa: F821
            if whole[TRUST] > 0 and rand(s, 1000) < whole[TRUST]:
                suspect(s, me, states[SPARE:])  # noqa: F821
        depth = descend(states, words, memory, walk, moves, settings)
        ended = s.to_move < 0
        if depth >= 0:
            play_on(states, counts, result, moves, whole)
        else:
            depth = -depth
        for player in range(s.players):
            totals[player] += result[player]
        count_back(edges, nodes, path, depth, result)
        if whole[FAIR]:
            set_apart(edges, nodes, path[0, EDGE], result[me])
        if whole[SOLVE]:
            prove_back(edges, nodes, path, depth, result, ended)
        counts[DONE] += 1


@rule
def descend(states, words, memory, walk, moves, settings):
    """From the root along the most promising edges to a new node; the length of the path, negative if the result is proved."""
    edges, nodes, _, _ = memory
    path, counts, result, _ = walk
    whole, parts = settings
    s = states[WORLD]
    me = states[ROOT].to_move
    depth = 0
    growing = True
    while s.to_move >= 0 and growing and depth < path.shape[0]:
        n = legal(s, moves)  # noqa: F821
        if n == 1:
            before = s.rng
            step(s, moves[0])  # noqa: F821
            counts[STEPS] += 1
            if depth > 0 and s.rng != before:
                path[depth - 1, SURE] = 0
        elif s.to_move != me and whole[TRUST] > 0 and rand(s, 1000) < whole[TRUST]:
            step(s, quick_move(s, moves, n, states[SPARE:], stream(s.rng, 1)))  # noqa: F821
            counts[STEPS] += 1
            if depth > 0:
                path[depth - 1, SURE] = 0
        else:
            certain = depth > 0 and path[depth - 1, SURE] == 1 and not whole[HIDDEN]
            node = int64(edges[path[depth - 1, EDGE], CHILD]) if certain else 0
            if node == 0:
                node = find(states, words, memory, counts, whole)
            if node == counts[NODES]:
                growing = False
                if not add(states, edges, nodes, counts, moves, n, whole):
                    return depth
            if certain:
                edges[path[depth - 1, EDGE], CHILD] = node
            edge = next_candidate(edges, nodes) if whole[FAIR] and node == 0 else best_edge(edges, nodes, node, parts)
            path[depth, NODE] = node
            path[depth, EDGE] = edge
            path[depth, PLAYER] = s.to_move
            path[depth, SURE] = 1
            depth += 1
            if edges[edge, PROOF] != OPEN:
                for player in range(s.players):
                    result[player] = edges[edge, PROOF] - 2 if player == s.to_move else 2 - edges[edge, PROOF]
                return -depth
            before = s.rng
            step(s, int64(edges[edge, ACTION]))  # noqa: F821
            counts[STEPS] += 1
            if s.rng != before:
                path[depth - 1, SURE] = 0
    return depth


@rule
def find(states, words, memory, counts, whole):
    """The node of what the player to move knows, or the number of the next free one, which then takes its place in the table.

    The table is never cleared: an entry counts only if its node says that it stands there.
    """
    word, skip, lead = words
    _, nodes, keys, table = memory
    s = states[WORLD]
    seat = WORLD
    if whole[HIDDEN]:
        seat = VIEW
        states[VIEW] = s
        conceal(states[VIEW], s.to_move)  # noqa: F821
    key = uint64(START) ^ uint64(states[seat].ply * 16 + s.to_move)
    key = ((key ^ (word[seat, skip] & lead)) * uint64(MULTIPLIER)) & MASK
    for k in range(skip + 1, word.shape[1]):
        key = ((key ^ word[seat, k]) * uint64(MULTIPLIER)) & MASK
        key ^= key >> uint64(29)
    mask = table.shape[0] - 1
    slot = int64(key & uint64(mask))
    while True:
        node = int64(table[slot])
        if node >= counts[NODES] or int64(nodes[node, SLOT]) != slot:
            node = int64(counts[NODES])
            if node < nodes.shape[0]:
                table[slot] = node
                nodes[node, SLOT] = slot
                keys[node] = key
            return node
        if keys[node] == key:
            return node
        slot = (slot + 1) & mask


@rule
def add(states, edges, nodes, counts, moves, n, whole):
    """Make the next free node, with an edge for every move worth a thought and the move of `greedy` first; False if there is no room."""
    s = states[WORLD]
    node = int64(counts[NODES])
    first = int64(counts[EDGES])
    if node >= nodes.shape[0] or first + n + 1 > edges.shape[0]:
        return False
    known = states[VIEW]
    if not whole[HIDDEN]:
        states[VIEW] = s
    advice = -1
    if whole[ADVISED] > 1:
        states[SPARE] = known  # concealed already
        states[SPARE].rng = stream(s.rng, 1)
        advice = int64(greedy(states[SPARE], moves, n, states[SPARE + 1 :]))  # noqa: F821
    n = sensible(known, moves, n)  # noqa: F821
    count = 0
    if advice >= 0:
        new_edge(edges, first, advice, whole[ADVISED])
        count = 1
    turn = rand(s, n)
    for k in range(n):
        action = int64(moves[(k + turn) % n])
        if action != advice:
            new_edge(edges, first + count, action, 1)
            count += 1
    total = count - 1 + whole[ADVISED] if advice >= 0 else count
    for edge in range(first, first + count):
        edges[edge, PRIOR] /= total
    nodes[node, FIRST] = first
    nodes[node, COUNT] = count
    nodes[node, VISITS] = 0
    nodes[node, TOTAL] = 0
    counts[NODES] = node + 1
    counts[EDGES] = first + count
    return True


@rule
def new_edge(edges, edge, action, weight):
    """An untried move."""
    edges[edge, ACTION] = action
    edges[edge, TIMES] = 0
    edges[edge, SUM] = 0
    edges[edge, PRIOR] = weight
    edges[edge, PROOF] = OPEN
    edges[edge, CHILD] = 0
    edges[edge, APART] = 0


@rule
def best_edge(edges, nodes, node, parts):
    """The move that promises most: what it has brought so far, and a bonus for what has been tried little (PUCT)."""
    first = int64(nodes[node, FIRST])
    count = int64(nodes[node, COUNT])
    visits = nodes[node, VISITS]
    untried = (nodes[node, TOTAL] / visits if visits > 0 else 0.0) - parts[URGENCY]
    bonus = parts[EXPLORE] * sqrt(visits + 1)
    best = -1e9
    choice = first
    for edge in range(first, first + count):
        tried = 1.0 * int64(edges[edge, TIMES])  # in double precision, as interpreted; the sums are single
        score = edges[edge, SUM] / tried if tried > 0 else untried
        score += bonus * edges[edge, PRIOR] / (1 + tried)
        if edges[edge, PROOF] != OPEN:
            if edges[edge, PROOF] == WON:
                return edge
            score = -1e6 if edges[edge, PROOF] == LOST else 0.0
        if score > best:
            best = score
            choice = edge
    return choice


@rule
def next_candidate(edges, nodes):
    """The move of the root that has been tried least, of those still in question (whose PRIOR has not been taken away)."""
    first = int64(nodes[0, FIRST])
    choice = first
    least = 1e18
    for edge in range(first, first + int64(nodes[0, COUNT])):
        if edges[edge, PRIOR] > 0 and edges[edge, TIMES] < least:
            least = float(edges[edge, TIMES])
            choice = edge
    return choice


@rule
def play_on(states, counts, result, moves, whole):
    """Play the world to the end, partly as `greedy` would, or for so many moves and then estimate; everybody's payoff into `result`."""
    s = states[WORLD]
    left = whole[CUT]
    while s.to_move >= 0 and left != 0:
        n = legal(s, moves)  # noqa: F821
        action = int64(moves[0])
        if n > 1:
            if whole[GUIDED] > 0 and rand(s, 1000) < whole[GUIDED]:
                action = quick_move(s, moves, n, states[SPARE:], stream(s.rng, 1))  # noqa: F821
            else:
                action = int64(moves[rand(s, n)])
        step(s, action)  # noqa: F821
        counts[STEPS] += 1
        left -= 1
    for player in range(s.players):
        judged = s.to_move >= 0 or whole[EXPECTED]
        result[player] = estimate(s, player) / 1000 if judged else s.payoff[player]  # noqa: F821


@rule
def count_back(edges, nodes, path, depth, result):
    """Every player counts their own payoff on the edges they chose."""
    for k in range(depth):
        edge = path[k, EDGE]
        node = path[k, NODE]
        nodes[node, VISITS] += 1
        nodes[node, TOTAL] += result[path[k, PLAYER]]
        edges[edge, TIMES] += 1
        edges[edge, SUM] += result[path[k, PLAYER]]


@rule
def set_apart(edges, nodes, edge, result):
    """Compare a move of the root with the first one, which is always the first to meet a world."""
    if edge == int64(nodes[0, FIRST]):
        nodes[0, MEASURE] = result
    edges[edge, APART] += (result - nodes[0, MEASURE]) ** 2


@rule
def prove_back(edges, nodes, path, depth, result, ended):
    """What is certain at the end of the path is certain further up, as long as no chance came between."""
    proof = OPEN
    below = -1
    for k in range(depth - 1, -1, -1):
        edge = path[k, EDGE]
        player = path[k, PLAYER]
        if edges[edge, PROOF] == OPEN:
            if not path[k, SURE] or (below < 0 and not ended):
                return
            if below < 0:
                proof = int64(result[player]) + 2
            elif player != below:
                proof = 4 - proof
            edges[edge, PROOF] = proof
        proof = proof_of(edges, nodes, path[k, NODE])
        if proof == OPEN:
            return
        below = player


@rule
def proof_of(edges, nodes, node):
    """What is proved for the player who moves in a node."""
    first = int64(nodes[node, FIRST])
    best = LOST
    for edge in range(first, first + int64(nodes[node, COUNT])):
        proof = int64(edges[edge, PROOF])
        if proof == WON:
            return WON
        if proof == OPEN:
            best = OPEN
        elif best != OPEN:
            best = max(best, proof)
    return best

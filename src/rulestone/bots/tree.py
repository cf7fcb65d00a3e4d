"""The search tree, as templates that call one game's `legal`, `step`, `conceal`, `redeal`, `greedy`, `quick_move`, `ponder`, `suspect`,
`sensible` and `estimate`.

Every simulation redeals what the searching player can't see, walks down the tree, continues to the end of the game (or to the game's
`estimate`) and adds up the result on the way back. A node is an information state, that is, what the player to move *knows* there: its key
is a hash of the record as they see it. So nobody in the tree acts on what they can't see, worlds that look the same share their statistics,
dice and drawn cards lead to separate nodes once they're seen, and different orders of the same moves meet in one node. In a game without
hidden information and chance, this is plain UCT on positions.

With a net, a new node gets its prior weights from the net's policy, and the net's payoffs take the place of the rest of the game.

The legal moves in a node are always the same, because they can't depend on hidden information (the test kit checks that).
"""

from math import exp, sqrt

from rulestone.kernel.chance import MASK, rand, stream
from rulestone.kernel.rule import int64, rule, uint64
from rulestone.nets.forward import ADVICE_AT, expected, liking

ROOT, WORLD, VIEW, SPARE = 0, 1, 2, 3
"""Records: what the searching player knows, the world of this simulation, what the player to move knows, and spare ones for `greedy`."""
FIRST, COUNT, VISITS, TOTAL, SLOT, MEASURE = 0, 1, 2, 3, 4, 5
"""Columns of a node: its first edge, number of edges, number of visits, sum of its player's payoffs, slot in the hash table and, at a root
whose moves take turns, the result of the first move in the current world, which the others are compared with."""
ACTION, TIMES, SUM, PRIOR, PROOF, CHILD, APART = 0, 1, 2, 3, 4, 5, 6
"""Columns of an edge: the action, number of visits, sum of its player's payoffs, prior, proof, the node it always leads to if nothing is
hidden and no chance intervenes (0: not known; no edge leads to the root) and, where the moves of the root take turns, the sum of squared
differences between its results and those of the first move in the same worlds."""
NODE, EDGE, PLAYER, SURE = 0, 1, 2, 3
"""Columns of the path. `SURE` is 1 if no chance intervened between this edge and the next node."""
NODES, EDGES, DONE, STEPS = 0, 1, 2, 3
"""Counters: nodes and edges in use, simulations done, steps made."""
OPEN, LOST, DRAWN, WON = 0, 1, 2, 3
GUIDED, CUT, SOLVE, HIDDEN, ADVISED, FAIR, TRUST, EXPECTED, NET = 0, 1, 2, 3, 4, 5, 6, 7, 8
"""Integer settings: thousandths of rollout moves made by `greedy`; moves after which a rollout is cut and estimated (-1: never); whether
positions can be solved; whether anything is hidden; the prior weight of the move of `greedy`; whether the moves of the root take turns;
thousandths of the other players' moves in the tree made by `greedy`, and of the worlds in which `suspect` is applied; whether `estimate`
also values finished games; whether a net guides and estimates."""
EXPLORE, URGENCY = 0, 1
"""Float settings: the weight of exploration, and how much worse than its node's mean an untried move is assumed to be."""
# Arrays that belong together are passed together:
#   words     the records as 64-bit words, the first word of a game's own fields, and a mask of its bits
#   memory    edges, nodes, the nodes' keys, and the hash table that finds them
#   walk      the path, the counters, every player's payoff in this simulation, and the sums over all simulations
#   settings  the integer and the float settings
#   minds     the net, and the desk it thinks at, over the same records
MULTIPLIER, START = 0x9FB2_1C65_1E98_DF25, 0x9E37_79B9_7F4A_7C15


@rule
def all_moves(s, moves, count):
    """`sensible` of a game that doesn't define it: all moves are worth considering."""
    return count


@rule
def anything(s, viewer, scratch):
    """`suspect` of a game that doesn't define it: nothing is assumed about others' hidden moves."""


@rule
def even(s, player):
    """`estimate` of a game that doesn't define it: everybody's chances are equal."""
    return 0


@rule
def simulate(states, words, memory, walk, moves, minds, settings, share):
    """Run simulations first..first+number-1 for the player to move in states[ROOT]. The payoffs are added up in `totals`."""
    edges, nodes, _, _ = memory
    path, counts, result, totals = walk
    whole, _ = settings
    seed, first, number = share
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
        depth = descend(states, words, memory, walk, moves, minds, settings)
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
def descend(states, words, memory, walk, moves, minds, settings):
    """Walk from the root along the most promising edges to a new node. Returns the length of the path, negative if the result is known."""
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
                if not add(states, memory, counts, moves, n, minds, whole, result):
                    return depth
                if whole[NET]:
                    if depth > 0:
                        return -depth
                    growing = True
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
    """Return the node for what the player to move knows, or the number of the next free node, which is then entered in the hash table.

    The table is never cleared: an entry is valid only if its node refers back to its slot.
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
def add(states, memory, counts, moves, n, minds, whole, result):
    """Create the next node, with an edge for every sensible move and the move of `greedy` first. Returns False if there is no room.

    With a net, the prior weights are the net's, and what it expects for every player is written to `result`.
    """
    edges, nodes, _, _ = memory
    s = states[WORLD]
    node = int64(counts[NODES])
    first = int64(counts[EDGES])
    if node >= nodes.shape[0] or first + n + 1 > edges.shape[0]:
        return False
    known = states[VIEW]
    if not whole[HIDDEN]:
        states[VIEW] = s
    advice = -1
    if whole[ADVISED] > 1 or (whole[NET] and minds[0][0][0, ADVICE_AT] >= 0):
        states[SPARE] = known  # already concealed
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
    if whole[NET]:
        ask_net(states, edges, first, count, minds, advice, result)
    nodes[node, FIRST] = first
    nodes[node, COUNT] = count
    nodes[node, VISITS] = 0
    nodes[node, TOTAL] = 0
    counts[NODES] = node + 1
    counts[EDGES] = first + count
    return True


@rule
def ask_net(states, edges, first, count, minds, advice, result):
    """Replace the prior weights of a node's edges by the net's policy, and write what it expects for every player to `result`."""
    mind, desk = minds
    known = states[VIEW]
    here = ponder(known, VIEW, 0, mind, desk, advice)  # noqa: F821
    most = -1e9
    for edge in range(first, first + count):
        edges[edge, PRIOR] = liking(mind, desk, 0, here, int64(edges[edge, ACTION]), advice)
        most = max(most, float(edges[edge, PRIOR]))
    total = 0.0
    for edge in range(first, first + count):
        edges[edge, PRIOR] = exp(edges[edge, PRIOR] - most)
        total += edges[edge, PRIOR]
    for edge in range(first, first + count):
        edges[edge, PRIOR] /= total
    for player in range(known.players):
        result[player] = expected(mind, desk, 0, here, player, known.to_move, known.players)


@rule
def new_edge(edges, edge, action, weight):
    """Set up the edge of an untried move."""
    edges[edge, ACTION] = action
    edges[edge, TIMES] = 0
    edges[edge, SUM] = 0
    edges[edge, PRIOR] = weight
    edges[edge, PROOF] = OPEN
    edges[edge, CHILD] = 0
    edges[edge, APART] = 0


@rule
def best_edge(edges, nodes, node, parts):
    """Return the most promising edge: its mean result so far, plus a bonus if it has rarely been tried (PUCT)."""
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
    """Return the edge of the root that has been tried least, among the candidates (those whose PRIOR isn't 0)."""
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
    """Continue the world to its end, or for `CUT` moves and then estimate. Writes every player's payoff to `result`."""
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
    """Add each player's payoff to the edges they chose."""
    for k in range(depth):
        edge = path[k, EDGE]
        node = path[k, NODE]
        nodes[node, VISITS] += 1
        nodes[node, TOTAL] += result[path[k, PLAYER]]
        edges[edge, TIMES] += 1
        edges[edge, SUM] += result[path[k, PLAYER]]


@rule
def set_apart(edges, nodes, edge, result):
    """Compare the result of a root move with that of the first move, which always meets a world first."""
    if edge == int64(nodes[0, FIRST]):
        nodes[0, MEASURE] = result
    edges[edge, APART] += (result - nodes[0, MEASURE]) ** 2


@rule
def prove_back(edges, nodes, path, depth, result, ended):
    """Carry a proven result up the path, as long as no chance intervened."""
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
    """Return what is proven for the player to move in a node."""
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

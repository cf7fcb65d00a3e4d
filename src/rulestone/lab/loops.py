"""The loops that play and count, as templates: `begin`, `legal`, `step` and `quick_move` stand for one game's rules;
`opening`, `before`, `after` and `finish` for those of its `measures.py`; `deal` and `picked` for one of the ways to play below.

Everything counted is a whole number and is only ever added up (or the smallest is kept), so totals do not depend on how the
work was split.
"""

from rulestone.kernel.chance import rand, stream
from rulestone.kernel.rule import int64, rule

DECISIONS, TURNS, FORCED, ENDING, GENERAL = 0, 1, 2, 3, 4
"""The last places of `out`, the same in every game: decisions, turns, decisions without a choice, the last event."""
TIMES, HANDS, WON, WORTH, PLAYED, EVERYBODY, HANDS_2, WON_2, HANDS_WON, ALL_HANDS, ALL_WON = range(11)
"""Columns of `counts`: how often something happened; in how many hands (one player in one game); how many of these won; their payoff.
Then, since the hands of one game depend on each other: in how many games, in how many of these to everybody, and over the games the sums
of hands², wins², hands × wins, hands × all winners and wins × all winners.
"""
N, TOTAL, SQUARES, GAMES, N_2, TOTAL_2, N_TOTAL = range(7)
"""Columns of `sums`: how many values, their sum and sum of squares; at the first place of a measure that each player has, by games: how
many, and the sums of n², total² and n × total."""
OWN, OWN_WON, OWN_2, OWN_WON_2, OWN_BOTH, OWN_GAMES, OWN_N, NOW, NOW_WON = range(9)
"""Columns of `bins` for a measure that each player has: hands, wins, and by games the sums of hands², wins², hands × wins, the number of
games, the sum of hands × all hands that have a value; the last two count within a game. (Others: games, then wins of each seat.)"""
BIN, BINS, WIDE, WHOSE, TOP = 0, 1, 2, 3, 4
"""Columns of `places`: first bin and number of bins of a place of `out`, their width (a power of 2), the player it belongs to (-1: the
game), and its highest value (0: no limit)."""
UNIT = 10_000
"""Payoffs are added up in ten-thousandths."""
PLIES = 1 << 20
"""A move of a game as one number: game * PLIES + ply."""
THING, PLY, PLAYERS, THINGS = 4, 20, 0xF, 0xFFFF
"""An entry of the diary as one number: player + 1 in the lowest bits, the thing from bit THING on, the ply from bit PLY on."""
SMALL = 0x7FFF
"""An index masked with this is not negative, and the compiler knows it."""
NEVER = 1 << 62
EXAMPLES = 3

# Arrays that belong together are passed together:
#   share    the games to play: the first one, how many, the seed, and n, if everything is counted in every n-th only
#   bots     who in the line-up is greedy, whether the line-up moves on with each game, scratch records, recorded moves
#   tables   what an action counts as, its verb, what an event counts as, the player on each seat, the places of `out`
#   totals   what is added up, in the order of `Counter.totals`
#   desk     a thread's own arrays: the diary, who has done what in this game, what is new in it, `out`, and who won


@rule
def no_opening(s, out):
    """`opening` of a game that measures nothing there."""


@rule
def no_before(s, action, out):
    """`before` of a game that measures nothing there."""


@rule
def no_after(s, action, player, out):
    """`after` of a game that measures nothing there."""


@rule
def no_finish(s, out):
    """`finish` of a game that measures nothing there."""


@rule
def random_move(s, n, moves, turned, policy, scratch, script):
    """`picked` if everybody plays at random."""
    return int64(moves[rand(s, n)])


@rule
def policy_move(s, n, moves, turned, policy, scratch, script):
    """`picked` if each bot of the line-up plays at random (0) or like the quick bot (1), as in the engine's playouts."""
    if n == 1:
        return int64(moves[0])
    if policy[(s.to_move + turned) % s.players] == 1:
        return quick_move(s, moves, n, scratch, stream(s.rng, s.ply))  # noqa: F821
    return int64(moves[rand(s, n)])


@rule
def scripted_move(s, n, moves, turned, policy, scratch, script):
    """`picked` if the moves were recorded earlier, from any bots: row 1 + ply of the script has the generator and the action."""
    s.rng = script[1 + s.ply, 0]
    return int64(script[1 + s.ply, 1])


@rule
def dealt(seed, game, script):
    """`deal`: every game has its own random stream."""
    return stream(seed, game)


@rule
def scripted_deal(seed, game, script):
    """`deal` of a recorded game."""
    return script[0, 0]


@rule
def play_block(states, start, share, moves, bots, tables, totals, desk, rows):
    """Play games first..first+count-1 and count. (All in one function: calls with this many arrays would cost more than a move.)

    If `rotate`, the line-up of bots moves on by a seat with each game. Things and the game's own measures are counted in every
    `every`-th game.
    """
    first, count, seed, every = share
    policy, rotate, scratch, script = bots
    key_of, verb_of, told_as, sitter, places = tables
    counts, offered, branching, examples, sums, cross, bins, earliest, seats, firsts, detail = totals
    diary, stamp, fresh, out, won = desk
    s = states[0]
    enough = diary.shape[0] // 2
    general = out.shape[0] - GENERAL
    several = offered.shape[0] > key_of.shape[0] + 1
    for game in range(first, first + count):
        states[0] = start[0]
        s.rng = deal(seed, game, script)  # noqa: F821
        begin(s)  # noqa: F821
        detailed = game % every == 0
        for place in range(out.shape[0]):
            out[place] = 0 if detailed else -1
        if detailed:
            opening(s, out)  # noqa: F821
        turned = game % s.players if rotate else 0
        news = 0
        old = 0
        player = -1
        decisions = 0
        turns = 0
        forced = 0
        while True:
            # What happened: each event counts for the first seat it names, or for the player who moved.
            for row in range(min(s.told, s.story.shape[0]) if detailed else 0):
                event = s.story[row, 1] & SMALL
                if event >= told_as.shape[0]:  # further numbers of the event before it
                    continue
                who = player if told_as[event, 1] < 0 else sitter[s.story[row, (2 + told_as[event, 1]) & 7] & 7]
                diary[news] = (s.ply << PLY) + (told_as[event, 0] << THING) + who + 1
                news += 1
                for k in range(told_as[event, 6]):
                    place = told_as[event, 7 + k]
                    word = s.story[row, 2 + place]
                    if 0 <= word < told_as[event, 11 + place]:
                        diary[news] = (s.ply << PLY) + ((told_as[event, 2 + place] + word) << THING) + who + 1
                        news += 1
            if s.to_move < 0 or news >= enough:
                # Count the diary's entries; those new in this game wait in `fresh` until we know who won.
                for k in range(news):
                    who = (diary[k] & PLAYERS) - 1
                    key = (diary[k] >> THING) & THINGS
                    counts[key, TIMES] += 1
                    if who >= 0 and stamp[who, key] != game:
                        stamp[who, key] = game
                        fresh[old, 0] = key
                        fresh[old, 1] = who
                        old += 1
                        if examples[key, EXAMPLES - 1] == NEVER:
                            keep_example(key, game, diary[k] >> PLY, examples)
                news = 0
                if s.to_move < 0:
                    break
            # What could be chosen: every move, and every verb once (`verb_of`: the verb, numbered after the moves, and where it ends).
            n = legal(s, moves)  # noqa: F821
            branching[n & SMALL] += 1
            forced += n == 1
            decisions += 1
            turns += player != s.to_move
            player = s.to_move
            for k in range(n if detailed else 0):
                offered[int64(moves[k]) & SMALL] += 1
            k = 0 if several and detailed else n
            while k < n:
                move = int64(moves[k]) & SMALL
                offered[verb_of[move, 0]] += 1
                above = n
                k += 1
                while k < above:  # moves ascend: the first one of the next verb
                    middle = (k + above) >> 1
                    if int64(moves[middle]) < verb_of[move, 1]:
                        k = middle + 1
                    else:
                        above = middle
            # What was chosen.
            action = picked(s, n, moves, turned, policy, scratch, script) & SMALL  # noqa: F821
            for k in range(key_of.shape[1] if detailed else 0):
                if key_of[action, k] >= 0:
                    diary[news] = (s.ply + 1 << PLY) + (key_of[action, k] << THING) + player + 1
                    news += 1
            if detailed:
                before(s, action, out)  # noqa: F821
            step(s, action)  # noqa: F821
            if detailed:
                after(s, action, player, out)  # noqa: F821
        out[general + DECISIONS] = decisions
        out[general + TURNS] = turns
        out[general + FORCED] = forced
        told = min(s.told, s.story.shape[0])
        while told > 1 and s.story[told - 1, 1] < 0:  # further numbers of the event before it
            told -= 1
        out[general + ENDING] = s.story[told - 1, 1] if told > 0 else -1
        # The game is over: find who won, and add everything measured to sums and bins; if rows are wanted, a row holds it all.
        players = s.players
        best = s.payoff[0]
        for player in range(players):
            best = max(best, s.payoff[player])
        alone = 0
        for player in range(players):
            if s.payoff[player] == best:
                alone += 1
        winners = 0
        for player in range(players):
            value = int64(s.payoff[player] * UNIT + (0.5 if s.payoff[player] >= 0 else -0.5))
            won[player, 1] = value
            if won[0, 2] == 1:
                won[player, 0] = 1 if s.payoff[player] > 0 else 0
            else:
                won[player, 0] = 1 if alone == 1 and s.payoff[player] == best else 0
            if won[player, 0] == 1:
                winners += 1
                if firsts[player, EXAMPLES - 1] == NEVER:
                    keep_example(player, game, s.ply, firsts)
            bot = (player + turned) % players
            seats[player, bot, 0] += 1
            seats[player, bot, 1] += won[player, 0]
            seats[player, bot, 2] += value
            seats[player, bot, 3] += value * value
        for k in range(old):
            key = fresh[k, 0]
            player = fresh[k, 1]
            stamp[won.shape[0], key] += 1
            stamp[won.shape[0] + 1, key] += won[player, 0]
            counts[key, WORTH] += won[player, 1]
        for k in range(old):
            key = fresh[k, 0]
            hands = stamp[won.shape[0], key]
            if hands > 0:
                wins = stamp[won.shape[0] + 1, key]
                counts[key, HANDS] += hands
                counts[key, WON] += wins
                counts[key, PLAYED] += 1
                counts[key, EVERYBODY] += hands == players
                counts[key, HANDS_2] += hands * hands
                counts[key, WON_2] += wins * wins
                counts[key, HANDS_WON] += hands * wins
                counts[key, ALL_HANDS] += winners * hands
                counts[key, ALL_WON] += winners * wins
                stamp[won.shape[0], key] = 0
                stamp[won.shape[0] + 1, key] = 0
        if winners == 0 and firsts[won.shape[0], EXAMPLES - 1] == NEVER:
            keep_example(won.shape[0], game, s.ply, firsts)
        if detailed:
            detail[0] += 1
            detail[1] += winners
            detail[2] += winners * winners
            finish(s, out)  # noqa: F821
        for place in range(0 if detailed else general, out.shape[0]):
            value = out[place]
            if value >= 0 and places[place, BINS] > 0 and places[place, WHOSE] < players:
                if places[place, TOP] > 0 and value > places[place, TOP]:
                    value = places[place, TOP]
                    out[place] = value
                sums[place, N] += 1
                sums[place, TOTAL] += value
                sums[place, SQUARES] += value * value
                bin = places[place, BIN] + min(value >> places[place, WIDE], places[place, BINS] - 1)
                if places[place, WHOSE] >= 0:
                    bins[bin, NOW] += 1
                    bins[bin, NOW_WON] += won[places[place, WHOSE], 0]
                else:
                    bins[bin, 0] += 1
                    for player in range(players):
                        bins[bin, 1 + player] += won[player, 0]
                if game < earliest[bin]:
                    earliest[bin] = game
            elif places[place, WHOSE] >= players:
                out[place] = -1
            if places[place, BINS] > 0 and places[place, WHOSE] == players - 1:
                end_hands(place - players + 1, players, places, out, sums, bins)
        for k in range(cross.shape[0]):
            if out[cross[k, 0]] >= 0 and out[cross[k, 1]] >= 0:
                cross[k, 2] += out[cross[k, 0]] * out[cross[k, 1]]
                cross[k, 3] += out[cross[k, 0]] > out[cross[k, 1]]
        if game - first < rows.shape[0]:
            for player in range(players):
                rows[game - first, player] = won[player, 1]
                rows[game - first, won.shape[0] + player] = won[player, 0]
            for place in range(out.shape[0]):
                rows[game - first, 2 * won.shape[0] + place] = out[place]


@rule
def trace(states, start, game, seed, moves, bots, kept):
    """Play one game again and keep what its record needs: the starting position in states[1], every action and the generator before
    it; and for each place of `out` the number of moves after which it first changed. Return the number of moves.
    """
    policy, rotate, scratch, script = bots
    actions, dice, out, opened, changed = kept
    s = states[0]
    states[0] = start[0]
    s.rng = deal(seed, game, script)  # noqa: F821
    begin(s)  # noqa: F821
    states[1] = s
    for place in range(out.shape[0]):
        out[place] = 0
    opening(s, out)  # noqa: F821
    for place in range(out.shape[0]):
        opened[place] = out[place]
        changed[place] = -1
    turned = game % s.players if rotate else 0
    made = 0
    while s.to_move >= 0 and made < actions.shape[0]:
        player = s.to_move
        n = legal(s, moves)  # noqa: F821
        action = picked(s, n, moves, turned, policy, scratch, script)  # noqa: F821
        actions[made] = action
        dice[made] = s.rng
        before(s, action, out)  # noqa: F821
        step(s, action)  # noqa: F821
        after(s, action, player, out)  # noqa: F821
        made += 1
        for place in range(out.shape[0]):
            if out[place] != opened[place] and changed[place] < 0:
                changed[place] = made
    return made


@rule
def end_hands(first, players, places, out, sums, bins):
    """Every hand of a game has been put into the bins of a measure that each player has: add the game up."""
    n = 0
    total = 0
    for place in range(first, first + players):
        if out[place] >= 0:
            n += 1
            total += out[place]
    if n == 0:
        return
    sums[first, GAMES] += 1
    sums[first, N_2] += n * n
    sums[first, TOTAL_2] += total * total
    sums[first, N_TOTAL] += n * total
    for place in range(first, first + players):
        if out[place] >= 0:
            bin = places[place, BIN] + min(out[place] >> places[place, WIDE], places[place, BINS] - 1)
            own = bins[bin, NOW]
            if own > 0:
                wins = bins[bin, NOW_WON]
                bins[bin, OWN] += own
                bins[bin, OWN_WON] += wins
                bins[bin, OWN_2] += own * own
                bins[bin, OWN_WON_2] += wins * wins
                bins[bin, OWN_BOTH] += own * wins
                bins[bin, OWN_GAMES] += 1
                bins[bin, OWN_N] += own * n
                bins[bin, NOW] = 0
                bins[bin, NOW_WON] = 0


@rule
def keep_example(key, game, ply, examples):
    """Keep one of the first games in which something happened, unless it is kept already."""
    for k in range(EXAMPLES):
        if examples[key, k] == NEVER:
            examples[key, k] = game * PLIES + ply
            return
        if examples[key, k] // PLIES == game:
            return


@rule
def luck_games(states, start, first, seed, moves, bots, results):
    """Play deals from `first` on, each with several series of dice, and each of these in several ways; write all payoffs to `results`.

    The deal, the dice of every move and the players' choices each have their own generator.
    """
    policy, rotate, scratch, _ = bots
    s = states[0]
    dice, plays = results.shape[1], results.shape[2]
    for deal_ in range(results.shape[0]):
        turned = (first + deal_) % start[0].players if rotate else 0
        for series in range(dice):
            thrown = stream(stream(seed, 4 * (first + deal_) + 1), series)
            for play in range(plays):
                mind = stream(stream(seed, 4 * (first + deal_) + 2), series * plays + play)
                states[0] = start[0]
                s.rng = stream(seed, 4 * (first + deal_))
                begin(s)  # noqa: F821
                while s.to_move >= 0:
                    n = legal(s, moves)  # noqa: F821
                    if n > 1 and policy[(s.to_move + turned) % s.players] == 1:
                        action = quick_move(s, moves, n, scratch, stream(mind, s.ply))  # noqa: F821
                    else:
                        scratch[0].rng = stream(mind, s.ply)
                        action = int64(moves[rand(scratch[0], n)])
                    s.rng = stream(thrown, s.ply)
                    step(s, action)  # noqa: F821
                for player in range(s.players):
                    results[deal_, series, play, player] = s.payoff[player]

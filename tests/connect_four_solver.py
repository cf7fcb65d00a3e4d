"""Connect Four solved exactly, for positions late in a game: alpha-beta over bitboards, with a table of what is known already.

A column takes seven bits, of which the top one stays empty, so that lines of four are found by shifting.
"""

ROWS, COLUMNS = 6, 7
BOTTOM = [1 << (ROWS + 1) * column for column in range(COLUMNS)]
TOP = [bottom << ROWS - 1 for bottom in BOTTOM]
ORDER = (3, 2, 4, 1, 5, 0, 6)
FULL = ROWS * COLUMNS


def lines_up(discs):
    """Are four of these discs in a line?"""
    for step in (1, ROWS + 1, ROWS, ROWS + 2):
        pairs = discs & discs >> step
        if pairs & pairs >> 2 * step:
            return True
    return False


def solve(mine, all_discs, known, low=-1, high=1):
    """1, 0 or -1: what whoever is to move gets if both play perfectly."""
    if all_discs.bit_count() == FULL:
        return 0
    moves = [all_discs | all_discs + BOTTOM[column] for column in ORDER if not all_discs & TOP[column]]
    for after in moves:
        if lines_up(mine | after ^ all_discs):
            return 1
    key = (mine, all_discs, low, high)
    if key not in known:
        best = -1
        for after in moves:
            best = max(best, -solve(mine ^ all_discs, after, known, -high, -max(low, best)))
            if best >= high:
                break
        known[key] = best
    return known[key]


def values(match):
    """What each legal move of a match is worth, by column: 1, 0 or -1."""
    mine = theirs = 0
    for row in range(ROWS):
        for column in range(COLUMNS):
            owner, disc = int(match.state.grid[row, column]), 1 << (ROWS + 1) * column + row
            mine |= disc if owner == match.to_move else 0
            theirs |= disc if owner == 1 - match.to_move else 0
    found, known = {}, {}
    for _, column in match.legal():
        after = mine | theirs | (mine | theirs) + BOTTOM[column]
        wins = lines_up(mine | after ^ (mine | theirs))
        found[column] = 1 if wins else -solve(theirs, after, known)
    return found

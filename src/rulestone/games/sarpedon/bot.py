"""The `greedy` bot of Sarpedon: find the shard of the quadrant, go in, break the stone when blocked, help from the centre.

It thinks in turns. For each neighbouring tile it estimates how many turns its errand takes from there: a tour of the tiles that
may hide the Mirror Shard (tile 2 first, since a Shriek would sweep it away), then the throne room.
"""

from itertools import permutations

import numpy as np

from rulestone.kernel import rand, rule, size

from .content import CENTRE, MYSTERY_TILE, PLAYERS, SLOTS, TILES
from .rules import (
    ACTIONS,
    BARE,
    CENTRE_BIT,
    ODD_TILES,
    PROTECT_TILE,
    SAVE_PLAYER,
    SAVE_TILE,
    SHARD,
    SHRIEK,
    SWAP,
    TRAP,
    UNTIL_SAVED,
    bit,
    cards_left,
    may_save_player,
    may_swap,
    may_use_cards,
    neighbours,
    possible_tiles,
    stone_tiles,
    unseen,
)

ORDERS = np.array(list(permutations(range(SLOTS))), np.uint8)  # the orders in which the Mystery slots can be visited
NEVER = 60  # turns: no way at all
STONE_WAIT = 3  # turns that a stone tile on the way costs, until somebody breaks it
REWARD = 10  # turns that a Mirror Shard is worth
PARTS = 12  # chances are counted in twelfths
NEED_PARTS = 720  # the value of a turn is counted in these parts
GUARD = 4  # with fewer Save Tiles left, a Tile 4 is protected in time (0: only from the centre)
FREE_ALL = 0  # 1: the first frozen friend is freed at once, no matter who needs the turn more
UNSAFE = 1  # twelfths of a turn for standing on a tile that can still turn to stone


@rule
def greedy(s, moves, count, scratch):
    """One of the legal actions."""
    player = s.to_move
    if s.phase == SWAP:
        action = pick_partner(s, player)
    else:
        action = help_friend(s, player)
        if action == ACTIONS.pass_() and s.pos[player] != CENTRE:
            action = guard_first(s, player, go_on(s, player))
    for index in range(count):
        if moves[index] == action:
            return action
    return moves[0]


# ---- Outside the centre ---------------------------------------------------------------------------------------------


@rule
def go_on(s, player):
    """Take the best step. If it leads onto stone, break the stone; without a Save Tile, wait for a friend to do so."""
    quadrant = s.quad[player]
    stone = stone_tiles(s, quadrant)
    here = bit(s.pos[player])
    wanted = possible_tiles(s, quadrant, SHARD, 0)
    if stones_in_the_way(here, stone) > 0 and not can_break(s, player):
        wanted |= possible_tiles(s, quadrant, SHRIEK, 0) | possible_tiles(s, quadrant, TRAP, 0)  # any way out
    unsafe = tiles_to_come(s, quadrant)
    best = NEVER * NEVER
    choice = 0
    for index in range(TILES):
        tile = 1 << index
        if neighbours(here) & tile != 0:
            value = errand(tile, stone & ~tile, wanted & ~stone, size(unseen(s, quadrant))) * 4 + rand(s, 4)
            if unsafe & tile != 0:
                value += UNSAFE * 4
            if stone & tile != 0:
                value += STONE_WAIT * PARTS * 4
            if value < best:
                best = value
                choice = index
    if stone >> choice & 1 == 1:
        return ACTIONS.save_tile(quadrant, choice + 1)
    return ACTIONS.move(choice + 1)


@rule
def errand(start, stone, wanted, unseen):
    """Expected turns, in twelfths, of the best tour of wanted Mystery tiles and then to the centre, less the expected reward."""
    best = PARTS * turns_to(start, CENTRE_BIT, stone)
    for order in range(ORDERS.shape[0]):
        here = start
        cost = 0
        going = PARTS  # the chance that the shard has not been found yet
        left = unseen
        for place in range(SLOTS):
            tile = bit(MYSTERY_TILE[ORDERS[order, place]])
            if wanted & tile != 0 and left > 0:
                home = turns_to(tile, CENTRE_BIT, stone)
                found = going // left
                if left < unseen and tile & ODD_TILES == 0:  # the card turned over before may have been the Shriek
                    found //= 2
                cost += going * turns_to(here, tile, stone) + found * (home - REWARD)
                going -= found
                left -= 1
                here = tile
                best = min(best, cost + going * home)
    return best


@rule
def turns_to(start, goal, stone):
    """The fewest turns from a tile to one of the goal tiles, each stone tile entered counting STONE_WAIT more."""
    now = goal
    before1 = 0
    before2 = 0
    before3 = 0
    turns = 0
    while now & start == 0 and turns < NEVER:
        wider = now | neighbours(now & ~stone) | neighbours(before3 & stone)
        before3 = before2
        before2 = before1
        before1 = now
        now = wider
        turns += 1
    return turns


@rule
def stones_in_the_way(start, stone):
    """How many stone tiles must be broken to walk from a tile to the centre."""
    tiles = start
    stones = 0
    while tiles & CENTRE_BIT == 0:
        wider = tiles | (neighbours(tiles) & ~stone)
        if wider == tiles:
            wider = tiles | neighbours(tiles)
            stones += 1
        tiles = wider
    return stones


@rule
def tiles_to_come(s, quadrant):
    """The tiles that the quadrant's deck can still turn to stone."""
    tiles = cards_left(s, quadrant)
    for index in range(TILES):
        if s.cover[quadrant, index] != BARE:
            tiles &= ~(1 << index)
    return tiles


@rule
def can_break(s, player):
    """Does the player have a Save Tile to use?"""
    return s.has[player] & SAVE_TILE != 0 and may_use_cards(s, player) == 0


@rule
def is_blocked(s, player):
    """Must a stone tile be broken before this player can get to the centre?"""
    return s.pos[player] != CENTRE and stones_in_the_way(bit(s.pos[player]), stone_tiles(s, s.quad[player])) > 0


@rule
def guard_first(s, player, action):
    """Once a Save Tile is spent, protect somebody's Tile 4 before entering the centre or breaking a stone."""
    if s.has[player] & PROTECT_TILE == 0 or not (action == ACTIONS.move(CENTRE) or ACTIONS.save_tile.includes(action)):
        return action
    saves = 0
    for friend in range(PLAYERS):
        saves += can_break(s, friend)
    if saves >= GUARD:
        return action
    best = 0
    for friend in range(PLAYERS):
        if s.pos[friend] != CENTRE and tiles_to_come(s, s.quad[friend]) & CENTRE_BIT != 0:
            value = (1 if can_break(s, friend) else 3) + (friend == player)  # a friend who could not break it needs it most
            if value > best:
                best = value
                action = ACTIONS.protect(s.quad[friend], CENTRE)
    return action


# ---- Helping --------------------------------------------------------------------------------------------------------


@rule
def help_friend(s, player):
    """Free a frozen friend who needs it. In the centre, keep the last card for a blocked friend, but don't save up a mere Protect Tile."""
    if may_use_cards(s, player) != 0:
        return ACTIONS.pass_()
    action = ACTIONS.pass_()
    if s.has[player] & SAVE_PLAYER != 0:
        action = free_friend(s, player)
    if action == ACTIONS.pass_() and s.pos[player] == CENTRE:
        if s.has[player] & SAVE_TILE != 0:
            action = open_way(s)
        elif s.has[player] & PROTECT_TILE != 0:
            action = protect_way(s)
    return action


@rule
def free_friend(s, player):
    """Free the frozen friend whose search needs a turn most, if it needs it more than the player's own or they would never move again."""
    best = -1
    choice = ACTIONS.pass_()
    for friend in range(PLAYERS):
        if may_save_player(s, friend) == 0 and s.frozen[friend] > 0:  # one who is merely barred in the centre can wait
            need = 0 if FREE_ALL else need_of_turn(s, friend)
            if need > best:
                best = need
                choice = ACTIONS.save_player(friend)
    if choice == ACTIONS.pass_() or FREE_ALL or s.freeze == UNTIL_SAVED or best > need_of_turn(s, player):
        return choice
    return ACTIONS.pass_()


@rule
def need_of_turn(s, player):
    """The value of a turn to a search: the chance that the quadrant's shard can be found, divided by the cards left in its deck."""
    if s.pos[player] == CENTRE:
        return 0
    quadrant = s.quad[player]
    tiles = possible_tiles(s, quadrant, SHARD, 0)
    hopes = 0
    for slot in range(SLOTS):
        hopes += tiles & bit(MYSTERY_TILE[slot]) != 0
    if hopes == 0:
        return 0
    return NEED_PARTS * hopes // (size(unseen(s, quadrant)) * (TILES + 1 - s.dptr[quadrant]))


@rule
def open_way(s):
    """Break the stone tile that gives a blocked friend the shortest way."""
    best = NEVER * NEVER
    choice = ACTIONS.pass_()
    for friend in range(PLAYERS):
        if is_blocked(s, friend):
            stone = stone_tiles(s, s.quad[friend])
            here = bit(s.pos[friend])
            for index in range(TILES):
                rest = stone & ~(1 << index)
                value = stones_in_the_way(here, rest) * NEVER + turns_to(here, CENTRE_BIT, rest)
                if rest != stone and value < best:
                    best = value
                    choice = ACTIONS.save_tile(s.quad[friend], index + 1)
    return choice


@rule
def protect_way(s):
    """Protect the tile whose petrification would hurt a friend outside most: usually their Tile 4."""
    best = 0
    choice = ACTIONS.pass_()
    for friend in range(PLAYERS):
        if s.pos[friend] != CENTRE:
            stone = stone_tiles(s, s.quad[friend])
            unsafe = tiles_to_come(s, s.quad[friend])
            here = bit(s.pos[friend])
            for index in range(TILES):
                harm = turns_to(here, CENTRE_BIT, stone | 1 << index) - turns_to(here, CENTRE_BIT, stone)
                if unsafe >> index & 1 == 1 and harm > best:
                    best = harm
                    choice = ACTIONS.protect(s.quad[friend], index + 1)
    return choice


# ---- Magic Trap -----------------------------------------------------------------------------------------------------


@rule
def pick_partner(s, player):
    """Give a blocked place to somebody with a Save Tile; swap with a frozen friend only for that."""
    best = -NEVER
    choice = ACTIONS.pass_()
    for friend in range(PLAYERS):
        if may_swap(s, friend) == 0:
            value = rand(s, 2)
            if is_blocked(s, friend) and not can_break(s, friend):
                value += 8 if can_break(s, player) else -4
            if is_blocked(s, player) and not can_break(s, player):
                value += 8 if can_break(s, friend) else 0
            if s.frozen[friend] > 0:
                value -= 2
            if s.pos[friend] == CENTRE:
                value -= NEVER // 2
            if value > best:
                best = value
                choice = ACTIONS.swap(friend)
    return choice


# ---- For search bots --------------------------------------------------------------------------------------------------

SEARCH = {"trust": 1.0, "halving": True, "caution": 0.5, "advice": 6, "cut": -1, "expected": True, "slips": 0.6}


@rule
def estimate(s, player):
    """The value of the shards against Medusa before the die is rolled; while somebody is outside, a loss."""
    value = -1000
    for friend in range(PLAYERS):
        if s.pos[friend] != CENTRE:
            return -1000
        value += 500 * s.shards[friend]
    return value


@rule
def sensible(s, moves, count):
    """Keep all moves except cards on tiles that help nobody: stone in nobody's way, tiles that can't do any harm."""
    kept = 0
    for index in range(count):
        action = moves[index]
        keep = True
        if ACTIONS.protect.includes(action):
            keep = worth_protecting(s, ACTIONS.protect.argument(action), bit(ACTIONS.protect.argument(action, 1)))
        elif ACTIONS.save_tile.includes(action):
            keep = worth_breaking(s, ACTIONS.save_tile.argument(action), bit(ACTIONS.save_tile.argument(action, 1)))
        if keep:
            moves[kept] = action
            kept += 1
    return kept if kept > 0 else count


@rule
def worth_protecting(s, quadrant, tile):
    """Can this tile still turn to stone, and would that make somebody's way to the centre longer?"""
    if tiles_to_come(s, quadrant) & tile == 0:
        return False
    stone = stone_tiles(s, quadrant)
    for friend in range(PLAYERS):
        if s.pos[friend] != CENTRE and s.quad[friend] == quadrant:
            here = bit(s.pos[friend])
            if turns_to(here, CENTRE_BIT, stone | tile) > turns_to(here, CENTRE_BIT, stone):
                return True
    return False


@rule
def worth_breaking(s, quadrant, tile):
    """Would breaking this stone make somebody's way to the centre shorter?"""
    stone = stone_tiles(s, quadrant)
    for friend in range(PLAYERS):
        if s.pos[friend] != CENTRE and s.quad[friend] == quadrant:
            here = bit(s.pos[friend])
            if turns_to(here, CENTRE_BIT, stone & ~tile) < turns_to(here, CENTRE_BIT, stone):
                return True
    return False

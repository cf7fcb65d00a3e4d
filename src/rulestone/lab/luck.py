"""How much of the outcome is luck: the same deals with different dice, the same dice with different play.

By the law of total variance, the variance of a seat's payoff is the sum of three parts: what the deal alone explains, what the
dice and draws after it explain, and what is left to the players' choices. They are estimated as in a nested analysis of variance.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from rulestone.bots import Bot, decide
from rulestone.game import Game
from rulestone.kernel.chance import MASK, stream
from rulestone.lab.count import Desk, Totals
from rulestone.lab.loops import UNIT
from rulestone.lab.plan import Cell, policy_of

DEALS = 25
"""Deals in a block, if games are played in compiled code."""
DICE = PLAYS = 4
BATCHES = 10
"""Deals are counted in this many batches; how much these differ gives the uncertainty of the shares."""


def luck_totals(seats: int) -> Totals:
    """Totals of no deals: for each batch and seat the number of deals, the sum of payoffs, and the sums of squares of payoffs and of
    their sums over plays and over deals.
    """
    return {"luck": np.zeros((BATCHES, seats, 5), np.int64)}


def _counted(results: NDArray[np.float32], first: int, seats: int) -> Totals:
    totals = luck_totals(seats)
    whole = np.rint(results * UNIT).astype(np.int64)
    for k, deal in enumerate(whole):
        sums = deal.sum(axis=1), deal.sum(axis=(0, 1))
        parts = (np.ones_like(sums[1]), sums[1], (deal**2).sum(axis=(0, 1)), (sums[0] ** 2).sum(axis=0), sums[1] ** 2)
        totals["luck"][(first + k) % BATCHES, : deal.shape[2]] += np.stack(parts, axis=1)
    return totals


def compiled_luck(desk: Desk, cell: Cell, first: int, count: int, seed: int) -> Totals:
    """Deals first..first+count-1 played by random or greedy bots."""
    game = desk.counter.game
    results = np.zeros((count, DICE, PLAYS, cell.players), np.float32)
    start = desk.start(game.prepared(cell.players, cell.options)[0])
    bots = desk.bots(policy_of(cell), cell.mixed)
    desk.counter.run("luck", desk.mode)(desk.states, start, first, desk.seed(seed), desk.moves, bots, *desk.plain(results))
    return _counted(results, first, desk.counter.seats)


def match_luck(game: Game, cell: Cell, deal: int, seed: int, bots: Mapping[str, Bot]) -> Totals:
    """One deal played by bots that search."""
    results = np.zeros((1, DICE, PLAYS, cell.players), np.float32)
    turned = deal % cell.players if cell.mixed else 0
    for series in range(DICE):
        thrown = int(stream(stream(seed & MASK, 4 * deal + 1), series))
        for play in range(PLAYS):
            mind = int(stream(stream(seed & MASK, 4 * deal + 2), series * PLAYS + play))
            match = game.new(f"lab luck {seed} {deal}", cell.players, cell.options)
            while (seat := match.to_move) is not None:
                bot = bots[cell.bots[(seat + turned) % cell.players]]
                move = decide(match.view(seat), bot, int(stream(mind, match.ply)) >> 1).move
                match.play(move, rng=int(stream(thrown, match.ply)))
            results[0, series, play] = match.payoff
    return _counted(results, deal, game.max_players)


def shares(counted: NDArray[np.int64]) -> dict[str, float] | None:
    """The parts of the variance, from the sums of every seat: deal, dice and play, adding up to 1; None if nothing varies."""
    deals, total, squares, by_series, by_deal = (counted[:, k].astype(float) for k in range(5))
    played = deals > 1
    if not played.any():
        return None
    pairs = DICE * PLAYS
    middle = (total[played] ** 2 / (deals[played] * pairs)).sum()
    count, seats = deals[played].sum(), played.sum()
    squares_, series, whole = squares[played].sum(), by_series[played].sum() / PLAYS, by_deal[played].sum() / pairs
    play = (squares_ - series) / (count * DICE * (PLAYS - 1))
    between_dice = (series - whole) / (count * (DICE - 1))
    between_deals = (whole - middle) / (count - seats)
    dice = max(0.0, (between_dice - play) / PLAYS)
    deal = max(0.0, (between_deals - between_dice) / pairs)
    everything = play + dice + deal
    return {"deal": deal / everything, "dice": dice / everything, "play": play / everything} if everything > 0 else None

"""Confidence intervals that hold together with 95 % confidence, however many there are (Šidák) and however often you look."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

CONFIDENCE = 0.95
POWER = 0.8
NORMAL = NormalDist()


def z_for(comparisons: int = 1, confidence: float = CONFIDENCE) -> float:
    """Return the half-width of an interval in standard errors, such that `comparisons` of them hold together (Šidák).

    >>> round(z_for(), 3), round(z_for(4), 3)
    (1.96, 2.491)
    """
    each = 1 - confidence ** (1 / max(1, comparisons))
    return NORMAL.inv_cdf(1 - each / 2)


def z_at_look(look: int, comparisons: int = 1) -> float:
    """Return the same for look number `look`, if you look repeatedly: of the 5 % risk, look k spends the share 1/(k(k+1)).

    The shares add up to 1, so all looks hold together.

    >>> round(z_at_look(1), 3), round(z_at_look(10), 3)
    (2.241, 3.506)
    """
    return z_for(comparisons, 1 - (1 - CONFIDENCE) / (look * (look + 1)))


Z = z_for()
"""The half-width of a 95 % interval in standard errors."""


def wilson(successes: float, trials: float, z: float = Z) -> tuple[float, float]:
    """Return the Wilson score interval of a share.

    >>> [round(value, 3) for value in wilson(530, 1000)]
    [0.499, 0.561]
    """
    if trials <= 0:
        return 0.0, 1.0
    share = successes / trials
    centre = share + z * z / (2 * trials)
    spread = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


def moments(n: float, total: float, squares: float) -> tuple[float, float]:
    """Return the mean and standard deviation from a count, a sum and a sum of squares.

    >>> moments(4, 10, 30)
    (2.5, 1.2909944487358056)
    """
    if n <= 0:
        return 0.0, 0.0
    mean = total / n
    return mean, math.sqrt(max(0.0, squares - n * mean * mean) / (n - 1)) if n > 1 else 0.0


def mean_interval(n: float, total: float, squares: float, z: float) -> tuple[float, float, float]:
    """Return the mean and its interval (Student's, which matters for small samples)."""
    mean, deviation = moments(n, total, squares)
    reach = student(z, n - 1) * deviation / math.sqrt(n) if n > 1 else math.inf if n else 0.0
    return mean, mean - reach, mean + reach


def student(z: float, freedom: float) -> float:
    """Convert a normal quantile to Student's (Cornish-Fisher expansion).

    >>> round(student(1.96, 9), 2), round(student(1.96, 1e6), 2)
    (2.26, 1.96)
    """
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


def newcombe(won: float, hands: float, other_won: float, others: float, z: float) -> tuple[float, float, float]:
    """Return the difference of two shares and its interval (Newcombe's, from two Wilson intervals).

    >>> [round(value, 3) for value in newcombe(56, 70, 48, 80, z_for())]
    [0.2, 0.052, 0.334]
    """
    if hands <= 0 or others <= 0:
        return 0.0, -1.0, 1.0
    p, q = won / hands, other_won / others
    low, high = wilson(won, hands, z)
    other_low, other_high = wilson(other_won, others, z)
    below = math.sqrt((p - low) ** 2 + (other_high - q) ** 2)
    above = math.sqrt((high - p) ** 2 + (q - other_low) ** 2)
    return p - q, p - q - below, p - q + above


def ratio_interval(of: tuple[float, float], to: tuple[float, float], cross: float, z: float) -> tuple[float, float, float]:
    """Return the ratio of two sums and its interval (delta method).

    `of` and `to` are each a sum and a sum of squares over the same games, `cross` the sum of products.
    """
    if to[0] <= 0:
        return 0.0, 0.0, 0.0
    ratio = of[0] / to[0]
    reach = z * math.sqrt(max(0.0, of[1] - 2 * ratio * cross + ratio * ratio * to[1])) / to[0]
    return ratio, ratio - reach, ratio + reach


def cluster_mean(row: Sequence[float], z: float) -> tuple[float, float, float]:
    """Return a mean over things that are clustered in games, and its interval.

    `row` holds the number of games, of things, the sum of squares of the numbers of things per game, the sum of values, the sum of squares
    of the values per game, and the sum of products of both.

    >>> [round(value, 2) for value in cluster_mean((100, 200, 400, 100.0, 200.0, 200.0), z_for())]  # the same value within a game
    [0.5, 0.4, 0.6]
    """
    games, n, squares, total, total_squares, product = (float(value) for value in row)
    if games < 2 or n <= 0:
        return (total / n if n else 0.0), -math.inf, math.inf
    return ratio_interval((total, total_squares), (n, squares), product, student(z, games - 1) * math.sqrt(games / (games - 1)))


def cluster_share(row: Sequence[float], z: float) -> tuple[float, float, float]:
    """Return the same for a share of things: Wilson's interval for the effective number of things.

    >>> [round(value, 2) for value in cluster_share((100, 200, 400, 0, 0, 0), z_for())]
    [0.0, 0.0, 0.04]
    """
    games, n = float(row[0]), float(row[1])
    share, low, _ = cluster_mean(row, 1.0)
    if games < 2 or n <= 0:
        return share, 0.0, 1.0
    error = share - low
    worth = min(n, max(share * (1 - share) / error**2, min(games, n))) if error > 0 else min(games, n)
    return share, *wilson(share * worth, worth, student(z, games - 1))


def games_to_settle(n: float, mean: float, deviation: float, z: float) -> int | None:
    """Return how many more games would show, with a power of 80 %, that a difference of this size is real; None if no number would.

    >>> games_to_settle(100, 0.1, 1.0, 1.96)
    685
    """
    if mean == 0 or n < 2:
        return None
    needed = ((z + NORMAL.inv_cdf(POWER)) * deviation / mean) ** 2
    return max(0, math.ceil(needed - n)) if needed < 1e12 else None

"""Confidence intervals that hold together with 95 % confidence, however many there are (Šidák) and however often you look."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import NormalDist

CONFIDENCE = 0.95
POWER = 0.8
NORMAL = NormalDist()
WARY = 4.0
"""The number of games' weight that a share's plain variance has beside the one found between games."""


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
    """Return the same for a share of things: Wilson's interval for the number of independent things that would be as uncertain.

    >>> [round(value, 2) for value in cluster_share((100, 200, 400, 0, 0, 0), z_for())]
    [0.0, 0.0, 0.04]
    """
    games, n, _, total = (float(value) for value in row[:4])
    share = total / n if n else 0.0
    if games < 2 or n <= 0:
        return share, 0.0, 1.0
    worth = _independent(row)
    return share, *wilson(share * worth, worth, student(z, games - 1))


def _independent(row: Sequence[float]) -> float:
    """How many independent things would make a share as uncertain: fewer than there are if those of a game go together, more if they
    exclude each other. Never fewer than if those of a game were all alike. With few games, the estimate is drawn towards the plain number.
    """
    games, n, squares, total = (float(value) for value in row[:4])
    plain = total / n * (1 - total / n) / n
    error = cluster_error(row, row) * games / (games - 1)
    found = (games * error + WARY * plain) / (games + WARY)
    return max(n * n / squares, plain * n / found if found > 0 else 0.0)


def cluster_error(row: Sequence[float], other: Sequence[float], crossed: Sequence[float] | None = None) -> float:
    """Return the covariance of two means over things that are clustered in games (the variance, if they are the same).

    `crossed` holds the sums over games of the products total × total, total × number, number × total and number × number.
    """
    both, one, another, none = crossed or (float(row[4]), float(row[5]), float(row[5]), float(row[2]))
    n, others = float(row[1]), float(other[1])
    p, q = float(row[3]) / n, float(other[3]) / others
    return (both - q * one - p * another + p * q * none) / (n * others)


def cluster_difference(row: Sequence[float], other: Sequence[float], crossed: Sequence[float], z: float) -> tuple[float, float, float]:
    """Return the difference of two shares of things that are clustered in the same games, and its interval: Newcombe's, from the two
    intervals of `cluster_share`, less what both have in common (Zou and Donner). See `cluster_error` for `crossed`.

    >>> rows = (70, 70, 70, 56, 56, 56), (80, 80, 80, 48, 48, 48)  # one thing in each game: Newcombe's own example
    >>> [round(value, 2) for value in cluster_difference(*rows, (0, 0, 0, 0), z_for())]
    [0.2, 0.05, 0.34]
    """
    (p, low, high), (q, other_low, other_high) = cluster_share(row, z), cluster_share(other, z)
    if min(row[0], other[0]) < 2 or min(row[1], other[1]) <= 0:
        return p - q, -1.0, 1.0
    scale = math.sqrt(max(0.0, cluster_error(row, row)) * max(0.0, cluster_error(other, other)))
    common = max(-1.0, min(1.0, cluster_error(row, other, crossed) / scale)) if scale > 0 else 0.0

    def reach(one: float, another: float) -> float:
        return math.sqrt(max(0.0, one * one - 2 * common * one * another + another * another))

    return p - q, max(-1.0, p - q - reach(p - low, other_high - q)), min(1.0, p - q + reach(high - p, q - other_low))


def z_for_pair(common: float) -> float:
    """Return the half-width such that two intervals hold together whose errors have this correlation.

    >>> round(z_for_pair(0), 2), round(z_for_pair(-1), 2), round(z_for(2), 2), round(z_for(1), 2)
    (2.24, 1.96, 2.24, 1.96)
    """
    return _z_for_pair(round(abs(common), 2))


@lru_cache(128)
def _z_for_pair(common: float) -> float:
    rest = math.sqrt(max(1e-9, 1 - common * common))

    def both(z: float) -> float:
        """The probability that two standard normal variables with this correlation are both within ± z (by the trapezium rule)."""
        steps = [z * (2 * k / 200 - 1) for k in range(201)]
        inside = [NORMAL.pdf(x) * (NORMAL.cdf((z - common * x) / rest) - NORMAL.cdf((-z - common * x) / rest)) for x in steps]
        return (sum(inside) - (inside[0] + inside[-1]) / 2) * 2 * z / 200

    low, high = z_for(1), z_for(2)
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (low, middle) if both(middle) >= CONFIDENCE else (middle, high)
    return high


def games_to_settle(n: float, mean: float, deviation: float, z: float) -> int | None:
    """Return how many more games would show, with a power of 80 %, that a difference of this size is real; None if no number would.

    >>> games_to_settle(100, 0.1, 1.0, 1.96)
    685
    """
    if mean == 0 or n < 2:
        return None
    needed = ((z + NORMAL.inv_cdf(POWER)) * deviation / mean) ** 2
    return max(0, math.ceil(needed - n)) if needed < 1e12 else None

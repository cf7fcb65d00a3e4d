"""When a second Movement die pays: exact odds, worked out by hand for a player without fish."""

from fractions import Fraction

import pytest

import rulestone
from rulestone.games.hydra_regatta.odds import gains, thresholds


@pytest.fixture(scope="module")
def match():
    return rulestone.load("hydra_regatta").new(seed=1)


def test_R17_without_fish_a_second_die_pays_up_to_4(match):
    """A 4 keeps 4, 5 and 6 (15 of 18 movement gained) and loses 4 in three of six throws: (15 - 12) / 6."""
    assert gains(match, fish=0) == [Fraction(7, 2), 3, 2, Fraction(1, 2), Fraction(-3, 2), -4]


def test_R20_a_fish_is_spent_only_if_it_pays(match):
    """A 5 with one fish: 5 and 6 stay, the others are thrown again for 7/2 on average."""
    assert gains(match, fish=1)[4] == Fraction(5 + 6 + 4 * Fraction(7, 2), 6) + Fraction(10, 6) - 5 + Fraction(0)
    assert gains(match, fish=1, price=100) == gains(match, fish=0)


def test_the_best_threshold_rises_with_the_fish_and_falls_with_their_price(match):
    assert thresholds(match) == [4, 5, 5, 6]
    assert thresholds(match, price=1) == [4, 5, 5, 5]
    assert thresholds(match, price=2) == [4, 4, 5, 5]
    assert thresholds(match, price=3) == [4, 4, 4, 4]

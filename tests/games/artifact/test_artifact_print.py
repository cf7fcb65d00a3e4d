"""Printed pieces of Artifact: every one exactly as often as the content says."""

from collections import Counter

from rulestone.game import load
from rulestone.games.artifact.content import CARDS, DECKS, MAP_NAMES, WALL
from rulestone.printing import Order, prepare


def counts(game, **order):
    made = prepare(game, Order(**order)).sheets
    return sum((sheet.counts for sheet in made if sheet.side != "back"), Counter())


def test_Q2_the_deck_is_printed_as_the_option_says():
    for name, deck in DECKS.items():
        found = counts(load("artifact"), options={"deck": name}, only=("cards",))
        assert found == dict(zip(CARDS, deck, strict=True))
    own = counts(load("artifact"), options={"deck": "9,9,8,8,3,7,6,4"}, only=("cards",))
    assert [own[card] for card in CARDS] == [9, 9, 8, 8, 3, 7, 6, 4]


def test_a_changed_deck_prints_changed():
    found = counts(load("artifact", {"DECKS_TEXT[standard54,Swap]": 2}), only=("cards",))
    assert (found["Swap"], found["Jump"]) == (2, 7)


def test_R30_each_number_of_players_has_its_map():
    usual = ["2-crossing", "3-tripod", "4-crossroads"]
    assert list(counts(load("artifact"), only=("board",))) == [f"Map for {n} players: {usual[n - 2]}" for n in (2, 3, 4)]
    assert list(counts(load("artifact"), only=("board",), players=2, options={"map": "2-maze"})) == ["Map for 2 players: 2-maze"]


def test_Q30_there_are_blocks_for_the_walls_and_twenty_more_or_as_many_as_the_option_says():
    most = max(int(WALL[MAP_NAMES.index(name)].sum()) for name in ("2-crossing", "3-tripod", "4-crossroads"))
    assert counts(load("artifact"), only=("tiles",)) == {"Block": most + 20}
    assert counts(load("artifact"), only=("tiles",), options={"block_supply": 5}) == {"Block": most + 5}


def test_every_player_has_a_piece_and_there_is_one_artifact():
    assert sum(counts(load("artifact"), only=("tokens",)).values()) == 5
    assert sum(counts(load("artifact"), only=("tokens",), players=2).values()) == 3

"""The kernel: records, actions, chance, story."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rulestone
from rulestone.kernel import (
    Actions,
    Event,
    Events,
    Record,
    fill,
    hush,
    i8,
    lift,
    option,
    pick,
    rand,
    shuffle,
    speak,
    tell,
    tell_more,
    tell_only,
    u8,
    u16,
    u64,
)
from rulestone.kernel.chance import stream
from rulestone.kernel.rule import rule
from rulestone.kernel.story import veil

connect_four = rulestone.load("connect_four")


class Sample(Record):
    """A record for the tests."""

    also = {"cur": "to_move"}

    grid: i8[2, 3]  # what is where
    total: u16
    bits: u64
    pace: u8 = option("slow", ("slow", "fast"), "how fast it goes")
    rounds: u8 = option({2: 10, 3: 15}, range(1, 201), "how long it goes")
    deck: u8[3] = option("small", {"small": (1, 2, 3), "large": (4, 5, 6)}, "which cards", name="cards")


layout = Sample.layout(players=3, story=4)


# ---- records


def test_base_fields_come_first():
    assert list(layout.fields)[:7] == ["rng", "ply", "players", "to_move", "told", "payoff", "story"]
    assert layout.dtype["payoff"].shape == (3,)
    assert layout.dtype["story"].shape == (4, 6)


def test_comments_behind_fields_are_available_to_tools():
    assert layout.fields["grid"].comment == "what is where"
    assert layout.fields["total"].comment == ""


def test_a_record_has_no_nameless_gaps():
    assert sum(layout.dtype[name].itemsize for name in layout.dtype.names) == layout.dtype.itemsize
    assert all(layout.dtype.fields[name][1] % 8 == 0 for name in ("rng", "bits"))


def test_interpreted_records_return_plain_ints():
    s = layout.new()
    s.grid[1, 2] = 100
    s.total = 60_000
    assert type(s.grid[1, 2]) is int
    assert s.grid[1, 2] + s.grid[1, 2] == 200
    assert type(s.total) is int


def test_interpreted_records_refuse_values_outside_the_field():
    s = layout.new()
    with pytest.raises(ValueError, match="invalid value"):
        s.grid[0, 0] = 200
    with pytest.raises(ValueError, match="invalid value"):
        s.total = -1


def test_a_base_field_cannot_be_declared_again():
    class Bad(Record):
        ply: u8

    with pytest.raises(TypeError, match="every record already has a field 'ply'"):
        Bad.layout(2)


def test_a_field_needs_a_kernel_type():
    class Bad(Record):
        x: int

    with pytest.raises(TypeError, match=r"'x' of Bad has type .*; it needs one such as i8"):
        Bad.layout(2)


# ---- options


@pytest.mark.parametrize(("name", "value", "stored"), [("pace", "fast", 1), ("pace", 1, 1), ("rounds", "12", 12), ("rounds", 200, 200)])
def test_options_are_read_by_name_and_number(name, value, stored):
    assert layout.options[name].read(value) == stored


@pytest.mark.parametrize(
    ("name", "value"),
    [("pace", "quick"), ("pace", 2), ("rounds", 0), ("rounds", "many"), ("rounds", None), ("cards", [1, 2]), ("cards", [1.5, 2, 3])],
)
def test_an_invalid_value_is_refused_with_the_allowed_ones(name, value):
    with pytest.raises(ValueError, match=rf"option '{name}' can't be .*; allowed: "):
        layout.options[name].read(value)


def test_options_are_shown_by_name():
    assert layout.options["pace"].show(1) == "fast"
    assert layout.options["rounds"].show(7) == 7


def test_a_default_can_depend_on_the_number_of_players():
    assert [layout.options["rounds"].default_for(players) for players in (2, 3)] == [10, 15]


def test_an_option_can_be_a_named_list_under_another_name():
    cards = layout.options["cards"]
    assert cards.read("large") == (4, 5, 6)
    assert cards.read([7, 8, 9]) == (7, 8, 9)
    assert cards.read("7,8,9") == (7, 8, 9)
    assert cards.show((4, 5, 6)) == "large"
    assert cards.show((7, 8, 9)) == [7, 8, 9]
    assert layout.option_fields["cards"] == "deck"


def test_true_means_on_if_the_values_are_on_and_off():
    class Switch(Record):
        block: u8 = option("on", ("on", "off"), "block or not")

    block = Switch.layout(2).options["block"]
    assert [block.read(value) for value in (True, False, "on", "off", 0, 1)] == [0, 1, 0, 1, 0, 1]


@pytest.mark.parametrize(("value", "stored"), [(True, 1), ("yes", 1), ("off", 0), (0, 0)])
def test_a_switch_is_read_from_words(value, stored):
    class Switch(Record):
        loud: u8 = option(0, (0, 1), "loud or not")

    assert Switch.layout(2).options["loud"].read(value) == stored


# ---- actions

actions = Actions(pass_=(), move=range(1, 17), protect=(4, range(1, 17)), turn="N E S W", swap=4)


def test_actions_are_numbered_in_the_order_of_declaration():
    assert [verb.base for verb in actions] == [0, 1, 17, 81, 85]
    assert len(actions) == 89
    assert (actions.pass_, actions.move, actions.swap) == (0, 1, 85)


@given(st.integers(0, len(actions) - 1))
def test_decode_encode_and_parse_are_inverse(action):
    move = actions.decode(action)
    assert actions.encode(*move) == action
    assert actions.parse(str(move)) == actions.parse(move) == actions.parse(tuple(move)) == action


def test_arguments_are_numbers_shown_by_name():
    assert actions.decode(82) == ("turn", 1)
    assert str(actions.decode(82)) == "turn E"
    assert actions.parse("turn e") == actions.parse(("turn", 1)) == actions.parse("TURN 1") == 82


def test_an_argument_can_have_several_names():
    takes = Actions(take="Bag/Large_Bag Box", put=("Bag/Large_Bag Box", 2))
    assert [str(takes.decode(action)) for action in range(2)] == ["take Bag", "take Box"]
    assert (
        takes.parse("take LARGE bag") == takes.parse(("take", "Large Bag")) == takes.parse("take large_bag") == takes.parse("take bag") == 0
    )
    assert takes.parse("put large_bag 1") == 3
    with pytest.raises(ValueError, match=r"'large box' is not a valid argument; usage: take Bag\|Box"):
        takes.parse("take large box")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("jump 3", "there is no move 'jump'; moves are: pass, move, protect, turn, swap"),
        ("move", "'move' takes 1 argument"),
        ("move 17", "'17' is not a valid argument; usage: move 1..16"),
        ("turn X", "turn N|E|S|W"),
        (("turn", 1.5), "1.5 is not a valid argument; usage: turn"),
        (("turn", None), "None is not a valid argument; usage: turn"),
        ("", "the text is empty"),
        ("99", "there is no action 99"),
        (-1, "there is no action -1"),
        (3.5, "is not a move"),
        (None, "is not a move"),
        ((), "is not a move"),
    ],
)
def test_an_invalid_move_is_refused_with_the_valid_ones(text, reason):
    with pytest.raises(ValueError) as refusal:
        actions.parse(text)
    assert reason in str(refusal.value)


def test_a_move_can_be_shown_partly():
    assert str(actions.decode(17, seen=0b101)) == "protect ? 1"
    assert actions.decode(17, seen=0b101) == ("protect", None, 1)
    assert str(actions.decode(17, seen=0)) == "?"


# ---- chance


@rule
def draws(states, n, out):
    """A template: many draws from one generator."""
    for k in range(len(out)):
        out[k] = rand(states[0], n)


@rule
def shuffles(states, out):
    """A template: counts the orders of three cards after shuffling."""
    s = states[0]
    for _ in range(6000):
        for k in range(3):
            s.height[k] = k
        shuffle(s, s.height, 0, 3)
        out[s.height[0] * 9 + s.height[1] * 3 + s.height[2]] += 1


def interpreted_states(seed):
    s = connect_four.layout.new()
    s.rng = seed
    return [s]


def compiled_states(seed):
    states = connect_four.layout.array(1)
    states["rng"] = seed
    return states


@pytest.mark.parametrize("n", [1, 2, 3, 6, 7, 220, 2**31 - 1])
def test_the_stream_is_the_same_in_both_modes(n):
    slow, fast = [0] * 500, np.zeros(500, np.int64)
    connect_four.interpreted(draws)(interpreted_states(2**63 + 5), n, slow)
    connect_four.compiled(draws)(compiled_states(2**63 + 5), n, fast)
    assert slow == fast.tolist()
    assert 0 <= min(slow) <= max(slow) < n


def test_rand_is_uniform():
    out = np.zeros(600_000, np.int64)
    connect_four.compiled(draws)(compiled_states(1), 6, out)
    counts = np.bincount(out, minlength=6)
    assert ((counts - 100_000) ** 2 / 100_000).sum() < 20.5  # chi-squared, 5 degrees of freedom: 0.1 %


def test_rand_has_no_modulo_bias():
    """With n = 3 * 2**29 a plain remainder of 32 bits would give the lower third double weight."""
    n = 3 * 2**29
    out = np.zeros(90_000, np.int64)
    connect_four.compiled(draws)(compiled_states(2), n, out)
    thirds = np.bincount(out // (n // 3), minlength=3)
    assert ((thirds - 30_000) ** 2 / 30_000).sum() < 13.8


def test_shuffle_gives_every_order_equally_often():
    out = np.zeros(27, np.int64)
    connect_four.compiled(shuffles)(compiled_states(3), out)
    counts = out[out > 0]
    assert len(counts) == 6
    assert ((counts - 1000) ** 2 / 1000).sum() < 20.5


@rule
def picks(states, out):
    """Template: pick from counts 3, 1, 0, 2 of the kinds 1..4, many times; the last draws are from nothing."""
    s = states[0]
    fill(s.height, 0, 7, 0)
    s.height[1], s.height[2], s.height[4] = 3, 1, 2
    for k in range(len(out) - 1):
        out[k] = pick(s, s.height, 1, 5)
    out[len(out) - 1] = pick(s, s.height, 5, 7)


def test_pick_draws_by_weight_and_says_when_there_is_nothing():
    out = np.zeros(60_001, np.int64)
    connect_four.compiled(picks)(compiled_states(4), out)
    counts, expected = np.bincount(out[:-1], minlength=5)[[1, 2, 4]], np.array([30_000, 10_000, 20_000])
    assert set(out[:-1]) == {1, 2, 4}
    assert ((counts - expected) ** 2 / expected).sum() < 13.8  # chi-squared, 2 degrees of freedom: 0.1 %
    assert out[-1] == -1
    slow = [0] * 300
    connect_four.interpreted(picks)(interpreted_states(4), slow)
    assert slow[:-1] == out[:299].tolist()


@rule
def lifts(states, out):
    """Template: fill a pile, lift a thing from its middle."""
    s = states[0]
    fill(s.height, 1, 6, 5)
    out[0] = lift(s.height, 3, -1)
    for k in range(7):
        out[1 + k] = s.height[k]


def test_fill_and_lift_change_only_their_places():
    slow, fast = [0] * 8, np.zeros(8, np.int64)
    connect_four.interpreted(lifts)(interpreted_states(1), slow)
    connect_four.compiled(lifts)(compiled_states(1), fast)
    assert slow == fast.tolist() == [5, 0, 5, 5, -1, 5, 5, 0]


def test_streams_of_one_seed_differ():
    assert len({stream(1, game) for game in range(10_000)}) == 10_000
    assert stream(1, 0) != stream(2, 0)


# ---- story


def test_a_sentence_names_seats_and_words():
    events = Events(names={"card": ("Ho", "Vert")}, plays="{who:seat} plays {card:card} {times} times, {who:seat}!")
    assert events.arguments["plays"] == ("who", "card", "times")
    assert events.say(Event("plays", (1, 0, 3)), ("Red", "Blue")) == "Blue plays Ho 3 times, Blue!"


LONG = Events(throws="{who:seat} throws {a} {b} {c} {d} {e}.", short="{x}")


def test_an_event_can_have_more_than_four_numbers_in_further_rows():
    s = Sample.layout(players=3, story=4).new()
    tell(s, LONG.throws, 1, 6, 5, 4)
    tell_more(s, 3, 2)
    tell_only(s, 2, LONG.short, 9)
    assert LONG.read(s.raw["story"][0], s.told) == [Event("throws", (1, 6, 5, 4, 3, 2)), Event("short", (9,), 2)]
    assert LONG.say(LONG.read(s.raw["story"][0], s.told)[0], ("Red", "Blue", "Green")) == "Blue throws 6 5 4 3 2."


@pytest.mark.parametrize("viewer", [-1, 0, 1])
def test_further_numbers_are_heard_by_those_who_hear_the_event(viewer):
    s = Sample.layout(players=3, story=6).new()
    tell_only(s, 1, LONG.throws, 1, 6, 5, 4)
    tell_more(s, 3, 2)
    tell(s, LONG.short, 9)
    veil(s, viewer)
    heard = LONG.read(s.raw["story"][0], s.told)
    assert [event.args for event in heard] == ([(1, 6, 5, 4, 3, 2), (9,)] if viewer == 1 else [(9,)])
    assert (viewer == 1) == (6 in s.raw["story"][0])


def test_a_story_without_room_for_further_numbers_can_still_be_read():
    s = Sample.layout(players=3, story=1).new()
    tell(s, LONG.throws, 1, 6, 5, 4)
    tell_more(s, 3, 2)
    assert s.told == 2  # the contract counts it
    assert LONG.say(LONG.read(s.raw["story"][0], s.told)[0], ("Red", "Blue", "Green")) == "Blue throws 6 5 4 0 0."


def test_numbers_that_follow_nothing_are_not_told():
    s = Sample.layout(players=3, story=2).new()
    tell_more(s, 3, 2)
    told = hush(s)
    tell_more(s, 3, 2)
    speak(s, told)
    assert (s.told, s.raw["story"].any()) == (0, False)


def test_more_than_sixteen_arguments_are_refused():
    with pytest.raises(ValueError, match="shows more than 16 numbers"):
        Events(many=" ".join(f"{{a{k}}}" for k in range(17)))


def test_an_option_speaks_players_words_where_it_has_them():
    class Spoken(Record):
        share: u8 = option(1, (1, 0), "whether you may share a square (Q1)", title="Sharing")
        freeze: u8 = option(
            "two_turns", ("two_turns", "until_saved"), "how long you are frozen", labels=("for two turns", "until you're saved")
        )
        rounds: u8 = option(9, range(1, 100), "the last round")

    share, freeze, rounds = Spoken.layout(2).options.values()
    assert (share.title, share.sentence, share.said(0), share.said(1)) == ("Sharing", "You may share a square (Q1)", "no", "yes")
    assert (freeze.title, freeze.sentence, freeze.said("until_saved")) == ("", "How long you are frozen", "until you're saved")
    assert (rounds.said(12), layout.options["pace"].said("slow")) == ("12", "slow")


def test_every_choice_needs_its_own_label():
    with pytest.raises(ValueError, match="there are 2 choices but 1 labels: soft"):
        option(0, (0, 1), "how loud", labels=("soft",))

"""What the lab measures in Artifact, counted again from the story of whole games and in positions written by hand."""

import random
from collections import Counter

import pytest

from rulestone.games.artifact.content import CARDS
from rulestone.games.artifact.measures import BY_STEP, BY_SWAP, FIRST_OPENING, JUMPED, MEASURES, ROWS, STARTED, STOLE_AT_HOME, SWAPPED
from rulestone.lab.count import Counter as LabCounter
from tests.watched import Watched as Measured

PLAYS = ("ho", "vert", "diag", "jump", "swap", "drop", "dynamite", "rotate")


class Watched(Measured):
    """With the words of each move."""

    def __init__(self, match):
        super().__init__(match)
        self.story.append((None, "", match.events))

    def play(self, *moves):
        for move in moves:
            player, action = self.match.to_move, self.match.game.actions.parse(move)
            self.story.append((player, str(self.match.game.actions.decode(action)), self.step(action)))
        return self

    def play_on(self, seed):
        choice = random.Random(seed)
        while not self.match.over:
            self.play(choice.choice(self.match.legal()))
        return self


@pytest.fixture(scope="module", params=[(2, "test2"), (3, "test3"), (4, "test4")], ids=lambda params: params[1])
def played(request, game):
    players, board = request.param
    return [Watched(game.new(seed=seed, players=players, options={"map": board, "max_rounds": 30})).play_on(seed) for seed in range(4)]


def test_takes_and_thefts_match_the_story(played):
    for game in played:
        assert game.takes == len(game.events("takes"))
        assert game.thefts == len(game.events("steals")) == sum(game.of("theft_kinds", 4)) == sum(game.of("theft_places", ROWS * ROWS))
        taken = game.events("takes", "steals")
        assert game.first_taker == (taken[0].args[0] if taken else -1)
        thieves = [event.args[0] for event in game.events("steals")]
        players = game.match.players
        assert game.of("last_thief", players) == [int(player == thieves[-1]) if thieves else -1 for player in range(players)]
        assert game.undone <= game.thefts


def test_undone_thefts_match_a_replay_turn_by_turn(played):
    for game in played:
        turn, due, undone = -1, {}, 0
        players = game.match.players
        for _, _, events in game.story:
            for event in events:
                if event.name in ("takes", "steals"):
                    who = event.args[0]
                    now = turn if turn % players == who else turn + 1  # a take at the start is told before the turn
                    undone += due.pop(who, None) == now
                if event.name == "steals":
                    due[event.args[1]] = now + (event.args[1] - who) % players
                turn += event.name in ("turn", "chase")
        assert game.undone == undone


def test_plays_left_and_turns_without_a_card_add_up(played):
    for game in played:
        assert game.all_turns == len(game.events("turn", "chase"))
        assert game.chases == len(game.events("chase"))
        plays = sum(len(game.events(name)) for name in PLAYS)
        limits, plays_now, allowed, unused, idle = [], 0, 0, 0, 0
        for _, _, events in game.story:
            for event in events:
                if event.name in ("turn", "chase"):
                    plays_now, allowed = 0, event.args[1]
                    limits.append(allowed)
                elif event.name == "allowance":
                    allowed = event.args[1]
                elif event.name == "stops":
                    unused, idle = unused + allowed - plays_now, idle + (plays_now == 0)
                elif event.name in PLAYS:
                    plays_now += 1
        assert (game.unused, game.idle) == (unused, idle)
        assert game.bonuses == len(game.events("allowance")) + sum(limit > 4 for limit in limits)
        assert 0 <= game.bonus_plays <= plays
        assert game.picks == len(game.events("picks")) >= game.picks_played


def test_what_is_played_last_in_a_turn_is_left_for_the_next_player(played):
    for game in played:
        left, last = dict.fromkeys(PLAYS, 0), None
        for _, _, events in game.story:
            for event in events:
                if event.name in ("turn", "chase") and last is not None:
                    left[last], last = left[last] + 1, None
                elif event.name in PLAYS:
                    last = event.name
        if last is not None and not game.events("wins"):
            left[last] += 1  # the last turn is over, and nobody has won
        assert sorted(game.of("left", 8)) == sorted(left.values())
        assert sum(game.of("played", 8)) == sum(len(game.events(name)) for name in PLAYS)
        assert game.lively == (4 <= game.rounds <= 12 and game.thefts >= 2)


def test_cards_blocks_and_places_add_up(played):
    for game in played:
        players = game.match.players
        opening = [[game.out[FIRST_OPENING + 8 * kind + player] for kind in range(8)] for player in range(players)]
        assert [sum(hand) for hand in opening] == [6] * players
        dropped, blown = len(game.events("drop")), len(game.events("dynamite"))
        assert game.blocks == int(game.match.state.h.sum())
        assert 0 <= game.tiles <= dropped
        assert (game.blocks_early < 0) == (game.match.state.turn < 5 * players)
        moves = len(game.events("ho", "vert", "diag", "jump", "swap"))
        assert sum(game.of("visits", ROWS * ROWS)) == moves
        assert game.rotations == len(game.events("rotate")) >= max(game.rotate_helps, game.rotate_harms)
        assert sum(game.of("walls_used", ROWS * ROWS)) <= blown + len(game.events("jump"))


def test_the_end_is_measured_once(played):
    for game in played:
        winners = game.events("wins")
        drawn = bool(game.events("capped"))
        assert (game.ending == 6) == drawn == (not winners)
        assert game.rounds == (30 if drawn else game.match.state.turn // game.match.players + 1)
        assert game.first_wins == (-1 if drawn else int(winners[0].args[0] == game.first_taker))
        plays = Counter(player for player, move, _ in game.story if move.split(" ")[0] in PLAYS)
        assert game.winner_cards == (-1 if drawn else plays[winners[0].args[0]])
        assert game.take_cards <= (plays[game.first_taker] if game.first_taker >= 0 else -1)
        assert game.of("base", game.match.players) == list(range(game.match.players))


def test_kept_cards_are_those_in_hand_when_the_turn_ends(game):
    watched = Watched(game.new(seed=3, players=2))
    choice = random.Random(3)
    kept = Counter()
    for _ in range(80):
        move = choice.choice(watched.match.legal())
        if move.verb == "end_turn":
            kept.update({kind: int(n) for kind, n in enumerate(watched.match.state.hand[watched.match.to_move])})
        watched.play(move)
    assert watched.of("kept", 8) == [kept[kind] for kind in range(8)]


@pytest.mark.parametrize(
    ("hand", "moves", "ending", "cards", "thefts"),
    [
        ("Ho", ["ho W"], 0, 1, None),
        ("Swap", ["swap P2"], SWAPPED, 1, BY_SWAP),
        ("Ho", ["ho W"], STOLE_AT_HOME, 1, BY_STEP),
        ("Jump", ["jump W"], JUMPED, 1, None),
    ],
)
def test_how_the_game_is_won(lay, hand, moves, ending, cards, thefts):
    """P1's base is (0, 0). P1 stands beside it with the artifact, or P2 has it there."""
    stolen = thefts is not None
    match = lay(
        pieces={1: (0, 1), 2: (0, 0) if stolen else (4, 4)}, art=(0, 0) if stolen else (0, 1), holder=2 if stolen else 1,
        hands={1: hand}, discard="Ho", blocks=[(0, 0)] if ending == JUMPED else (),
    )  # fmt: skip
    watched = Watched(match).play(*moves)
    assert (watched.ending, watched.winning_cards, watched.winning_way) == (ending, cards, 1)
    assert watched.of("theft_kinds", 4) == [int(kind == thefts) for kind in range(4)]
    assert watched.of("base_blocked", 2) == [0, 0]


def test_a_win_at_the_start_of_the_turn(lay):
    """P1 carries the artifact onto P2's base while P2 is there: P2 starts the turn on it at home (Q43)."""
    match = lay(pieces={1: (4, 3), 2: (4, 4)}, art=(4, 3), holder=1, hands={1: "Ho, Drop Block", 2: "Ho*6"}, discard="Ho", limit=1)
    watched = Watched(match).play("ho E", "end_turn")
    assert match.over
    assert watched.ending == STARTED
    assert (watched.winning_cards, watched.winning_way, watched.same_turn) == (0, 0, 1)
    assert watched.of("theft_kinds", 4) == [0, 0, 0, 1]


def test_a_rotation_helps_a_player_who_can_then_use_more_cards(lay):
    """The temple of test2 is at (2, 2). P1 stands west of it with two Vert: no use before the board is turned. P2 is north of it."""
    match = lay(pieces={1: (2, 0), 2: (0, 2)}, hands={1: "Vert*2, Rotate", 2: "Vert*2"}, discard="Ho")
    watched = Watched(match).play("rotate")
    assert (watched.rotations, watched.rotate_helps, watched.rotate_harms) == (1, 1, 1)


def test_a_block_on_a_base_is_noticed(lay):
    match = lay(pieces={1: (0, 1), 2: (4, 4)}, hands={1: "Drop Block, Ho"}, discard="Ho")
    watched = Watched(match).play("drop W")
    assert (watched.of("base_blocked", 2), watched.tiles) == ([1, 0], 1)


def test_a_wall_of_the_map_is_used_by_jumping_onto_it(lay):
    """The wall at (1, 1) of test2 counts, the block that was dropped at (0, 1) does not."""
    for way, used in (("SE", 1), ("E", 0)):
        match = lay(pieces={1: (0, 0), 2: (4, 4)}, hands={1: "Jump, Ho"}, discard="Ho", blocks=[(0, 1)])
        watched = Watched(match).play(f"jump {way}")
        places = watched.of("walls_used", ROWS * ROWS)
        assert sum(places) == used == places[ROWS + 1]


def test_a_swap_that_helps_an_opponent_is_counted(lay):
    """P1 swaps P2 next to the temple of test3 and gains nothing."""
    match = lay(map="test3", pieces={1: (2, 1), 2: (0, 4), 3: (4, 4)}, hands={1: "Swap, Ho"}, discard="Ho")
    watched = Watched(match).play("swap P2")
    assert watched.gifts == 1
    assert watched.gift_to == 1


def test_Q34_a_card_without_effect_counts_as_played_but_not_as_a_visit(lay):
    watched = Watched(lay(idle_cards="yes", hands={1: "Swap, Jump, Ho"}, discard="Ho")).play("swap P1", "jump E")
    assert (watched.plays, watched.gifts, sum(watched.of("visits", ROWS * ROWS))) == (2, 0, 0)


def test_Q11_a_turn_of_seven_plays_is_one_with_a_fourth_card_and_a_bonus(lay):
    place = {"pieces": {1: (1, 1), 2: (1, 1)}, "art": (1, 1), "holder": 1, "phase": "discard"}
    match = lay(**place, hands={1: "Ho*6", 2: "Vert*6"}, discard="Jump", chase_and_take=7)
    watched = Watched(match).play("end_turn")
    assert (watched.limit, watched.usual, watched.bonuses, watched.chases) == (7, 4, 1, 1)


def test_every_card_has_an_opening_measure():
    assert [MEASURES.all[name].label.partition(" in the")[0] for name in MEASURES.all if name.startswith("opening_")] == list(CARDS)


def test_the_lab_measures_the_same_of_the_same_game(played, game, monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    counter = LabCounter(game)
    for watched in played[:2]:
        watched.check_against(counter)

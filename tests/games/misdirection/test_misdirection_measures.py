"""What the lab measures in misDIRECTION, counted again from the story of whole games and in positions written by hand."""

import random

import pytest

from rulestone.games.misdirection.content import AIM, CENTRE, DIRECTIONS, DISTANCE, KIND, PLAYER, SEAT
from rulestone.games.misdirection.measures import EARLY_TILES, FIRST_EARLY, LOSE_OTHER, LOSE_OWN, MEASURES, TELEPORT_OWN, TILES
from rulestone.lab import study
from rulestone.lab.count import Counter as LabCounter
from tests.watched import Watched as Measured

CELLS, OVER = 225, 2


class Watched(Measured):
    """With the cell on which the player stood before each move."""

    def play(self, move, rng=None):
        player, s = self.match.to_move, self.match.state
        stood = int(s.pos[SEAT[s.players, player]])
        events = self.step(self.match.game.actions.parse(move), rng)
        self.story.append((player, stood, events))
        return events


@pytest.fixture(scope="module", params=[2, 3, 4])
def played(request, misdirection):
    games = []
    for seed in range(5):
        watched = Watched(misdirection.game.new(seed=seed, players=request.param, options={"cap_turns": 90}))
        choice = random.Random(seed)
        while not watched.match.over:
            legal = watched.match.legal()
            watched.play(legal[0] if choice.random() < 0.5 else choice.choice(legal))
        games.append(watched)
    return games


def test_counts_match_the_story(played):
    for game in played:
        n = game.match.players
        assert sum(game.of("blocks", n)) == len(game.events("turns_under"))
        assert sum(game.of("self_turns", n)) == len(game.events("turns_own"))
        turned = game.of("rotations", 6)
        assert [turned[k] + turned[3 + k] for k in range(3)] == [
            len(game.events(name)) for name in ("turns_own", "turns_under", "turns_free")
        ]
        assert sum(game.of("scored", n)) == (game.points if game.hit else 0)
        assert sum(game.of("teleports", n)) == len(game.events("teleports"))
        assert sum(game.of("missed", n)) == len(game.events("misses"))
        bumps = game.events("bumps")
        assert game.bumps == len(bumps) == sum(game.of("bumped", n)) == sum(game.of("was_bumped", n)) == sum(game.of("bumps_at", CELLS))
        assert game.bump_steps == sum(7 - int(DISTANCE[event.args[1]]) for event in bumps)
        assert game.of("was_bumped", n) == [sum(PLAYER[n, event.args[2]] == player for event in bumps) for player in range(n)]
        assert game.exits == len(game.events("uncovers_edge", "follows_edge", "follows_corner"))
        assert game.corner_exits == len(game.events("follows_corner"))
        assert game.of("sent_home", 3) == [len(bumps), len(game.events("lost_at_edge")), 0]
        assert game.of("blocks_before", n) == [game.of("blocks", n)[player - 1] for player in range(n)]


def test_every_roll_ends_in_a_landing_or_at_home(played):
    for game in played:
        dice, lost = len(game.events("rolls", "opens")), len(game.events("lost_at_edge"))
        assert sum(game.of("landings", CELLS)) == dice - lost == sum(game.of("landed", 10))
        assert game.of("landed", 10)[9] == game.hit == game.out[MEASURES.landings + CENTRE]
        assert game.of("landed", 4)[3] == len(game.events("roll_again", "rolled_enough"))


def test_turns_and_disks_add_up(played):
    for game in played:
        assert game.light_turns + game.dark_turns == game.all_turns == min(game.match.state.turn, 90)
        assert game.light_win + game.dark_win == game.hit == len(game.events("wins"))
        assert game.ending == 1 - game.hit
        assert sum(game.of("own", 4)) == game.all_turns
        assert sum(game.of("face_up", CELLS)) == game.match.state.points
        assert game.points == (game.match.state.points if game.hit else -1)


def test_shots_are_rolls_while_the_arrow_points_at_the_centre(played, misdirection):
    """Only first rolls are counted here: Roll Again rolls start where the previous one landed."""
    for game in played:
        assert game.parried <= game.threats
        assert sum(game.of("parries", 2)) == game.parried
        assert sum(game.of("shots_from", CELLS)) == game.shots >= game.hit
        assert all(AIM[cell] >= 0 for cell in range(CELLS) if game.out[MEASURES.shots_from + cell])


def test_the_order_of_turns_starts_with_the_first_player(played):
    for game in played:
        n = game.match.players
        first = int(PLAYER[n, game.match.state.first])
        assert game.of("order", n) == [(player - first) % n for player in range(n)]
        opening = game.of("opening", n)
        assert 1 <= opening[first] <= 6
        assert all(number == -1 for player, number in enumerate(opening) if player != first)


def test_a_shot_from_a_rotated_tile_wins(misdirection):
    """Red stands three steps west of the centre, arrow north, disk light: rotate it east, roll a 3."""
    laid = misdirection.at(up={(7, 4): "A-N"}, tokens={0: (7, 4)}, light=(0,), turn=9)
    watched = Watched(laid.match)
    watched.play(("rot_cw", 15 * 7 + 4))
    watched.play("roll", rng=misdirection.generator_for((3,))[0])
    assert watched.match.over
    assert (watched.hit, watched.shots, watched.distance, watched.launch, watched.turned_win) == (1, 1, 3, 0, 1)
    assert (DIRECTIONS[watched.ray], watched.light_win, watched.dark_win, watched.again_win) == ("E", 1, 0, 0)
    assert watched.first_turn == 1
    assert watched.teleport_win == 0


def test_a_threat_that_is_turned_away_counts_as_blocked(misdirection):
    """Red aims at the centre and waits; Blue rotates the tile under Red; when Red's turn comes, the threat is gone."""
    laid = misdirection.at(up={(7, 4): "A-E", (3, 3): "A-E"}, tokens={0: (7, 4), 1: (3, 3)}, players=2 + 2, turn=9)
    watched = Watched(laid.match)
    watched.out[MEASURES.aimed] = 1
    s = laid.match.state
    s.to_move = 1
    watched.play("roll", rng=misdirection.generator_for((2,))[0])
    watched.play(("rot_cw", 15 * 7 + 4))
    for _ in range(8):
        if laid.match.to_move == 0:
            break
        watched.play("pass" if s.phase == 1 else "roll", rng=misdirection.generator_for((1,))[0])
    assert laid.match.to_move == 0
    assert (watched.parried, watched.of("parries", 2), watched.of("blocks", 4)) == (1, [1, 0], [0, 1, 0, 0])


def test_a_win_by_roll_again(misdirection):
    """Red rolls 2 east onto Roll Again, whose arrow points at the centre two steps away, and rolls 2."""
    laid = misdirection.at(up={(7, 3): "A-E"}, down={(7, 5): "R-E"}, tokens={0: (7, 3)})
    watched = Watched(laid.match)
    watched.play("roll", rng=misdirection.generator_for((2, 2))[0])
    assert (watched.hit, watched.again_win, watched.shots, watched.launch) == (1, 1, 2, 3)
    assert watched.out[FIRST_EARLY + 8 * 3] == 1


def test_a_win_after_a_teleport(misdirection):
    laid = misdirection.at(up={(1, 1): "T0-E", (7, 5): "T0-E"}, tokens={0: (1, 1)}, players=2)
    watched = Watched(laid.match)
    watched.play(("teleport", 15 * 7 + 5))
    watched.play("pass")
    assert watched.threats == 1
    while laid.match.to_move != 0:
        watched.play("pass" if laid.match.state.phase == 1 else "roll", rng=misdirection.generator_for((1,))[0])
    watched.play("roll", rng=misdirection.generator_for((2,))[0])
    assert (watched.hit, watched.teleport_win, watched.parried, watched.launch) == (1, 1, 0, TELEPORT_OWN)


def test_lose_turn_tiles_are_counted_by_whose_colour_they_show(misdirection):
    laid = misdirection.at(up={(3, 3): "A-E"}, down={(3, 5): "L0-N", (3, 4): "L1-N"}, tokens={0: (3, 3)})
    for die, tile in ((2, LOSE_OWN), (1, LOSE_OTHER)):
        watched = Watched(laid.match.copy())
        watched.play("roll", rng=misdirection.generator_for((die,))[0])
        assert watched.of("landed", 10)[tile] == 1
        assert KIND[watched.match.state.tile[15 * 3 + 3 + die]] == 4 + (tile == LOSE_OTHER)


def test_names_of_early_tiles():
    assert len(EARLY_TILES) == len(TILES) == 8
    assert MEASURES.place[EARLY_TILES[7]] == FIRST_EARLY + 7 * 8


def test_the_lab_measures_the_same_of_the_same_game(played, misdirection, monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    counter = LabCounter(misdirection.game)
    for watched in played[:2]:
        watched.check_against(counter)


def test_with_two_players_the_lab_credits_events_to_the_right_player(monkeypatch):
    """Q40: the story names seats 0 and 2, who are players 0 and 1."""
    monkeypatch.setenv("RULESTONE_JIT", "0")
    cell = study("misdirection", games=6, players=2, bots="greedy", seed=3, workers=1)["cells"][0]
    wins = next(thing for thing in cell["things"] if thing["kind"] == "event" and thing["name"] == "wins")
    assert (wins["times"], wins["hands"], wins["wins"]) == (6, 0.5, 1.0)  # one of the two in each game, and the one who won it
    assert sum(seat["wins"] for seat in cell["seats"]) == 6

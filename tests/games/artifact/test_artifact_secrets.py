"""Nobody else can tell whether a play step ended by END_PLAY or because nothing playable was left (section 7 of the sheet)."""

import json
import random
from types import SimpleNamespace

import pyspiel
import pytest
from starlette.testclient import TestClient

from rulestone import undo
from rulestone.envs import openspiel  # noqa: F401  (makes the game known there)
from rulestone.envs.pettingzoo import raw_env
from rulestone.match import replay
from rulestone.server.app import create_app
from tests.tables import Person
from tests.test_server_leaks import check_that_unnoticed_moves_tell_nothing

PLAY, DISCARD = 1, 2


@pytest.fixture
def endings(lay):
    """The same card played: in one game nothing playable is left, in the other the player stops although something is."""

    def endings():
        forced = lay(pieces={1: (1, 1)}, hands={1: "Jump, Dynamite", 2: "Vert*6"}, discard="Rotate")
        chosen = lay(pieces={1: (1, 1)}, hands={1: "Ho, Dynamite", 2: "Vert*6"}, discard="Rotate")
        for match in (forced, chosen):
            match.play("dynamite self")
        assert (forced.state.phase, chosen.state.phase) == (DISCARD, PLAY)
        return forced, chosen

    return endings


def all_of(match, viewer):
    view = match.view(viewer)
    return view._array.tobytes(), view.ply, view.moves, view.events


@pytest.mark.parametrize("viewer", [1, None])
def test_the_others_cannot_tell_a_forced_stop_from_a_chosen_one(endings, viewer):
    forced, chosen = endings()
    seen = all_of(forced, viewer)
    assert all_of(chosen, viewer) == seen
    chosen.play("end_play")
    assert all_of(chosen, viewer) == seen
    assert [event.name for event in chosen.view(viewer).events] == ["dynamite"]


def test_from_the_first_discard_on_the_others_see_the_discard_step(endings):
    forced, _ = endings()
    assert forced.view(1).state.phase == PLAY
    forced.play("discard Jump")
    assert next(event.name for event in forced.view(1).events) == "discards"
    forced, _ = endings()
    match = forced.copy()
    match.state.hand[0] = [1, 0, 1, 0, 0, 0, 0, 0]
    match.state.hand_n[0] = 2
    match.play("discard Jump")
    assert match.view(1).state.phase == match.view(None).state.phase == DISCARD


def test_R8_a_used_up_limit_is_no_secret(lay):
    match = lay(pieces={1: (2, 1)}, art=(0, 2), hands={1: "Rotate*3, Ho", 2: "Vert*6"}, limit=1)
    match.play("rotate")
    assert match.view(1).state.phase == match.view(None).state.phase == DISCARD
    assert [event.name for event in match.view(1).events] == ["rotate", "stops"]


def test_who_stops_playing_hears_just_that(endings):
    _, chosen = endings()
    assert [event.name for event in chosen.play("end_play")] == ["stops"]
    assert [event.name for event in chosen.view(0).events] == ["stops"]
    assert (chosen.view(0).ply, chosen.view(0).state.phase) == (2, DISCARD)


def test_worlds_in_which_nothing_is_playable_are_in_the_discard_step(endings):
    forced, _ = endings()
    phases = set()
    for seed in range(60):
        world = forced.view(1).imagine(seed)
        world.check()
        phases.add(world.state.phase)
        assert (world.state.phase == PLAY) == any(move.verb not in ("discard", "end_turn", "end_play") for move in world.legal())
    assert phases == {PLAY, DISCARD}


def test_a_game_with_unnoticed_moves_replays(game):
    match = game.new(seed=5)
    while match.ply < 60:
        match.play(match.legal()[0])
    assert match.view(1).ply < match.ply
    assert replay(json.loads(json.dumps(match.record()))).view(1).moves == match.view(1).moves


def test_an_end_of_playing_cannot_be_taken_back(endings):
    _, chosen = endings()
    chosen.play("end_play")
    assert undo.secret(chosen, 1)
    assert not undo.secret(chosen, 0)


def test_a_card_that_somebody_drew_in_secret_is_refused_with_a_true_reason(lay):
    match = lay(phase="draw", hands={1: "Ho*5", 2: "Vert*6"}, discard="Rotate")
    match.play("draw_deck")
    assert undo.refusal(match, 0, [0]) == undo.refusal(match, 0, [0, 1]) == undo.REVEALED
    assert undo.revealed(match, 0, [0, 1], asker=1) == undo.PERHAPS
    assert undo.refusal(match, 0, [1]) is None


def test_a_stop_that_hardly_any_world_explains_is_judged_by_what_everybody_knows(lay):
    """Six cards and none playable: nobody at the table would believe it without counting cards."""
    match = lay(pieces={1: (1, 1)}, hands={1: "Jump*6, Dynamite"}, rest=2, discard="Rotate")
    match.play("dynamite self")
    assert match.state.phase == DISCARD
    match.play("discard Jump")
    assert undo.refusal(match, 1, [1]) is None
    assert undo.refusal(match, 1, [0, 1]) == undo.refusal(match, 1, [0, 1, None]) == undo.REVEALED


def test_nothing_leaves_the_server_when_somebody_stops_playing(game, monkeypatch):
    monkeypatch.setattr("rulestone.server.room.time", SimpleNamespace(time=lambda: 0.0, monotonic=lambda: 0.0))
    assert check_that_unnoticed_moves_tell_nothing(game, plies=60) > 5


def test_an_environment_shows_nothing_when_somebody_stops_playing():
    """The observations of PettingZoo, and OpenSpiel's information states with all that was ever seen."""
    pettingzoo, spiel, chance = (
        raw_env("artifact", players=2),
        pyspiel.load_game("rulestone_artifact").new_initial_state(),
        random.Random(3),
    )
    pettingzoo.reset(seed=3)
    spiel.apply_action(3)
    stops = 0

    def shown(seat):
        agent = pettingzoo.possible_agents[seat]
        told = pettingzoo.observe(agent)["observation"].tolist()
        return told, spiel.information_state_string(seat), spiel.information_state_tensor(seat), spiel.observation_string(seat)

    while stops < 2:
        seat, end_play = spiel.current_player(), pettingzoo.game.actions.parse("end_play")
        before, action = shown(1 - seat), chance.choice(spiel.legal_actions())
        assert pettingzoo.agent_selection == pettingzoo.possible_agents[seat]
        pettingzoo.step(action)
        spiel.apply_action(action)
        assert (shown(1 - seat) == before) == (action == end_play)
        stops += action == end_play


def test_the_list_of_tables_does_not_tell_when_somebody_stops_playing(tmp_path, monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    with TestClient(create_app(f"sqlite:///{tmp_path / 'tables.db'}", limits=False)) as client:
        anna, ben, chance, stops = Person(client), Person(client), random.Random(3), 0
        table, _ = anna.table("artifact", ["me", "open"]), ben.table()
        ben.post(f"/api/tables/{table}/sit", {"seat": 1})
        while stops < 3:
            mover, waits = (anna, ben) if anna.state(table)["moves"] else (ben, anna)
            before = waits.get("/api/tables").json()
            move = chance.choice(mover.get(f"/api/tables/{table}/position").json()["legal"])
            assert mover.move(table, move).status_code == 200
            assert (waits.get("/api/tables").json() == before) == (move == "end_play")
            stops += move == "end_play"

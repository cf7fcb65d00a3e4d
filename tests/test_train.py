"""Training: what is learnt from, that it continues exactly, what it says and writes, and that it learns."""

import re
import sys

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

import rulestone
from rulestone.bots import make
from rulestone.bots.ladder import ladder
from rulestone.cli import app
from rulestone.engine import turn
from rulestone.envs.vector import VectorEnv
from rulestone.nets.lens import Lens
from rulestone.nets.net import Net, NetError
from rulestone.train.arena import GREEDY, RANDOM, Arena
from rulestone.train.eyes import Eyes, FarEyes, watch
from rulestone.train.games import SelfPlay, Table
from rulestone.train.learn import Rates
from rulestone.train.model import Network
from rulestone.train.trainer import Course, Trainer, default_file
from rulestone.train.weigh import Weigher, candidates
from tests.test_nets import TOYS
from tests.untrained import watched

SMALL = {"games": 8, "moves": 6, "widths": (8, 8), "ladder_games": 8, "ladders": 2}


@pytest.fixture
def coin(interpreted):
    """A game for two with a bot of its own."""
    return rulestone.load(TOYS / "coin")


def tabled(game, players=None, moves=30, games=6):
    torch.manual_seed(1)
    env = VectorEnv(game, games, players=players, seed=3)
    advised = game.greedy is not None
    eyes = Eyes(game, watch(env, advised)[0])
    return Table(env, eyes, moves, "cpu", 1), Network(eyes.size, len(game.actions), env.players, (8,), 2.0 if advised else None)


# ---- what is learnt from ------------------------------------------------------------------------------------------------


def test_with_lambda_1_what_came_of_a_decision_is_how_the_game_ended(connect_four, interpreted):
    table, network = tabled(connect_four, moves=60)
    torch.nn.init.normal_(network.head.weight, 0, 0.1)
    table.kept[:] = True
    for move in range(table.moves):
        table.look(move)
        logs, values = table.ask(network, slice(None))
        table.go(move, table.draw(logs), logs, values)
    batch = table.batch(network, 1.0)
    rows = iter(range(len(batch)))
    checked = 0
    for move in range(table.moves):
        for game in range(table.env.games):
            if table.mask[move, game].sum() < 2:
                continue
            row = next(rows)
            assert batch.action[row] == table.action[move, game]
            ends = np.flatnonzero(table.done[move:, game])
            if len(ends):
                mover = table.viewers[move, game]
                payoff = table.rewards[move + ends[0], game]
                assert batch.worth[row].tolist() == pytest.approx([payoff[mover], payoff[1 - mover]])
                assert batch.gain[row] == pytest.approx(payoff[mover] - table.values[move, game, 0], abs=1e-6)
                checked += 1
    assert checked > 100


def test_at_the_end_of_a_batch_a_game_is_worth_what_the_player_to_move_expects(connect_four, interpreted):
    table, network = tabled(connect_four, moves=2)
    torch.nn.init.normal_(network.head.weight, 0, 0.1)
    table.kept[:] = True
    for move in range(2):
        table.look(move)
        logs, values = table.ask(network, slice(None))
        table.go(move, table.draw(logs), logs, values)
    table.listen()
    _, last = table.ask(network, slice(None))
    batch = table.batch(network, 1.0)
    assert batch.worth[0].tolist() == pytest.approx(last[0].tolist())  # the player to move after two moves made the first one
    assert batch.worth[table.env.games].tolist() == pytest.approx(last[0][::-1].tolist())


def test_only_the_learners_own_moves_are_learnt_where_others_play(coin):
    table, network = tabled(coin, 2, moves=5, games=8)
    play = SelfPlay(table, against_past=0.5, against_greedy=0.25)
    play.play(network, network, 0.9)
    seat = np.arange(8) % 2
    others = np.arange(8) < 6
    assert (table.kept == ~(others & (table.viewers != seat))).all()
    quick = (np.arange(8) >= 4) & others
    assert not table.kept[:, quick].all()


def test_actions_are_drawn_as_often_as_the_network_likes_them_and_only_legal_ones(connect_four, interpreted):
    table, _ = tabled(connect_four)
    likes = torch.tensor([0.0, 0.5, 0.0, 0.3, 0.2, 0.0, 0.0])
    drawn = np.bincount(table.draw(likes.log().expand(100_000, -1)), minlength=7) / 100_000
    assert drawn == pytest.approx(likes.numpy(), abs=0.01)
    assert not drawn[likes.numpy() == 0].any()


def test_imitation_learns_the_moves_of_greedy(coin):
    table, network = tabled(coin, 2, moves=5, games=8)
    advice = table.env.advice().copy()
    batch = SelfPlay(table, 0.0, 0.0).imitate(network, 0.9)
    first = table.mask[0].sum(axis=1) > 1
    assert batch.action[: first.sum()].tolist() == advice[first].tolist()


def test_the_ladder_counts_whole_games_of_the_same_deals(coin):
    table, network = tabled(coin, 2)
    arena = Arena(VectorEnv(coin, 12, players=2, seed=5), table.eyes, "cpu", 5)
    one, again = (arena.against(network, GREEDY) for _ in range(2))
    assert (one.games, one.fair) == (12, 0.5)
    assert one == again


@pytest.mark.parametrize("name", ["connect_four", "whisper", "lots", "coin"])
def test_a_device_sees_what_a_core_sees(interpreted, name):
    game = rulestone.load(TOYS / name if (TOYS / name).is_dir() else name)
    env, flat, viewers = watched(game, None, 20)
    lens = Lens.measured(game, env.players, flat[:200], viewers[:200])
    seen = torch.from_numpy(flat), torch.from_numpy(viewers)
    nothing = torch.zeros(len(flat), 0), torch.zeros(len(flat), dtype=torch.int64)
    near = Eyes(game, lens)(*seen, *nothing)
    far = torch.zeros_like(near)
    FarEyes(*lens.table(game), "cpu")(*seen, far)
    assert torch.allclose(near, far)


# ---- weighing moves -----------------------------------------------------------------------------------------------------


def weighed(game, tried, options=None, games=8, worlds=16):
    env = VectorEnv(game, games, players=2, options=options, seed=3)
    return env, Weigher(env, worlds, 1)(np.tile(np.array(tried, np.int64), (games, 1)))


def test_a_move_is_worth_what_comes_of_it_when_the_quick_bots_play_on(coin):
    _, worth = weighed(coin, [0, 1], {"by": "calls"})  # the other calls 1, and an even sum wins for the first player
    assert (worth == [[-1, 1], [1, -1]]).all()


def test_moves_are_weighed_in_the_same_worlds(coin):
    for by in ("deal", "throw"):
        _, worth = weighed(coin, [0, 1], {"by": by}, worlds=1)
        assert (worth[:, 0] == worth[:, 1]).all()
        assert {-1, 1} == set(worth[:, 0, 0])
        _, worth = weighed(coin, [0, 1, -1], {"by": by}, games=50, worlds=100)
        assert worth[:, 0, 0].mean() == pytest.approx(0, abs=0.1)
        assert not worth[:, 2].any()


def test_weighing_uses_nothing_that_the_player_to_move_cant_know(whisper, interpreted):
    env = VectorEnv(whisper, 8, players=2, seed=3)
    tried = np.tile(np.flatnonzero(env.mask[0]), (8, 1))
    one, others = Weigher(env, 5, 1)(tried), env.states.copy()
    for place in range(8):
        match = env.match(place)
        view = match.view(match.to_move).array.copy()
        view["rng"] = 7 + place
        whisper.interpreted(turn.redeal_at)([whisper.layout.reader(view)], 0, match.to_move)
        for name in ("hand", "deck"):
            env.states[name][place] = view[name][0]
    assert (env.states["hand"] != others["hand"]).any()
    assert (Weigher(env, 5, 1)(tried) == one).all()


def test_weighing_is_the_same_interpreted_and_compiled_on_one_core_or_two(monkeypatch):
    told = []
    for jit, threads in (("0", 1), ("1", 1), ("1", 2)):
        monkeypatch.setenv("RULESTONE_JIT", jit)
        env = VectorEnv(rulestone.load("connect_four"), 3, seed=3)
        told.append(Weigher(env, 2, 1, threads)(np.array([[0, 3], [3, -1], [-1, -1]])).tolist())
    assert told[0] == told[1] == told[2]


def test_only_what_the_search_would_consider_is_weighed(interpreted, tmp_path):
    for file in (TOYS / "coin").glob("*.py"):
        (tmp_path / file.name).write_text(file.read_text())
    with (tmp_path / "bot.py").open("a") as bot:
        bot.write("\n\n@rule\ndef sensible(s, moves, count):\n    return 1\n")
    assert Weigher(VectorEnv(rulestone.load(tmp_path), 2, seed=3), 1, 1).sensible().tolist() == [[True, False]] * 2
    assert Weigher(VectorEnv(rulestone.load(TOYS / "coin"), 2, seed=3), 1, 1).sensible().all()


def test_without_a_quick_bot_the_likeliest_move_is_weighed_first(interpreted):
    game = rulestone.load(TOYS / "whisper")
    table, network = tabled(game, 3)
    torch.nn.init.normal_(network.head.bias, 0, 3)
    batch = SelfPlay(table, 0.0, 0.0).weigh(network, None, Weigher(table.env, 1, 1), 3)
    assert batch.mask[np.arange(len(batch)), batch.tried[:, 0]].all()
    assert len(set(batch.tried[:, 0].tolist())) < 4


def test_candidates_are_legal_and_different_and_begin_with_the_advice(connect_four, interpreted):
    table, _ = tabled(connect_four)
    mask = np.array([[1, 1, 1, 1, 1, 1, 1], [0, 0, 1, 0, 1, 0, 0], [0, 0, 0, 1, 0, 0, 0]], bool)
    logs = torch.zeros(3, 7).masked_fill(~torch.from_numpy(mask), -60).log_softmax(1)
    for _ in range(20):
        tried = candidates(logs, mask, np.array([4, 2, 3]), 4, table.chance)
        assert [len(set(row)) for row in tried.tolist()] == [4, 3, 1]
        assert tried[:, 0].tolist() == [4, 2, -1]  # a forced move isn't weighed
        assert tried[1].tolist() == [2, 4, -1, -1]
        assert (tried[2] == -1).all()


def test_a_net_learns_what_weighing_says(coin, tmp_path):
    """The second player wins by calling what the first one didn't; `greedy` always calls 1."""
    course = Course(rounds=30, worlds=2, rates=Rates(rate=0.02), **(SMALL | {"games": 32}))
    trainer = Trainer(coin, tmp_path / "a.net", course, options={"by": "calls"})
    trainer.run()
    assert trainer.arena.against(trainer.network, GREEDY).score == 1


# ---- going on -----------------------------------------------------------------------------------------------------------


def trained(game, file, rounds, resume=False, stop=None, **own):
    trainer = Trainer(game, file, Course(rounds=rounds, **SMALL, **own), resume=resume)

    def tell(report):
        if report.round == stop:
            raise KeyboardInterrupt

    trainer.run(tell)
    return trainer


@pytest.mark.parametrize("worlds", [0, 2])
def test_a_training_that_was_interrupted_continues_exactly(coin, tmp_path, worlds):
    whole = trained(coin, tmp_path / "whole.net", 6, worlds=worlds)
    with pytest.raises(KeyboardInterrupt):
        trained(coin, tmp_path / "half.net", 6, stop=3, worlds=worlds)
    assert Net.load(tmp_path / "half.net").check(coin)
    again = trained(coin, tmp_path / "half.net", 6, resume=True, worlds=worlds)
    assert [report.round for report in again.reports] == [1, 2, 3, 4, 5, 6]
    assert again.network.weights().tobytes() == whole.network.weights().tobytes()
    assert Net.load(tmp_path / "half.net").weights.tobytes() == Net.load(tmp_path / "whole.net").weights.tobytes()


def test_the_same_seed_and_rounds_give_the_same_net(coin, tmp_path):
    one, other = (trained(coin, tmp_path / f"{name}.net", 2) for name in ("one", "other"))
    assert one.network.weights().tobytes() == other.network.weights().tobytes()


def test_what_cannot_be_continued_is_refused_in_one_sentence(coin, connect_four, tmp_path):
    with pytest.raises(NetError, match=r"there is nothing to continue: .*none\.checkpoint doesn't exist"):
        Trainer(coin, tmp_path / "none.net", Course(**SMALL), resume=True)
    trained(coin, tmp_path / "a.net", 1)
    with pytest.raises(NetError, match=r"is of another training \(game: coin\); start again with --replace, not --resume"):
        Trainer(connect_four, tmp_path / "a.net", Course(**SMALL), resume=True)
    with pytest.raises(NetError, match=r"is of another training \(seed: 1\); start again with --replace, not --resume"):
        Trainer(coin, tmp_path / "a.net", Course(seed=2, **SMALL), resume=True)
    with pytest.raises(NetError, match=r"is of another training \(players: 2\); start again with --replace, not --resume"):
        Trainer(coin, tmp_path / "a.net", Course(**SMALL), 3, resume=True)
    (tmp_path / "a.checkpoint").write_bytes(b"nonsense")
    with pytest.raises(NetError, match=r"a\.checkpoint can't be read"):
        Trainer(coin, tmp_path / "a.net", Course(**SMALL), resume=True)


@pytest.mark.parametrize("worlds", [0, 2])
@pytest.mark.parametrize(("name", "players"), [("coin", 2), ("whisper", 3), ("toss", None), ("lots", None), ("crown", None)])
def test_any_game_can_be_trained(interpreted, tmp_path, name, players, worlds):
    """With two or more players, hidden information, simultaneous moves, chance and a team."""
    game = rulestone.load(TOYS / name)
    trainer = Trainer(game, tmp_path / "a.net", Course(rounds=2, worlds=worlds, **SMALL), players)
    scores = trainer.run()
    assert [score.rival for score in scores][:1] == [RANDOM]
    bots = [f"net:{tmp_path / 'a.net'}", "random"]
    assert ladder(game, bots, 2, players=trainer.players).played


# ---- the command --------------------------------------------------------------------------------------------------------


@pytest.fixture
def small(monkeypatch):
    """The command trains for a moment only."""
    usual = {name: value for name, value in SMALL.items() if name != "widths"}
    monkeypatch.setattr("rulestone.train.trainer.USUAL", {"cpu": usual})


def run(*arguments):
    return CliRunner().invoke(app, ["train", *[str(argument) for argument in arguments]])


def test_the_command_writes_a_net_a_report_and_a_checkpoint(interpreted, tmp_path, small):
    file = tmp_path / "a.net"
    told = run("connect_four", "--rounds", 1, "--width", 8, "--out", file, "-o", "line=3")
    assert told.exit_code == 0, told.output
    assert f"rulestone play connect_four --bot net:{file}" in " ".join(told.output.split())
    net = Net.load(file)
    assert (net.options, net.players, net.header["trained"]["rounds"], net.header["trained"]["seed"]) == ({"line": 3}, 2, 1, 1)
    page = (tmp_path / "a.html").read_text()
    for text in ("Connect Four: a player for 2 players", "How strong it is", "against random", "How it learnt", "Entropy"):
        assert text in page
    assert "rulestone train connect_four --players 2 --seed 1 --option line=3 --rounds 1 --width 8" in page
    assert (tmp_path / "a.checkpoint").is_file()


def test_a_game_of_ones_own_is_the_same_after_the_training_plays_its_net_and_can_be_continued(interpreted, tmp_path, small):
    folder = tmp_path / "coin"
    folder.mkdir()
    for file in (TOYS / "coin").glob("*.py"):
        (folder / file.name).write_text(file.read_text())
    assert run(folder, "--rounds", 1, "--width", 8).exit_code == 0
    game = rulestone.load(folder)
    match = game.new(1, game.about.usual_players)
    assert make("net", game).choose(match.view(match.to_move), match.legal(), 1).move in match.legal()
    assert run(folder, "--rounds", 2, "--resume").exit_code == 0


def test_a_net_that_is_there_is_only_replaced_if_asked(interpreted, tmp_path, small):
    file = tmp_path / "a.net"
    asked = "connect_four", "--rounds", 1, "--width", 8, "--out", file
    assert run(*asked).exit_code == 0
    before = file.read_bytes()
    told = str(run(*asked, "--seed", 2).exception)
    assert told == f"{file} is there already; continue it with --resume, or start again with --replace"
    assert file.read_bytes() == before
    assert run(*asked, "--seed", 2, "--replace").exit_code == 0
    assert file.read_bytes() != before


def test_resume_needs_no_other_option_again_and_refuses_those_that_differ(interpreted, tmp_path, small):
    file = tmp_path / "a.net"
    options = "--width", 8, "--seed", 3, "--set", "rate=0.002", "-o", "line=3"
    assert run("connect_four", "--rounds", 1, "--out", file, *options).exit_code == 0
    again = "connect_four", "--rounds", 2, "--out", file, "--resume"
    for other, refusal in (
        (("--width", 12), "(widths: (8, 8))"),
        (("-o", "line=4"), "(options: {'line': 3})"),
        (("--set", "rate=1"), "(rates: "),
    ):
        assert f"is of another training {refusal}" in str(run(*again, *other).exception)
    told = run(*again)
    assert told.exit_code == 0, told.output
    net = Net.load(file)
    assert (net.options, net.widths, net.header["trained"]["seed"], net.header["trained"]["rounds"]) == ({"line": 3}, (8, 8), 3, 2)
    assert net.header["trained"]["rates"]["rate"] == 0.002


def test_a_training_that_is_stopped_before_it_learnt_anything_leaves_nothing(interpreted, tmp_path, small, monkeypatch):
    def stop(trainer):
        raise KeyboardInterrupt

    monkeypatch.setattr(Trainer, "_round", stop)
    told = run("connect_four", "--rounds", 1, "--width", 8, "--out", tmp_path / "a.net")
    assert told.exit_code == 130
    assert "Stopped before anything was learnt" in told.output
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "refusal"),
    [
        (["chess"], "there is no game 'chess'"),
        (["connect_four", "--players", 5], "connect_four is for 2 players, not 5"),
        (["connect_four", "-o", "line=9"], "option 'line' can't be 9"),
        (["connect_four", "--device", "tpu"], "there is no device 'tpu'; choose cpu or cuda"),
        (["connect_four", "--minutes", 0], "training needs some time, not 0 minutes"),
        (["connect_four", "--minutes", "nan"], "training needs some time, not nan minutes"),
        (["connect_four", "--minutes", "inf"], "training needs some time, not inf minutes"),
        (["connect_four", "--set", "games=1000000000"], "games can't be '1000000000'"),
        (["connect_four", "--resume", "--out", "nowhere.net"], "there is nothing to continue: nowhere.checkpoint doesn't exist"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(interpreted, tmp_path, monkeypatch, arguments, refusal):
    monkeypatch.chdir(tmp_path)
    told = run(*arguments)
    assert told.exit_code != 0
    assert refusal in re.sub(r"\s+", " ", f"{told.output} {told.exception}")


def test_without_pytorch_the_command_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    assert "training needs PyTorch; install it with pip install 'rulestone[train]'" in str(run("connect_four").exception)


def test_a_game_of_ones_own_keeps_its_net_in_its_folder(connect_four, coin):
    assert default_file(coin, 2) == coin.folder / "nets" / "2.net"
    assert str(default_file(connect_four, 2)) == "connect_four-2.net"


# ---- learning -----------------------------------------------------------------------------------------------------------


@pytest.mark.soak
def test_a_minute_of_training_beats_random_clearly(tmp_path):
    game = rulestone.load("connect_four")
    Trainer(game, tmp_path / "a.net", Course(rounds=25, ladders=2)).run()
    result = ladder(game, [f"net:{tmp_path / 'a.net'}", "random"], 100, seed=1)
    assert result.pairs[0].one.startswith("net:")
    assert result.pairs[0].low > 0.8

"""Nets: how they see, their files, and that they play like all other bots."""

import itertools
import json
import random
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import rulestone
from rulestone.bots import Choice, UnknownBot, choose, decide, make
from rulestone.bots.ladder import ladder
from rulestone.bots.nets import NetPlayer
from rulestone.cli import app
from rulestone.engine.playouts import playouts
from rulestone.envs.vector import VectorEnv
from rulestone.nets import forward
from rulestone.nets.encoding import Encoding, Turning
from rulestone.nets.lens import MOST_VALUES, Lens, Seen
from rulestone.nets.net import MAGIC, Net, NetError, net_of, own_file
from rulestone.server.thinking import levels
from tests.untrained import WIDTHS, made, watched

TOYS = Path(__file__).parent / "toys"


@pytest.fixture
def four(interpreted, tmp_path, connect_four):
    """A file with a net for Connect Four."""
    made(connect_four).save(tmp_path / "four.net")
    return tmp_path / "four.net"


# ---- seeing -------------------------------------------------------------------------------------------------------------


def inputs(lens, game, flat, viewer):
    """The inputs of one vector, in the slow and simple way."""
    turned = Turning(game, lens.players)(flat, viewer)
    out = [float(seat == viewer) for seat in range(lens.players)]
    for seen in lens.fields:
        long, heaps = lens.piles(game, seen), set()
        for number in seen.places:
            value = int(turned[Encoding.of(game).slices[seen.name].start + number])
            if seen.kind == "ranked":
                known = [other for other in seen.values if other <= value] or [seen.values[0]]
                rank = seen.values.index(known[-1])
                if long and number // long not in heaps:
                    heaps.add(number // long)
                    here = [place for place in seen.places if place // long == number // long]
                    row = [int(turned[Encoding.of(game).slices[seen.name].start + place]) for place in here]
                    ranks = [max(0, sum(other <= each for other in seen.values) - 1) for each in row]
                    out += [ranks.count(k) / long for k in range(len(seen.values))]
                out += [float(k == rank) for k in range(len(seen.values))]
            elif seen.kind == "scaled":
                low, high = seen.values
                out.append((min(max(value, low), high) - low) / (high - low))
            else:
                out += [float(value >> bit & 1) for bit in range(seen.inputs)]
    return out


@pytest.mark.parametrize("name", ["connect_four", "whisper", "lots"])
def test_inputs_are_the_viewers_own_things_first_and_rows_also_as_counts(interpreted, name):
    game = rulestone.load(TOYS / name if (TOYS / name).is_dir() else name)
    env, flat, viewers = watched(game, None, 20)
    lens = Lens.measured(game, env.players, flat, viewers)
    plan, table = lens.table(game)
    out = np.zeros((8, int(plan[forward.INPUTS])), np.float32)
    desk = np.zeros(int(plan[forward.MOST]) + 1, np.int32), np.zeros(int(plan[forward.MOST]) + 1)
    rows = np.random.default_rng(1).choice(len(flat), 8, replace=False)
    game.interpreted(forward.spread)(plan[None], table, flat[rows], viewers[rows], *desk, out)
    assert out.tolist() == pytest.approx(np.array([inputs(lens, game, flat[k], int(viewers[k])) for k in rows]))


def test_fields_are_ranked_scaled_or_bits_and_what_never_varied_is_left_out(connect_four, interpreted):
    size = Encoding.of(connect_four).size
    flat = np.zeros((3 * MOST_VALUES, size), np.int32)
    place = Encoding.of(connect_four).slices
    flat[:, place["ply"]] = np.arange(3 * MOST_VALUES)[:, None]
    flat[:, place["height"].start + 2] = np.arange(3 * MOST_VALUES) % 5
    flat[:, place["grid"].start] = np.arange(3 * MOST_VALUES)
    lens = Lens.measured(connect_four, 2, flat, np.zeros(len(flat), np.int8))
    assert lens.fields == (
        Seen("ply", "scaled", (0, 119), (0,)), Seen("grid", "scaled", (0, 119), (0,)), Seen("height", "ranked", (0, 1, 2, 3, 4), (2,)),
    )  # fmt: skip
    again = Lens.from_json(json.loads(json.dumps(lens.as_json())), connect_four, 2, 0)
    assert again.fields == lens.fields


# ---- thinking -----------------------------------------------------------------------------------------------------------


def thought(net, game, view):
    """What a net thinks of a view, in the slow and simple way: a number for each action, and the payoffs."""
    values = np.array(inputs(net.lens(game), game, Encoding.of(game).flat(view), view.viewer))
    sizes = [len(values), *net.widths, len(game.actions) + net.players]
    weights = net.weights.astype(float)
    for one, other in itertools.pairwise(sizes[:-1]):
        values = np.maximum(0, values @ weights[: one * other].reshape(one, other) + weights[one * other : (one + 1) * other])
        weights = weights[(one + 1) * other :]
    out = weights[: sizes[-2] * sizes[-1]].reshape(sizes[-1], sizes[-2]) @ values + weights[sizes[-2] * sizes[-1] :]
    return out[: len(game.actions)], np.clip(out[len(game.actions) :], -1, 1)


def positions(game, count, seed=1, players=None):
    """Positions of random games in which there is a choice."""
    chance = random.Random(seed)
    while count:
        match = game.new(chance.getrandbits(40), players)
        for _ in range(chance.randrange(12)):
            if match.over:
                break
            match.play(chance.choice(match.legal()))
        if not match.over and len(match.legal()) > 1:
            count -= 1
            yield match


@pytest.mark.parametrize("name", ["connect_four", "whisper"])
def test_a_net_plays_the_legal_move_that_it_likes_best_and_says_what_it_expects(interpreted, tmp_path, name):
    game = rulestone.load(TOYS / name if (TOYS / name).is_dir() else name)
    net = made(game)
    net.save(tmp_path / "a.net")
    bot = NetPlayer(game, f"net:{tmp_path / 'a.net'}")
    for match in positions(game, 6):
        view = match.view(match.to_move)
        liked, worth = thought(net, game, view)
        best = max(view.legal(), key=lambda move: liked[game.actions.parse(move)])
        assert choose(view, bot, seed=1) == best
        turned = [worth[(player - view.viewer) % net.players] for player in range(net.players)]
        assert bot.expected(view) == pytest.approx(turned)


def test_positions_with_equal_views_give_equal_moves(interpreted, tmp_path, whisper):
    made(whisper).save(tmp_path / "a.net")
    bots = [make(name.format(tmp_path / "a.net"), whisper) for name in ("net:{}", "mcts:12 net:{}")]
    different = 0
    for match in positions(whisper, 6):
        seat = match.to_move
        view = match.view(seat)
        for bot in bots:
            worlds = [view.imagine(seed=1), view.imagine(seed=2)]
            assert {str(choose(world.view(seat), bot, seed=3)) for world in worlds} == {str(choose(view, bot, seed=3))}
            different += sum(world.raw != match.raw for world in worlds)
    assert different > 10  # the worlds really were different


def test_features_of_a_game_are_read_after_its_record(interpreted, tmp_path):
    folder = tmp_path / "coin"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "rules.py").write_text((TOYS / "coin" / "rules.py").read_text())
    (folder / "bot.py").write_text(
        "from rulestone.kernel import rule\n\n\n@rule\ndef features(s, out):\n    out[0] = 1\n    out[1] = s.to_move / 2\n    return 2\n"
    )
    game = rulestone.load(folder)
    net = made(game, features=2)
    net.save(tmp_path / "a.net")
    bot = NetPlayer(game, f"net:{tmp_path / 'a.net'}")
    view = game.new(1).view(0)
    before = bot.expected(view)
    plan, _ = net.lens(game).table(game)
    row = int(plan[forward.FEATURE_AT]) * WIDTHS[0]
    net.weights[row : row + WIDTHS[0]] += 1
    net.save(tmp_path / "b.net")
    assert NetPlayer(game, f"net:{tmp_path / 'b.net'}").expected(view) != before


def asking(game, players, trust):
    """A net that thinks nothing of its own and adds this to what the quick bot advises."""
    net = made(game, players, advised=True)
    net.weights[:] = 0
    net.weights[-1] = trust
    return net


def test_a_net_that_trusts_the_quick_bot_plays_like_it_and_one_that_does_not_plays_otherwise(interpreted, tmp_path):
    coin = rulestone.load(TOYS / "coin")
    for name, trust in (("like", 5), ("unlike", -5)):
        asking(coin, 2, trust).save(tmp_path / f"{name}.net")
    like, unlike = (f"net:{tmp_path / name}.net" for name in ("like", "unlike"))
    one, other = (playouts(coin, 20, players=2, bots=bot, seed=1) for bot in ("greedy", like))
    assert (one.payoffs.tolist(), one.lengths.tolist()) == (other.payoffs.tolist(), other.lengths.tolist())
    for match in positions(coin, 6, players=2):
        view = match.view(match.to_move)
        advice = choose(view, like, seed=1)
        assert choose(view, unlike, seed=1) != advice
        assert decide(view, f"mcts:1 {like}", seed=1).move == advice
    alone = tmp_path / "coin"
    alone.mkdir()
    (alone / "__init__.py").write_text("")
    (alone / "rules.py").write_text((TOYS / "coin" / "rules.py").read_text())
    without = rulestone.load(alone)
    with pytest.raises(NetError, match="asks the bot greedy of coin, which isn't there any more; train it again"):
        Net.load(tmp_path / "like.net").check(without)


# ---- files --------------------------------------------------------------------------------------------------------------


def test_a_net_comes_back_from_its_file_as_it_was(four, connect_four):
    net, again = made(connect_four), Net.load(four)
    assert again.header == net.header
    assert again.weights.tobytes() == net.weights.tobytes()
    assert len(four.read_bytes()) < 2 * len(net.weights) + 2000


def test_a_net_that_is_too_large_is_refused(tmp_path, connect_four, interpreted):
    net = made(connect_four)
    with pytest.raises(NetError, match="the most is 2 MB; make it narrower"):
        Net(net.header, np.zeros(1_000_000, np.float32)).save(tmp_path / "a.net")
    assert not list(tmp_path.iterdir())


def tampered(file, **changes):
    top, _, rest = file.read_bytes()[len(MAGIC) :].partition(b"\n")
    file.write_bytes(MAGIC + json.dumps(json.loads(top) | changes).encode() + b"\n" + rest)


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        ({"game": "chess"}, "was trained for chess, not for connect_four"),
        ({"version": 99}, "was trained for other rules of connect_four than those here; train it again"),
        ({"plays": "0"}, "was trained for other rules of connect_four than those here; train it again"),
        ({"players": 3}, "was trained for 3 players, not for 2"),
        ({"options": {"line": 5}}, "was trained with line = 5, not 4"),
        ({"lens": [["nonsense", "ranked", [0, 1], [[0, 0]]]]}, "doesn't fit the record of connect_four, or it's damaged"),
        ({"lens": [["grid", "ranked", [0, 1], [[0, 99]]]]}, "doesn't fit the record of connect_four, or it's damaged"),
        ({"widths": [8, 8]}, "is damaged: it has"),
        ({"widths": [8, 5]}, "is not a net that `rulestone train` made, or it's damaged"),
    ],
)
def test_a_net_for_something_else_is_refused_in_one_sentence(four, connect_four, changes, refusal):
    tampered(four, **changes)
    with pytest.raises((NetError, UnknownBot)) as told:
        choose(connect_four.new(1).view(0), f"net:{four}", seed=1)
    assert refusal in str(told.value)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("content", [b"", b"something else", MAGIC, MAGIC + b"{}\n", MAGIC + b"[]\n12"])
def test_what_is_no_net_is_refused_in_one_sentence(tmp_path, connect_four, content):
    (tmp_path / "a.net").write_bytes(content)
    with pytest.raises(UnknownBot, match=r"a\.net is not a net that `rulestone train` made, or it's damaged"):
        make(f"net:{tmp_path / 'a.net'}", connect_four)


def test_a_missing_net_is_refused_in_one_sentence(connect_four):
    with pytest.raises(UnknownBot, match=r"can't read the net nowhere\.net: No such file or directory"):
        make("net:nowhere.net", connect_four)
    with pytest.raises(UnknownBot, match="connect_four has no net of its own; train one with `rulestone train` and play it as net:FILE"):
        make("mcts:1s net", connect_four)


def test_net_is_the_net_in_the_games_folder_and_no_part_of_the_game(interpreted, tmp_path):
    folder = tmp_path / "coin"
    folder.mkdir()
    for file in (TOYS / "coin").glob("*.py"):
        (folder / file.name).write_text(file.read_text())
    game = rulestone.load(folder)
    before = game.plays, game.edition, game.sources()
    file = own_file(game, 2)
    file.parent.mkdir()
    made(game, 2).save(file)
    assert (game.plays, game.edition, game.sources()) == before
    view = game.new(1, 2).view(0)
    assert choose(view, "net", seed=1) == choose(view, f"net:{file}", seed=1)


def copied(folder, name, bot):
    """A game of one's own like one of the toys, with another `bot.py`."""
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "rules.py").write_text((TOYS / name / "rules.py").read_text())
    (folder / "bot.py").write_text(bot)
    return rulestone.load(folder)


def test_the_champion_searches_with_the_games_own_net_and_is_else_the_top_level(interpreted, tmp_path, monkeypatch):
    game = copied(tmp_path / "whisper", "whisper", "CHAMPION_SECONDS = {2: 0.001}\n")
    with pytest.raises(UnknownBot, match="whisper has no net of its own"):
        make("champion", game)
    own_file(game, 2).parent.mkdir()
    made(game, 2).save(own_file(game, 2))
    bot, used = make("champion", game), []
    for part in (bot.thinker, bot.top):
        monkeypatch.setattr(part, "choose", lambda view, legal, *rest, part=part: used.append(part) or Choice(legal[0]))
    for players in (2, 3):
        choose(game.new(1, players).view(0), bot, seed=1)
    assert used == [bot.thinker, bot.top]
    tampered(own_file(game, 2), version=99)
    fresh = make("champion", game)
    monkeypatch.setattr(fresh.top, "choose", lambda view, legal, *rest: used.append("top") or Choice(legal[0]))
    choose(game.new(1, 2).view(0), fresh, seed=1)
    assert used[2:] == ["top"]  # other rules than the net's
    assert list(levels(game).items())[-1] == ("champion", "Champion")


def test_a_game_without_a_champion_says_so(connect_four):
    with pytest.raises(UnknownBot, match="connect_four has no champion; available: random, level:1"):
        make("champion", connect_four)
    assert "champion" not in levels(connect_four)


# ---- playing wherever bots play ------------------------------------------------------------------------------------------


def played_by_hand(game, seed, bots):
    match = game.new(seed)
    while not match.over:
        match.play(choose(match.view(match.to_move), bots[match.to_move], seed=1))
    return match


def test_nets_play_in_playouts_vector_environments_ladders_and_searches(four, connect_four, tmp_path):
    made(connect_four, seed=2).save(tmp_path / "other.net")
    names = [f"net:{four}", f"net:{tmp_path / 'other.net'}"]
    match = played_by_hand(connect_four, 1, names)
    results = playouts(connect_four, 2, bots=names, seed=1)
    assert results.payoffs.tolist() == [list(match.payoff)] * 2
    assert results.lengths.tolist() == [match.ply] * 2
    env = VectorEnv(connect_four, 2, bots=[None, names[1]], seed=1)
    while not env.done.any():
        known = connect_four.layout.array(1)
        legal = np.flatnonzero(env.mask[0])
        for field in known.dtype.names:
            known[field] = env.records[field][:1]
        view = env.match(0).view(0)
        env.step(np.full(2, connect_four.actions.parse(choose(view, names[0], seed=1)) if len(legal) > 1 else legal[0]))
    assert (env.length[0], env.rewards[0].tolist()) == (match.ply, list(match.payoff))
    assert {row.bot for row in ladder(connect_four, names, 2).standings} == set(names)
    choice = decide(match.at(4).view(0), f"mcts:30 {names[0]}", seed=1)
    assert choice.thoughts.simulations == 30
    assert choice.move in match.at(4).legal()


def test_a_search_with_a_net_starts_from_its_policy_and_its_payoffs(four, connect_four):
    net = net_of(f"net:{four}", connect_four, 2)
    view = connect_four.new(1).view(0)
    liked, _ = thought(net, connect_four, view)
    thoughts = decide(view, f"mcts:1 net:{four}", seed=1).thoughts
    assert connect_four.actions.parse(thoughts.moves[0]) == int(np.argmax(liked))
    after = connect_four.new(1)
    after.play(thoughts.moves[0])
    _, worth = thought(net, connect_four, after.view(1))
    assert thoughts.worth[0] == pytest.approx(worth[1], abs=1e-6)


def test_a_net_trained_for_other_options_does_not_sit_down(four, connect_four):
    with pytest.raises(NetError, match="was trained with line = 4, not 5"):
        playouts(connect_four, 1, bots=f"net:{four}", options={"line": 5})
    with pytest.raises(NetError, match="was trained with line = 4, not 5"):
        VectorEnv(connect_four, 1, bots=[None, f"net:{four}"], options={"line": 5})
    with pytest.raises(NetError, match="was trained with line = 4, not 5"):
        choose(connect_four.new(1, options={"line": 5}).view(0), f"net:{four}", seed=1)


def test_compiled_and_interpreted_nets_make_the_same_moves(four, connect_four, monkeypatch):
    slow = NetPlayer(connect_four, f"net:{four}")
    views = [match.view(match.to_move) for match in positions(connect_four, 6)]
    moves, worths = [str(choose(view, slow, seed=1)) for view in views], [slow.expected(view) for view in views]
    monkeypatch.delenv("RULESTONE_JIT")
    fast = NetPlayer(connect_four, f"net:{four}")
    assert [str(choose(view, fast, seed=1)) for view in views] == moves
    assert [fast.expected(view) for view in views] == worths
    search = make(f"mcts:40 net:{four}", connect_four)
    thoughts = [search.choose(view, view.legal(), 1).thoughts for view in views]
    monkeypatch.setenv("RULESTONE_JIT", "0")
    search = make(f"mcts:40 net:{four}", connect_four)
    assert [search.choose(view, view.legal(), 1).thoughts for view in views] == thoughts


def test_a_ladder_does_not_take_another_nets_games_for_its_own(four, connect_four, tmp_path):
    kept, bots = tmp_path / "kept.jsonl", [f"net:{four}", "random"]
    first = ladder(connect_four, bots, 4, keep=kept)
    assert len(kept.read_text().splitlines()) == 4
    assert ladder(connect_four, bots, 4, keep=kept).standings == first.standings
    assert len(kept.read_text().splitlines()) == 4
    made(connect_four, seed=2).save(four)
    ladder(connect_four, bots, 4, keep=kept)
    assert len(kept.read_text().splitlines()) == 8


def test_nets_play_in_the_lab(four, connect_four, tmp_path):
    told = CliRunner().invoke(app, ["lab", "connect_four", "--bots", f"net:{four},random", "--games", "4", "--out", str(tmp_path / "out")])
    assert told.exit_code == 0, f"{told.output} {told.exception}"

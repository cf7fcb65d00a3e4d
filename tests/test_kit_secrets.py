"""Mistakes a designer makes with secrets and sentences, planted one by one: `rulestone check` finds each and says where."""

import shutil
from contextlib import nullcontext
from pathlib import Path

import pytest

import rulestone
from rulestone.lab import study
from rulestone.scaffold import make
from rulestone.testing import Case, ContractError, check_game
from rulestone.testing.contract import check_scene

HERE = Path(__file__).parent
DICE, WHISPER = HERE.parent / "examples" / "games" / "liars_dice", HERE / "toys" / "whisper"
TOLD = "    tell(s, EVENTS.bids, s.to_move, count, face)\n"
DEALT = "        tell_only(s, player, EVENTS.rolled, player, s.die[player])\n"
ROLLED = "            s.die[player] = 1 + rand(s, s.sides)\n"
HIDDEN = "        if player != viewer and not s.shown:\n"
PLANTED = {
    "an event that tells a hidden die": (
        DICE, DEALT, DEALT.replace("tell_only(s, player, ", "tell(s, "), "the event 'rolled' with its number 'die' .* tells .* about a hidden field: then die"),
    "an event that tells the next seat": (
        DICE, DEALT, DEALT.replace("tell_only(s, player, ", "tell_only(s, 1 - player, "), "the event 'rolled' .* tells player"),
    "an event that tells it in part": (
        DICE, TOLD, TOLD.replace("face)", "s.die[s.to_move] % 2)"), "the event 'bids' with its number 'face' .* tells .* about a hidden field: then die"),
    "a field that tells it": (
        DICE, "    s.count = count\n", "    s.count = count\n    s.hint = s.die[s.to_move] > 3\n", "the field hint 1 tells .* about a hidden field: then die"),
    "hide that leaves a die": (
        DICE, HIDDEN, HIDDEN.replace("player != viewer", "player > viewer"), r"hide shows die\[0\] to player 1, but not to a spectator"),
    "hide that leaves a card of the deck": (
        WHISPER, "        s.deck[place] = -1\n\n\n@rule\ndef redeal", "        if place != 0 or s.left < 4:\n            s.deck[place] = -1\n\n\n@rule\ndef redeal",
        r"hide shows everybody deck\[0\], but hides deck\[1\]; if that part is open on purpose, add 'deck' to OPEN"),
    "redeal that never rolls a six": (
        DICE, ROLLED, ROLLED.replace("s.sides)", "s.sides - 1)"), r"redeal for .* is biased: die\[\d\] is 6 in \d+ of 600 real positions, but in 0 of the worlds"),
    "redeal that rolls twice and keeps the higher": (
        DICE, ROLLED, ROLLED + "            s.die[player] = max(s.die[player], 1 + rand(s, s.sides))\n", "redeal for .* is biased"),
    "redeal that believes every bid": (
        DICE, ROLLED, "            s.die[player] = s.face if s.face else 1 + rand(s, s.sides)\n", r"redeal for .* is biased: where the (event|field) .* is seen, die\[\d\] is \d"),
    "too few numbers": (DICE, TOLD, TOLD.replace(", face)", ")"), r"rules\.py line \d+: 'bids' gets 2 of its 3 numbers: "),
    "recursion": (DICE, "    count = 0\n", "    count = 0 if s.count else matching(s)\n", r"rules\.py line \d+: rules can't recurse, but matching calls matching"),
    "recursion in a circle": (
        DICE, "    s.shown = 1\n", "    s.shown = 1\n    if s.count > 9:\n        apply(s, 0)\n", "rules can't recurse, but do_liar calls apply calls act calls do_liar"),
}  # fmt: skip


def copied(folder, tmp_path, old, new):
    made = shutil.copytree(folder, tmp_path / "game", ignore=shutil.ignore_patterns("__pycache__"))
    text = (made / "rules.py").read_text()
    assert old in text
    if "s.hint" in new:
        text = text.replace("    shown: u8", "    hint: u8\n    shown: u8")
    if folder == WHISPER:  # it redeals blanks only
        text = text.replace(
            "            known |= 1 << s.hand[player]\n",
            "            known |= 1 << s.hand[player]\n    if s.left > 0 and s.deck[0] >= 0:\n        known |= 1 << s.deck[0]\n",
            1,
        )
        text = text.replace(
            "    for place in range(s.left):\n        card = unk", "    for place in range(s.deck[0] >= 0, s.left):\n        card = unk"
        )
    (made / "rules.py").write_text(text.replace(old, new))
    return rulestone.load(made)


@pytest.mark.parametrize("what", PLANTED)
def test_a_planted_mistake_is_found(what, tmp_path, monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    folder, old, new, reason = PLANTED[what]
    with pytest.raises(ContractError, match=reason):
        check_game(copied(folder, tmp_path, old, new), matches=1, games=3, positions=20)


@pytest.mark.parametrize("folder", [DICE, WHISPER])
def test_the_same_games_without_the_mistake_pass(folder, monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    check_game(rulestone.load(folder), matches=1, games=3, positions=20)


def test_a_move_that_names_a_hidden_card_is_found(tmp_path, monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    folder = make("fruit", tmp_path, "secrets")
    check_game(rulestone.load(folder), matches=1, games=3, positions=20)
    text = (folder / "rules.py").read_text()
    whole = text.replace("return 0b01 if ACTIONS.lay.includes(action) else -1", "return -1")
    assert whole != text
    (folder / "rules.py").write_text(whole)
    reason = r"the move 'lay \w+' tells a spectator about a hidden field: then laid is always \d; .* 'lay' \(argument 1\) with seen"
    with pytest.raises(ContractError, match=reason):
        check_game(rulestone.load(folder), matches=1, games=3, positions=20)


def test_a_secret_is_reported_with_the_moves_that_lead_to_it(tmp_path, monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    _, old, new, _ = PLANTED["an event that tells it in part"]
    with pytest.raises(ContractError, match=r"seed stream\(1, \d+\), after \d+ moves: bid \d \d"):
        check_game(copied(DICE, tmp_path, old, new), matches=1, games=3, positions=20)


def test_fields_that_are_open_on_purpose_and_players_notes_are_declared(tmp_path, monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    folder, old, new, _ = PLANTED["hide that leaves a card of the deck"]
    game = copied(folder, tmp_path, old, new)
    game.rules.OPEN = ("deck",)
    check_game(game, matches=1, games=3, positions=20)


def test_a_measure_that_writes_to_the_record_is_found(tmp_path, monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    game = copied(DICE, tmp_path, "", "")
    (game.folder / "measures.py").write_text(
        "from rulestone.kernel import rule\nfrom rulestone.measures import Measures, number\n\nMEASURES = Measures(bids=number('bids'))\n\n\n"
        "@rule\ndef after(s, action, player, out):\n    s.count = 0\n    out[MEASURES.bids] += 1\n"
    )
    with pytest.raises(ContractError, match=r"after in measures\.py writes to count; measures may only look at the record"):
        check_game(rulestone.load(game.folder), matches=1, games=3, positions=20)


BIDS, LONG = "bids {count} × {face}. [R2]", "bids {count} × {face}, {a} {b}. [R2]"
MORE = "    tell(s, EVENTS.bids, s.to_move, count, face, 0)\n    tell_more(s, {})\n"


def longer(tmp_path, numbers):
    """Liar's Dice with an event of five numbers."""
    game = copied(DICE, tmp_path, TOLD, MORE.format(numbers) if numbers else MORE.partition("    tell_more")[0])
    text = (game.folder / "rules.py").read_text()
    text = text.replace(BIDS, LONG).replace(" tell, ", " tell, tell_more, ").replace("story=", "story=1 + ")
    (game.folder / "rules.py").write_text(text)
    return rulestone.load(game.folder)


def test_events_of_more_than_four_numbers_pass_and_are_said_whole(tmp_path, monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    game = longer(tmp_path, "count")
    check_game(game, matches=1, games=3, positions=20)
    match = game.new(seed=1)
    assert match.say(match.play("bid 1 2")[-1]) == "Red bids 1 × 2, 0 1. [R2]"


@pytest.mark.parametrize(
    ("numbers", "reason"),
    [
        ("s.die[s.to_move]", r"the event 'bids' with its number 'b' .* tells .* about a hidden field: then die"),
        ("", r"'bids' gets 4 of its 5 numbers"),
    ],
)
def test_mistakes_in_further_numbers_are_found(tmp_path, monkeypatch, numbers, reason):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    with pytest.raises(ContractError, match=reason):
        check_game(longer(tmp_path, numbers), matches=1, games=3, positions=20)


def test_the_lab_counts_a_long_event_once(tmp_path, monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    plain, long = rulestone.load(DICE), longer(tmp_path, "count")

    def told(game):
        things = study(str(game.folder), games=20, seed=3, workers=1)["cells"][0]["things"]
        return {thing["name"]: thing["times"] for thing in things if thing["kind"] == "event"}

    assert told(long) == told(plain)
    assert told(plain)["bids"] > 20


SCENE = """from rulestone.table import Card, Scene, Step
from rulestone.table.svg import group, thing


def scene(view, seat):
    return Scene(9, 9, [group(thing(id)) for id in ("cup", "table")], "", CARDS)


def picks(view, move):
    return PICKS


def say_move(view, move):
    return LABEL


def steps(before, after, events):
    return STEPS
"""
FINE = {"CARDS": "", "PICKS": "()", "LABEL": "str(move)", "STEPS": "[]"}
PICTURES = {
    "a pick that names nothing": ({"PICKS": '("die",)'}, r"the picture for player 0 lacks things that can be clicked: \['die'\]"),
    "two moves with the same clicks": ({"PICKS": '("cup",)'}, r"the moves 'bid 1 1' and 'bid 1 2' are made by the same clicks: \['cup'\]"),
    "two moves with the same name": ({"LABEL": '"Bid"'}, "the moves 'bid 1 1' and 'bid 1 2' have the same name, 'Bid'"),
    "a hover card of nothing": ({"CARDS": 'cards={"die": Card("Die", "A die.")}'}, r"hover cards for things that aren't in it: \['die'\]"),
    "a step that moves nothing": ({"STEPS": '[Step(flash=("die",))]'}, r"a step moves or lights up things that aren't in the picture: \['die'\]"),
}  # fmt: skip


@pytest.mark.parametrize("what", [*PICTURES, "nothing"])
def test_what_a_table_could_not_show_is_found(what, tmp_path, monkeypatch):
    monkeypatch.setenv("RULESTONE_JIT", "0")
    game, text = copied(DICE, tmp_path, "", ""), SCENE
    changes, reason = PICTURES.get(what, ({}, ""))
    for name, code in {**FINE, **changes}.items():
        text = text.replace(name, code)
    (game.folder / "scene.py").write_text(text)
    outcome = pytest.raises(ContractError, match=reason) if reason else nullcontext()
    with outcome:
        check_scene(rulestone.load(game.folder), Case(2), seed=1)

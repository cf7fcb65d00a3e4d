"""The contract of a game, and the checks that enforce it."""

from __future__ import annotations

import contextlib
import json
import random
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulestone import undo
from rulestone.bots.search import settings_of
from rulestone.bots.simple import Greedy
from rulestone.engine import unnoticed
from rulestone.engine.playouts import playouts
from rulestone.game import Game
from rulestone.kernel.about import SPECTATOR
from rulestone.kernel.chance import MASK, rand, stream
from rulestone.kernel.record import Scratch
from rulestone.learning import BrokenLesson, Lesson, pictures
from rulestone.match import IllegalMove, Match, replay
from rulestone.patience import patience
from rulestone.table import Face, Scene
from rulestone.testing import audit, reading
from rulestone.testing.worlds import found_out

IDS = re.compile(r' id="([^"]*)"')


class ContractError(AssertionError):
    """A game breaks its contract. The message says how, and names the seed and the moves that reproduce it."""


@dataclass(frozen=True)
class Case:
    """One configuration of a game to check: the number of players, and options that differ from the default."""

    players: int
    options: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return " ".join([f"{self.players} players", *(f"{name}={value}" for name, value in self.options.items())])


def cases(game: Game) -> Iterator[Case]:
    """Yield every number of players with default options, and with every other value of each option.

    >>> import rulestone
    >>> [str(case) for case in cases(rulestone.load("connect_four"))]
    ['2 players', '2 players line=3', '2 players line=5']
    """
    for players in range(game.min_players, game.max_players + 1):
        yield Case(players)
        for name, option in game.options.items():
            usual = option.read(option.default_for(players))
            for value in option.values():
                if option.read(value) != usual and _possible(game, players, {name: value}):
                    yield Case(players, {name: value})


def _possible(game: Game, players: int, options: Mapping[str, Any]) -> bool:
    try:
        game.prepared(players, options)
    except ValueError:
        return False
    return True


def check_game(
    game: Game,
    players: int | None = None,
    options: Mapping[str, Any] | None = None,
    *,
    seed: int = 1,
    matches: int = 3,
    plies: int = 1_000_000,
    games: int = 200,
    positions: int = 2_000,
    worlds: int = 600,
) -> None:
    """Check a game with a number of players (by default, the usual one) and options. Raises ContractError if something is wrong.

    First, `matches` matches are played move by move through `Match`, with interpreted and compiled rules side by side, each for at most
    `plies` moves. Then `games` random games are played in compiled code, and about `positions` positions are checked from the view of every
    player. If no options are given, the game's source, bot, measures and scene are checked too. In `worlds`
    positions at the start of games, and twice as many later on, so is whether a viewer can find out more than `hide` shows, and whether
    `redeal` prefers some worlds.

    >>> import rulestone
    >>> check_game(rulestone.load("connect_four"), games=20, matches=1)
    """
    start, players = game.prepared(players, options)
    case = Case(players, dict(options or {}))
    check_facts(game)
    if not case.options:
        check_source(game)
    longest = game.longest(players, game.option_values(start))
    for number in range(matches):
        check_match(game, case, seed + number, longest, plies)
    for number in range(matches):
        check_modes_agree(game, case, seed + number, plies)
    check_audit(game, case, seed, longest, games, positions)
    for number in range(matches if game.simultaneous else 0):
        check_orders(game, case, seed + number, plies)
    if not case.options:
        check_bot(game, case, seed)
        check_measures(game, case, seed)
        check_scene(game, case, seed)
        check_secrets(game, case, seed, worlds)
        if not game.changes:  # a lesson teaches the game as it is in its folder
            check_lesson(game)


def check_lesson(game: Game) -> None:
    """The lesson reaches its end, expects only possible moves and answers every other one; every picture in the rules can be drawn."""
    try:
        lesson = Lesson.of(game)
        if lesson is not None:
            lesson.check()
        for picture in pictures(game):
            picture.check()
    except BrokenLesson as problem:
        raise ContractError(str(problem)) from problem


def check_source(game: Game) -> None:
    """Check what reading the game's files shows: sentences that get too few numbers, and rules that recurse."""
    for mistake in reading.mistakes(game):
        raise ContractError(mistake)


def check_secrets(game: Game, case: Case, seed: int, positions: int) -> None:
    """Check that viewers can't find out more than `hide` shows, and that `redeal` doesn't prefer some worlds; see `worlds`."""
    secret = found_out(game, case.players, seed, positions)
    if secret is not None:
        raise ContractError(_report(game, case, f"stream({seed}, {secret.game})", secret.moves, secret.what))


def check_measures(game: Game, case: Case, seed: int) -> None:
    """Check that the game's `measures.py` only looks: a measure that writes to the record would change the games it measures."""
    module = game.measures
    if module is None or not hasattr(module, "MEASURES"):
        return
    out, chooser = [0] * module.MEASURES.width, random.Random(seed)
    match = game.new(seed, case.players)

    def look(name: str, *arguments: Any) -> None:
        rule = getattr(module, name, None)
        if rule is not None:
            record = match.array.copy()
            game.rule(rule)(game.layout.reader(record), *arguments, out)
            changed = [field for field in record.dtype.names or () if record[field].tobytes() != match.array[field].tobytes()]
            _expect(not changed, match, f"{name} in measures.py writes to {', '.join(changed)}; measures may only look at the record")

    look("opening")
    while (player := match.to_move) is not None:
        action = chooser.choice(match.legal_actions())
        look("before", action)
        match.play(action)
        look("after", action, player)
    look("finish")


def check_facts(game: Game) -> None:
    """Check the static facts: names, counts, defaults and moves agree with each other."""
    about = game.about
    problems = {
        "ABOUT.title is empty": not about.title,
        "the numbers of players are out of order": not 1 <= about.min_players <= about.usual_players <= about.max_players,
        "there are fewer seat names than players": len(about.seats) < about.max_players,
        "there are no actions, or more than 32767": not 0 < len(game.actions) < 32768,
        "ABOUT.longest is not positive": about.longest < 1,
        f"the field {unnoticed.FIELD!r} counts moves for a spectator and each player; its type must be u16[1 + {about.max_players}]": (
            game.has_unnoticed_moves and game.layout.dtype[unnoticed.FIELD] != np.dtype(("u2", (1 + about.max_players,)))
        ),
    }
    for problem, present in problems.items():
        if present:
            raise ContractError(f"{game.name}: {problem}")
    for option in game.options.values():
        for players in range(game.min_players, game.max_players + 1):
            stored = option.read(option.default_for(players))
            if option.read(option.show(stored)) != stored:
                raise ContractError(
                    f"{game.name}: option {option.name!r} shows {stored!r} as {option.show(stored)!r}, but reads that as another value"
                )
    for action in range(len(game.actions)):
        if game.actions.parse(str(game.actions.decode(action))) != action:
            raise ContractError(f"{game.name}: action {action} prints as {game.actions.decode(action)!s}, which is read as another action")


def check_match(game: Game, case: Case, seed: int, longest: int, plies: int) -> None:
    """Play one match through the public interface, and check everything that `Match` promises, move by move."""
    chooser = random.Random(seed)
    match = game.new(seed, case.players, case.options)
    _expect(match.raw == game.new(seed, case.players, case.options).raw, match, "the same seed does not give the same start")
    first = {viewer: match.view(viewer).ply for viewer in [None, *range(case.players)]}
    while not match.over and match.ply < plies:
        _check_position(match, chooser)
        for viewer, ply in first.items():
            view = match.view(viewer)
            counted = f"view.ply counts {view.ply - ply} moves for player {viewer}, but view.moves has {len(view.moves)}"
            need = "" if game.has_unnoticed_moves else f"; a game with unnoticed moves has a field {unnoticed.FIELD!r} that counts them"
            _expect(view.ply == ply + len(view.moves), match, counted + need)
        player = chooser.choice(sorted(match.deciders)) if game.simultaneous else None
        move = chooser.choice(match.legal(player))
        before = match.raw
        match.play(move, player=player)
        if not game.about.perfect_information and chooser.random() < 0.05:
            _check_undo(match, chooser)
        if chooser.random() < 0.1:
            after = match.raw
            _expect(match.undo() == move and match.raw == before, match, f"undoing {move} does not restore the position before it")
            match.play(move, player=player)
            _expect(match.raw == after, match, f"playing {move} again after undo does not give the same position")
        _expect(match.ply <= longest, match, f"the game is longer than {longest} moves")
    if match.over:
        _check_position(match, chooser)
        _expect(match.legal() == [], match, "there are legal moves after the end")
        try:
            match.play(0)
        except IllegalMove:
            pass
        else:
            _expect(False, match, "a move was accepted after the end")
    record = json.loads(json.dumps(match.record()))
    _expect(replay(record, game).raw == match.raw, match, "the record does not replay to the same position")


def _check_undo(match: Match, chooser: random.Random, worlds: int = 3) -> None:
    """Check undo: whether the last move can be undone is the same in all worlds that look the same to a player, and so is the reason that
    its player sees; and the reason is true."""
    index, everybody = match.length - 1, [None, *range(match.players)]
    mover, asked = match.mover(index), everybody[chooser.randrange(2) :]
    told = undo.refusal(match, index, asked)
    if match.made_together(index):
        return  # while others still decide, nobody else notices it; afterwards, everything is disclosed
    whole = all(match.view(other).moves[-1:] == match.moves[-1:] for other in everybody if other != mover)
    _expect(
        (told == undo.SECRET) == (not whole),
        match,
        f"undo says {told!r}, but {'everybody' if whole else 'not everybody'} saw the whole move",
    )
    if told == undo.REVEALED:
        foreseen = all(
            _looks_the_same(match, _made_again(match, viewer, chooser), viewer)
            for viewer in (mover, *everybody)
            for _ in range(undo.WORLDS)
        )
        _expect(not foreseen, match, f"undo says {told!r}, but everybody could predict what they saw")
    for _ in range(worlds):
        viewer = chooser.choice(everybody)
        world = _made_again(match, viewer, chooser)
        if world is not None and _looks_the_same(match, world, viewer):
            again = undo.refusal(world, 0, asked)
            same = again == told if viewer == mover else (again is None) == (told is None)
            _expect(same, match, f"undo says {told!r}, but {again!r} in a world that looks the same to player {viewer}")


def _made_again(match: Match, viewer: int | None, chooser: random.Random) -> Match | None:
    """Return a world that looked the same to the viewer before the last move, after a move that looks the same to them; None if there is
    no such move."""
    before, eyes = match.at(match.length - 1), SPECTATOR if viewer is None else viewer
    word = before.seen_as(before.array, match.actions[-1], eyes)
    world = before.view(viewer).imagine(chooser.getrandbits(32))
    alike = [action for action in world.legal_actions() if world.seen_as(world.array, action, eyes) == word]
    if not alike:
        return None
    world.play(chooser.choice(alike))
    return world


def _looks_the_same(match: Match, world: Match | None, viewer: int | None) -> bool:
    return world is not None and world.view(viewer).raw == match.view(viewer).raw


def check_orders(game: Game, case: Case, seed: int, plies: int, orders: int = 3) -> None:
    """Check that, when several players decide at the same time, the order in which their moves arrive changes nothing."""
    first: list[bytes] = []
    for order in range(orders):
        match = game.new(seed, case.players, case.options)
        chooser, own = random.Random(f"{seed} {order}"), [random.Random(f"{seed} of {player}") for player in range(case.players)]
        ends = []
        while not match.over and match.ply < plies:
            player = chooser.choice(sorted(match.deciders))
            match.play(own[player].choice(match.legal(player)), player=player)
            if not match.undisclosed(match.length - 1):
                ends.append(match.raw)
                same = order == 0 or len(first) < len(ends) or first[len(ends) - 1] == ends[-1]
                _expect(same, match, f"the same moves in the order {match.movers} lead to another position")
        first = first or ends


def check_bot(game: Game, case: Case, seed: int, decisions: int = 40) -> None:
    """Check the game's `bot.py`: its settings are valid, `greedy` makes legal moves, and `estimate` stays within its bounds."""
    try:
        settings_of(game, case.players)
    except ValueError as problem:
        raise ContractError(str(problem)) from None
    chooser = random.Random(seed)
    match = game.new(seed, case.players, case.options)
    greedy = Greedy(game) if game.greedy is not None else None
    estimate = game.hints.get("estimate")
    while (seat := match.to_move) is not None and match.ply < decisions:
        legal = match.legal()
        for player in range(match.players):
            value = 0 if estimate is None else match.ask(estimate, player)
            valid = isinstance(value, int) and abs(value) <= 1000
            _expect(valid, match, f"estimate returned {value!r} for player {player}; it must be an integer from -1000 to 1000")
        move: Any = chooser.choice(legal)
        if greedy is not None and len(legal) > 1:
            with contextlib.suppress(IndexError, ValueError):  # a number that isn't an action at all
                move = None
                move = greedy.choose(match.view(seat), legal, chooser.getrandbits(62)).move
            _expect(move in legal, match, f"greedy makes an illegal move; legal moves: {', '.join(map(str, legal[:12]))}")
        match.play(move)


def check_scene(game: Game, case: Case, seed: int, looks: int = 8) -> None:
    """Check that the table can show the game: pictures for every viewer, words and clicks for every move, steps, and the ending."""
    chooser = random.Random(seed)
    face = Face.of(game)
    match = game.new(seed, case.players, case.options)
    before = match
    known: dict[tuple[int | None, bool], set[str]] = {}
    while True:
        looking = match.ply < looks or match.over
        drawn = face.rehearse(match) if looking else {}
        there = {key: set(IDS.findall(picture)) for key, (_, picture) in drawn.items()}
        for (viewer, narrow), (scene, picture) in drawn.items():
            _check_picture(face, match, viewer, narrow, scene, picture)
            if not narrow:
                _check_words(face, match, viewer, seed)
            if (viewer, narrow) in known:
                _check_steps(face, before, match, viewer, narrow, known[viewer, narrow] | there[viewer, narrow])
        if match.over:
            return
        before, known = match.copy(), there
        match.play(chooser.choice(match.legal()))


def _check_picture(face: Face, match: Match, viewer: int | None, narrow: bool, scene: Scene, drawn: str) -> None:
    """Check one picture: its ids, what refers to them, and that every move can be made by clicking."""
    whose = ("a spectator" if viewer is None else f"player {viewer}") + (" on a narrow screen" if narrow else "")
    view, ids = match.view(viewer), IDS.findall(drawn)
    there = set(ids)
    twice = [id for id in ids if ids.count(id) > 1]
    _expect(not twice, match, f"the picture for {whose} has duplicate ids: {twice[:1]}")
    lost = sorted(set(re.findall(r'href="#([^"]+)"', drawn)) - there)
    _expect(not lost, match, f"the picture for {whose} refers to things that aren't in it: {lost[:3]}")
    lost = sorted(set(scene.cards) - there)
    _expect(not lost, match, f"the picture for {whose} has hover cards for things that aren't in it: {lost[:3]}")
    labels: dict[str, str] = {}
    clicks: dict[tuple[str, ...], str] = {}
    moves = face.moves(view)
    lost = sorted({id for move in moves for id in move["picks"]} - there)
    _expect(not lost, match, f"the picture for {whose} lacks things that can be clicked: {lost[:3]}")
    for move in moves:
        picks = tuple(sorted(move["picks"]) if face.any_order else move["picks"])
        other = labels.setdefault(move["label"], move["move"])
        _expect(other == move["move"], match, f"the moves '{other}' and '{move['move']}' have the same name, {move['label']!r}")
        other = clicks.setdefault(picks, move["move"]) if picks else move["move"]
        _expect(other == move["move"], match, f"the moves '{other}' and '{move['move']}' are made by the same clicks: {list(picks)}")


def _check_words(face: Face, match: Match, viewer: int | None, seed: int) -> None:
    """Check the board in words: every part has a title and whole rows, and says only what the viewer can know."""
    whose = "a spectator" if viewer is None else f"player {viewer}"
    view = match.view(viewer)
    parts = face.in_words(view, viewer)
    wrong = [part.title for part in parts if not part.title or any(len(row) != len(part.head) for row in part.rows)]
    _expect(not wrong, match, f"in_words for {whose} has a part without a title, or rows that don't fit its head: {wrong[:1]}")
    same = "in_words" not in face.hooks or face.in_words(view.imagine(seed).view(viewer), viewer) == parts
    _expect(same, match, f"in_words for {whose} says something that they can't know")


def _check_steps(face: Face, before: Match, after: Match, viewer: int | None, narrow: bool, known: set[str]) -> None:
    """Check that the steps of a move show only things that are in the picture before or after it, or that a step shows itself."""
    for step in face.steps(before.view(viewer), after.view(viewer), narrow):
        known = known.union(*(IDS.findall(shown) for shown in step.get("show", ())))
        lost = sorted({*step["go"], *step["flash"]} - known)
        _expect(not lost, after, f"a step moves or lights up things that aren't in the picture: {lost[:3]}")


def _check_position(match: Match, chooser: random.Random) -> None:
    """Check what must hold at every position. The position stays unchanged."""
    game, before = match.game, match.raw
    try:
        match.check()
    except AssertionError as problem:
        _expect(False, match, f"check says: {problem}")
    legal = match.legal()
    numbers = [game.actions.parse(move) for move in legal]
    _expect(match.over or numbers, match, "there is no legal move, but the game is not over")
    _expect(numbers == sorted(set(numbers)), match, f"legal actions are not in ascending order: {numbers}")
    if game.may is not None and not match.over:
        allowed = [action for action in range(len(game.actions)) if match.ask(game.may, action) == 0]
        _expect(numbers == allowed, match, f"legal lists {_texts(game, numbers)}, but may_VERB allows {_texts(game, allowed)}")
    _expect(
        match.state.told <= len(match.state.story),
        match,
        f"{match.state.told} events in one move; ABOUT.story allows {len(match.state.story)}",
    )
    for event in match.events:
        match.say(event)
    illegal = [action for action in chooser.sample(range(len(game.actions)), min(4, len(game.actions))) if action not in numbers]
    for action in illegal:
        try:
            match.play(action)
        except IllegalMove as problem:
            _expect(str(problem), match, f"action {action} is refused without a reason")
        else:
            _expect(False, match, f"illegal action {action} was accepted")
    for viewer in [None, *range(match.players)]:
        view = match.view(viewer)
        _expect(view.state.rng == 0, match, f"the generator is not hidden from {viewer}")
        own = match.legal(viewer) if viewer in match.deciders else []
        _expect(view.legal() == own, match, f"the view of player {viewer} has other legal moves than the match")
        _expect(view.deciders == match.deciders, match, f"the view of player {viewer} has other deciders than the match")
        for event in view.events:
            view.say(event)
    if chooser.random() < 0.3:
        _check_world(match, chooser.randrange(-1, match.players), chooser.getrandbits(64))
    twin = match.copy()
    if numbers:
        twin.play(numbers[0])
    _expect(match.raw == before, match, "viewing a position, or playing in a copy of it, changed it")


def _check_world(match: Match, viewer: int, seed: int) -> None:
    """Check that a world redealt for a viewer keeps the game's invariants."""
    world = match.view(None if viewer == SPECTATOR else viewer).imagine(seed)
    try:
        world.check()
    except AssertionError as problem:
        _expect(False, match, f"a world redealt for {viewer} breaks an invariant: {problem}")


def check_modes_agree(game: Game, case: Case, seed: int, plies: int) -> None:
    """Check that interpreted and compiled rules give the same legal actions and the same bytes at every step of a game."""
    if game.mode == "interpreted":
        return
    start, _ = game.prepared(case.players, case.options)
    slow, fast = start.copy(), start.copy()
    slow["rng"] = fast["rng"] = np.uint64(stream(seed, 0) & 0xFFFF_FFFF_FFFF_FFFF)
    reader = game.layout.reader(slow)
    compiled = {template.__name__: game.compiled(template) for template in game.entries}
    names = game.interpreted_names
    chooser = random.Random(seed)
    played: list[str] = []
    slow_moves, fast_moves = [0] * len(game.actions), np.zeros(len(game.actions), np.int16)
    names["begin"](reader)
    compiled["begin_at"](fast, 0)
    while True:
        _same_bytes(game, case, seed, played, slow, fast, "state")
        if reader.to_move < 0 or len(played) >= plies:
            return
        n, m = names["legal"](reader, slow_moves), compiled["legal_at"](fast, 0, fast_moves)
        if slow_moves[:n] != fast_moves[:m].tolist():
            raise ContractError(
                _report(game, case, seed, played, f"interpreted legal actions {slow_moves[:n]}, compiled {fast_moves[:m].tolist()}")
            )
        if chooser.random() < 0.1:
            viewer = chooser.randrange(-1, case.players)
            left, right = slow.copy(), fast.copy()
            hidden = game.layout.reader(left)
            names["conceal"](hidden, viewer)
            compiled["conceal_at"](right, 0, viewer)
            _same_bytes(game, case, seed, played, left, right, f"view of {viewer}")
            left["rng"] = right["rng"] = np.uint64(chooser.getrandbits(64))
            names["redeal"](hidden, viewer)
            compiled["redeal_at"](right, 0, viewer)
            _same_bytes(game, case, seed, played, left, right, f"redealt world of {viewer}")
        action = chooser.choice(slow_moves[:n])
        played.append(str(game.actions.decode(action)))
        names["step"](reader, action)
        compiled["step_at"](fast, 0, action)


def _same_bytes(game: Game, case: Case, seed: int, played: list[str], slow: Any, fast: Any, what: str) -> None:
    if slow.tobytes() != fast.tobytes():
        fields = [name for name in slow.dtype.names if slow[name].tobytes() != fast[name].tobytes()]
        raise ContractError(
            _report(
                game, case, seed, played, f"interpreted and compiled {what} differ in {fields}: {slow[fields[0]]} and {fast[fields[0]]}"
            )
        )


def check_audit(game: Game, case: Case, seed: int, longest: int, games: int, positions: int) -> None:
    """Check many random games, including hidden information at many positions, and that 1 and 3 threads give the same results."""
    facts = game.about.zero_sum * 1 + game.about.cooperative * 2 + game.about.perfect_information * 4 + (game.may is not None) * 8
    some = playouts(game, min(games, 50), players=case.players, options=case.options, seed=seed, threads=1)
    again = playouts(game, min(games, 50), players=case.players, options=case.options, seed=seed, threads=3)
    if not (
        np.array_equal(some.payoffs, again.payoffs)
        and np.array_equal(some.lengths, again.lengths)
        and some.verb_counts == again.verb_counts
    ):
        raise ContractError(f"{game.name} ({case}): playouts differ between 1 and 3 threads with seed {seed}")
    if len(some) == 0:
        return
    every = max(1, int(some.lengths.mean() * games / max(1, positions)))
    start, _ = game.prepared(case.players, case.options)
    report = np.zeros(6, np.int64)
    size = len(game.actions)
    if game.mode == "compiled":
        states = game.layout.array(audit.SLOTS)
        raw = states.view(np.uint8).reshape(audit.SLOTS, -1)
        lists = np.zeros(size, np.int16), np.zeros(size, np.int16)
        run = game.compiled(audit.audit_games)
        _wait_for(lambda: run(states, raw, start, games, np.uint64(seed), longest, facts, every, lists, report), game, case, seed, report)
    else:
        records = Scratch.of(game.layout, audit.SLOTS)
        bytes_of = _Rows([record.raw for record in records.records])
        begin, some_games, plain = [game.layout.reader(start)], min(games, 20), ([0] * size, [0] * size)
        game.interpreted(audit.audit_games)(records, bytes_of, begin, some_games, seed, longest, facts, every, plain, report)
    code, number, ply, viewer, audited, different = report.tolist()
    if code:
        _, moves_text = _replayed(game, case, seed, number, ply)
        whose = f" (viewer {viewer}{_fields_in(game, case, seed, number, ply, code, viewer)})" if 8 <= code <= 15 else ""
        raise ContractError(_report(game, case, f"stream({seed}, {number})", moves_text, audit.WRONG[code] + whose))
    if not game.about.perfect_information and audited > 20 and different == 0:
        raise ContractError(
            f"{game.name} ({case}): ABOUT.perfect_information is False, but in {audited} positions every redealt world was the true one"
        )


STUCK = 60.0
"""After how many seconds without a step compiled rules count as stuck."""


def _wait_for(work: Callable[[], object], game: Game, case: Case, seed: int, report: NDArray[np.int64]) -> None:
    """Do work in compiled code, but don't wait for ever: if it is stuck, or on Ctrl-C, say where.

    Compiled code can't be stopped, so it runs in a thread of its own that ends with the process. The line is found by playing the same game
    interpreted.
    """
    failed: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as problem:
            failed.append(problem)

    worker = threading.Thread(target=run, daemon=True)
    worker.start()
    before, since = report[1:3].tolist(), time.monotonic()
    try:
        while worker.is_alive():
            worker.join(0.2)
            now = report[1:3].tolist()
            if now != before:
                before, since = now, time.monotonic()
            elif report[4] and time.monotonic() - since > STUCK:  # before the first position it is being compiled
                with patience.over(game.folder):
                    _replayed(game, case, seed, now[0], now[1] + 1)
                raise ContractError(
                    f"{game.name} ({case}): a rule, or a world redealt in game {now[0]} after {now[1]} moves, runs without end"
                )
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"in game {before[0]} of stream({seed}, {before[0]}), after {before[1]} moves") from None
    if failed:
        raise failed[0]


class _Rows:
    """The bytes of interpreted records, indexed [record, byte]."""

    def __init__(self, arrays: list[Any]) -> None:
        self.rows = [memoryview(array.view(np.uint8)) for array in arrays]
        self.shape = (len(arrays), len(self.rows[0]))

    def __getitem__(self, index: tuple[int, int]) -> int:
        return int(self.rows[index[0]][index[1]])


def _fields_in(game: Game, case: Case, seed: int, number: int, ply: int, code: int, viewer: int, tries: int = 200) -> str:
    """Return which fields a check of hidden information found wrong, as text; empty if they can't be found again."""
    names = game.interpreted_names
    record, _ = _replayed(game, case, seed, number, ply)
    for attempt in range(tries):
        views = []
        for hidings in (0, 1, 2) if code == audit.CHANGES else (1, 2):
            copy = record.copy()
            reader = game.layout.reader(copy)
            for again in range(hidings):
                if again == 1 and code == audit.UNLIKE:
                    reader.rng = stream(seed, attempt) & MASK
                    names["redeal"](reader, viewer)
                names["conceal"](reader, viewer)
            copy["rng"] = 0
            views.append(copy)
        wrong = [field for field in record.dtype.names or () if views[0][field].tobytes() != views[1][field].tobytes()]
        if wrong:
            return f", {'fields' if len(wrong) > 1 else 'field'} {', '.join(wrong)}"
    return ""


def _replayed(game: Game, case: Case, seed: int, number: int, plies: int) -> tuple[NDArray[Any], list[str]]:
    """Replay one of the random games up to a ply, and return the record and the moves."""
    start, _ = game.prepared(case.players, case.options)
    s = game.layout.reader(start)
    s.rng = stream(seed, number)
    names = game.interpreted_names
    names["begin"](s)
    moves, played = [0] * len(game.actions), []
    somebody_decides = game.interpreted(audit.somebody_decides)
    while s.to_move >= 0 and s.ply < plies:
        somebody_decides(s)
        n = names["legal"](s, moves)
        action = moves[rand(s, n)]
        played.append(str(game.actions.decode(action)))
        names["step"](s, action)
    return start, played


def _texts(game: Game, actions: list[int]) -> str:
    return ", ".join(str(game.actions.decode(action)) for action in actions) or "nothing"


def _expect(condition: object, match: Match, what: str) -> None:
    if not condition:
        case = Case(match.players, match.options)
        raise ContractError(_report(match.game, case, match.seed, [str(move) for move in match.moves], what))


def _report(game: Game, case: Case, seed: object, moves: list[str], what: str) -> str:
    return f"{game.name} ({case}): {what}\n  seed {seed}, after {len(moves)} moves: {', '.join(moves) or 'none'}"

"""What can be copied from the workbench into a game's files: a scenario test, a step of its lesson, a picture in its rules.

Everything is tried before it is handed out, so that it works when it is pasted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from rulestone.game import Game
from rulestone.learning import Lesson, lay, read_picture
from rulestone.lesson import Position, Step
from rulestone.match import IllegalMove, Match
from rulestone.studio.bench import Bench, Line, Moment
from rulestone.studio.looks import editable
from rulestone.table import Face

WIDE = 100
FEW, SMALL = 4, 24
"""How many places of a field are asserted one by one, and how large a field may be to be asserted as a whole."""
CITED = re.compile(r"\s*\[((?:[RQ]\d+[, ]*)+)\]")


class NotCopied(ValueError):
    """This can't be copied; the sentence says why."""


def text(value: Any) -> str:
    """A value as Python code, with texts in double quotes."""
    match value:
        case str():
            return json.dumps(value, ensure_ascii=False)
        case dict():
            return "{" + ", ".join(f"{text(key)}: {text(one)}" for key, one in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(text, value)) + "]"
        case tuple():
            return "(" + ", ".join(map(text, value)) + ("," if len(value) == 1 else "") + ")"
    return repr(value)


def options_of(game: Game, line: Line) -> dict[str, Any]:
    """The options that differ from the game's defaults."""
    usual = {name: option.show(option.read(option.default_for(line.start.players))) for name, option in game.options.items()}
    return {name: value for name, value in line.start.options.items() if value != usual.get(name)}


def position(game: Game, line: Line, at: int) -> Position:
    """A moment of a line as a position: by its moves if they lead there, else by the fields that differ from the deal."""
    start, options = line.start, options_of(game, line)
    made = line.moments[1 : at + 1]
    wanted = line.match_at(game, at)
    if all(moment.move for moment in made):
        moves = [f"{moment.move} @ {moment.rng}" if moment.by_hand else moment.move for moment in made]
        if fits(game, found := Position(start.seed, start.players, options, moves), wanted):
            return found
    deal, fields = start.deal(game), {}
    for name in editable(game):
        old, new = deal.array[name][0], wanted.array[name][0]
        places = np.argwhere(old != new).tolist()
        if new.shape and places and len(places) * 3 < new.size:
            fields[name] = {place[0] if len(place) == 1 else tuple(place): new[tuple(place)].item() for place in places}
        elif places or (not new.shape and old != new):
            fields[name] = new.tolist()
    if fits(game, found := Position(start.seed, start.players, options, (), fields), wanted):
        return found
    raise NotCopied("This position can't be written down: its derived fields don't follow from the others.")


def fits(game: Game, position: Position, wanted: Match) -> bool:
    """Whether a position is the wanted one, in all that can be written."""
    try:
        return same(lay(game, position), wanted)
    except (ValueError, TypeError, IndexError):
        return False


def same(one: Match, other: Match) -> bool:
    """Whether two positions are the same, whatever their generators are and whatever the story was before."""
    return all(np.array_equal(one.array[name], other.array[name]) for name in editable(one.game))


def move_of(bench: Bench) -> tuple[int, Moment | None]:
    """The moment to copy, and the move made there: the last one, if a move has led to this position."""
    now = bench.line.moments[bench.line.at]
    return (bench.line.at - 1, now) if now.move else (bench.line.at, None)


def made_again(game: Game, found: Position, made: Moment, after: Match) -> tuple[Match, int | None]:
    """The match after the move from a position that is written down, and the generator that the move must be given there, if any."""
    for rng in (made.rng,) if made.by_hand else (None, made.rng):
        laid = lay(game, found)
        laid.play(made.move, rng, made.player)
        if same(laid, after):
            return laid, rng
    raise NotCopied(f"This can't be copied: '{made.move}' turns out differently from a position that is written down.")


# ---- a lesson's step, a picture in the rules ---------------------------------------------------------------------------------


def step(bench: Bench) -> str:
    """A step of a lesson: the position before the last move, which is expected; or this position, to be read about."""
    game, line = bench.game, bench.line
    at, made = move_of(bench)
    found, before = position(game, line, at), line.match_at(game, at)
    seat = made.player if made else before.to_move
    text_ = _plain(Face.of(game).prompt(before.view(seat), seat))
    parts: dict[str, Any] = {"at": found}
    if made is not None:
        if made.player not in (before.to_move, None):
            parts["seat"] = made.player
        after, rng = made_again(game, found, made, bench.match)
        told = [_plain(sentence) for sentence in Face.of(game).story(after.view(seat))]
        parts |= {"expect": [made.move], "right": " ".join(told[:2]) or "That's it."}
        if rng is not None:
            parts["rng"] = rng
    Lesson(game, [Step(text_, **parts)]).check()
    lines = [f"        {text(text_)},"]
    lines += [f"        {name}={_position(value) if name == 'at' else text(value)}," for name, value in parts.items()]
    return "\n".join(["    Step(", *lines, "    ),"]) + "\n"


def _position(found: Position) -> str:
    """A position as Python code."""
    given: dict[str, Any] = {
        "players": found.players,
        "options": dict(found.options),
        "moves": list(found.moves),
        "fields": dict(found.fields),
    }
    given = {"seed": found.seed} | {name: value for name, value in given.items() if value}
    return f"Position({', '.join(f'{name}={text(value)}' for name, value in given.items())})"


def picture(bench: Bench) -> str:
    """A picture for RULES.md: the position before the last move, and the move to play; or this position."""
    game, line = bench.game, bench.line
    at, made = move_of(bench)
    found, before = position(game, line, at), line.match_at(game, at)
    seat = made.player if made else before.to_move
    view = before.view(seat)
    told: list[str] = []
    given: dict[str, str] = {"seed": str(found.seed), "players": json.dumps(found.players)}
    if found.options:
        given["options"] = json.dumps(dict(found.options))
    if found.moves:
        given["moves"] = ", ".join(found.moves)
    if found.fields:
        given["fields"] = json.dumps({name: _json(value) for name, value in found.fields.items()})
    if seat != before.to_move:
        given["seat"] = json.dumps(seat)
    if made is not None and made.player == before.to_move:  # a picture can't say who else moves
        move = game.actions.decode(game.actions.parse(made.move))
        drawn = [Face.of(game).scene(view, seat, narrow).inline() for narrow in Face.of(game).layouts()]
        light = [id for id in Face.of(game).picks(view, move) if all(f'id="{id}"' in one for one in drawn)]
        if light:
            given["light"] = ", ".join(light)
        after, rng = made_again(game, found, made, bench.match)
        told = [_plain(one) for one in Face.of(game).story(after.view(seat))]
        given["play"] = made.move if rng is None else f"{made.move} @ {rng}"
    caption = " ".join(told[:2]) or _plain(Face.of(game).prompt(view, seat))
    block = "\n".join([caption, *(f"{key}: {value}" for key, value in given.items())]) + "\n"
    read = read_picture(game, block)
    read.check()
    if not fits(game, read.position, before):
        raise NotCopied("This position can't be written as a picture.")
    return f"```scene\n{block}```\n"


def _json(value: Any) -> Any:
    """A field's value as JSON has it: places are texts."""
    if not isinstance(value, dict):
        return value
    return {", ".join(map(str, place)) if isinstance(place, tuple) else str(place): one for place, one in value.items()}


def _plain(sentence: str) -> str:
    """A sentence without the numbers of rules."""
    return CITED.sub("", sentence)


# ---- a scenario test ------------------------------------------------------------------------------------------------------


def scenario(bench: Bench) -> str:
    """A test that lays the position before the last move, makes it, and asserts what was seen; without a move, what is possible."""
    game, line = bench.game, bench.line
    at, made = move_of(bench)
    found, before = position(game, line, at), line.match_at(game, at)
    body = list(_laid(game, found))
    if made is None:
        body += [f"assert [str(move) for move in match.legal()] == {text([str(move) for move in before.legal()])}"]
        name = _name(Face.of(game).prompt(before.view(before.to_move), before.to_move))
    else:
        after, rng = made_again(game, found, made, bench.match)
        more = "" if rng is None else f", rng={rng}"
        more += "" if made.player == before.to_move else f", player={made.player}"
        body.append(f"events = match.play({text(made.move)}{more})")
        body += _seen(game, before, after)
        said = Face.of(game).story(after.view(made.player))
        name = _name(said[0] if said else made.label)
    return _tried(game, name, body)


def refusal(bench: Bench, move: str) -> str:
    """A test that a move isn't possible in this position, for this reason."""
    game, line = bench.game, bench.line
    why = bench.match.why(move)
    if why is None:
        raise NotCopied(f"'{move}' is possible now; play it, and copy that.")
    body = [*_laid(game, position(game, line, line.at)), f"assert match.why({text(move)}) == {text(why)}"]
    return _tried(game, _name(f"{why} {move}"), body)


def _laid(game: Game, found: Position) -> Iterator[str]:
    """The lines that lay a position."""
    given = [f"seed={text(found.seed)}", f"players={found.players}"]
    if found.options:
        given.append(f"options={text(dict(found.options))}")
    yield f"match = game.new({', '.join(given)})"
    plain = [move for move in found.moves if "@" not in move]
    if len(plain) == len(found.moves) > 2:
        yield f"for move in {text(list(found.moves))}:"
        yield "    match.play(move)"
    else:
        for move in found.moves:
            words, _, rng = (part.strip() for part in move.partition("@"))
            yield f"match.play({text(words)}{f', rng={rng}' if rng else ''})"
    for name, value in found.fields.items():
        if isinstance(value, dict):
            yield from (f"match.state.{name}[{_index(place)}] = {one}" for place, one in value.items())
        else:
            yield f"match.state.{name} = {value}"
    if found.fields and (game.simultaneous or game.has_unnoticed_moves):
        yield "match.state.told = 0  # the story before is not part of this"
    if found.fields:
        yield "match.refresh()"


def _index(place: Any) -> str:
    return ", ".join(map(str, place)) if isinstance(place, tuple) else str(place)


def _events(events: Any) -> str:
    return text([(event.name, tuple(event.args)) for event in events])


def _seen(game: Game, before: Match, after: Match) -> Iterator[str]:
    """What was seen: what happened, what each viewer heard if that is less, which fields changed, and who is next."""
    tell = "assert [(event.name, event.args) for event in {}] == {}"
    yield tell.format("events", _events(after.events))
    for viewer in [None, *range(after.players)]:
        if (heard := after.view(viewer).events) != after.events:
            yield tell.format(f"match.view({viewer}).events", _events(heard))
    for name, field in game.layout.own.items():
        old, new = before.array[name][0], after.array[name][0]
        if field.option or name.startswith("_") or np.array_equal(old, new):
            continue
        places = np.argwhere(old != new).tolist()
        if not new.shape:
            yield f"assert match.state.{name} == {new.item()}"
        elif len(places) <= FEW or new.size > SMALL:
            yield from (f"assert match.state.{name}[{_index(tuple(place))}] == {new[tuple(place)].item()}" for place in places[:FEW])
        else:
            yield f"assert match.state.{name}.tolist() == {new.tolist()}"
    yield f"assert match.payoff == {after.payoff}" if after.over else f"assert match.to_move == {after.to_move}"


def _name(sentence: str) -> str:
    """The name of a test: its rule, if the sentence cites one, and the sentence."""
    rule = re.search(r"\b[RQ]\d+\b", sentence)
    words = re.findall(r"[a-z0-9]+", CITED.sub("", sentence).lower())[:12]
    return "_".join(["test", *([rule[0]] if rule else []), *words])


def _tried(game: Game, name: str, body: list[str]) -> str:
    """The whole test, after running it."""
    function = "\n".join([f"def {name}():", *(f"    {line}" for line in body)])
    scope: dict[str, Any] = {"game": game}
    try:
        exec(compile(function, f"<{name}>", "exec"), scope)
        scope[name]()
    except (AssertionError, IllegalMove, ValueError, TypeError) as problem:
        raise NotCopied(f"This can't be copied: the test would fail ({str(problem) or 'something turns out differently'}).") from None
    if game.from_folder:
        head = "from pathlib import Path\n\nimport rulestone\n\ngame = rulestone.load(Path(__file__).parent)  # a file in the game's folder"
    else:
        head = f"import rulestone\n\ngame = rulestone.load({text(game.name)})"
    return f"{head}\n\n\n{function}\n"


COPIES = {"test": scenario, "step": step, "picture": picture}
"""What can be copied, by its name in the page."""

"""Matches: games in progress, with every move checked.

>>> import rulestone
>>> match = rulestone.load("connect_four").new(seed=7)
>>> for move in ("drop 3", ("drop", 0), 3, "drop 0", "drop 3", "drop 0"):
...     events = match.play(move)
>>> match.play("drop 9")
Traceback (most recent call last):
...
rulestone.match.IllegalMove: '9' is not a valid argument; usage: drop 0..6
>>> events = match.play("drop 3")
>>> match.over, match.payoff, match.say(events[-1])
(True, (1.0, -1.0), 'Red lines up 4. [R4]')
>>> rulestone.replay(match.record()).payoff
(1.0, -1.0)
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from operator import index
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulestone.game import Game, UnknownGame, load
from rulestone.games import names
from rulestone.kernel.about import SPECTATOR, BrokenInvariant
from rulestone.kernel.actions import Move
from rulestone.kernel.chance import MASK
from rulestone.kernel.story import Event
from rulestone.seeds import Parts
from rulestone.variant import split

FORMAT, FORMAT_VERSION = "rulestone.match", 1
CLAIMS = {"state", "over", "payoff"}
"""What a record says of its end. Only records of other rules than those installed where they were made say nothing."""
DEAL = -1
"""The ply number of the deal, among the plies whose generator was set by hand."""
RESIGNED, TIME, AGREED, CALLED_OFF = "resigned", "time", "agreed", "called off"
"""How a game can end other than by its rules: see `Match.end`."""
ENDINGS = (RESIGNED, TIME, AGREED, CALLED_OFF)


class IllegalMove(ValueError):
    """A move is not legal now. The message says why, and which moves are legal. The match hasn't changed."""


class RecordError(ValueError):
    """A match record is damaged, belongs to another version of the rules, or doesn't replay to what it claims."""


class Made(NamedTuple):
    """A move that was made: its action number, the player, the record before it, and the generator state it started with."""

    action: int
    player: int
    before: bytes
    rng: int


class State:
    """The fields of a match, to read and write: numbers, and NumPy arrays that share memory with the record.

    Raises AttributeError if there is no such field, ValueError if a value doesn't fit, and TypeError if you write to a view.

    >>> import rulestone
    >>> state = rulestone.load("connect_four").new(seed=7).state
    >>> state.grid.shape, state.ply
    ((6, 7), 0)
    """

    __slots__ = ("_also", "_array", "_writable")

    def __init__(self, array: NDArray[Any], also: Mapping[str, str], writable: bool = True) -> None:
        object.__setattr__(self, "_array", array)
        object.__setattr__(self, "_also", also)
        object.__setattr__(self, "_writable", writable)

    def __getattr__(self, name: str) -> Any:
        field = self._field(name)
        value = self._array[field][0]
        if isinstance(value, np.ndarray):
            if not self._writable:
                value = value.copy()
                value.flags.writeable = False
            return value
        return value.item()

    def __setattr__(self, name: str, value: Any) -> None:
        field = self._field(name)
        if not self._writable:
            raise TypeError("a view is read-only")
        kind, shape = self._array.dtype[field].base, self._array.dtype[field].shape
        if shape and np.shape(value) not in ((), shape):
            raise ValueError(f"field {name!r} has shape {shape}; the value has shape {np.shape(value)}")
        if kind.kind in "iu":
            bounds, values = np.iinfo(kind), np.asarray(value)
            if values.dtype.kind not in "biuOf" or np.any(values % 1 != 0):
                raise ValueError(f"field {name!r} holds whole numbers, not {value!r}")
            if not bounds.min <= values.min() <= values.max() <= bounds.max:
                raise ValueError(f"field {name!r} holds {bounds.min}..{bounds.max}, not {value!r}")
        self._array[field][0] = value

    def _field(self, name: str) -> str:
        name = self._also.get(name, name)
        if name not in self._array.dtype.names:
            raise AttributeError(f"there is no field {name!r}; the fields are: {', '.join(self)}")
        return name

    __getitem__ = __getattr__
    __setitem__ = __setattr__

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._array.dtype.names if not name.startswith("_"))

    def __dir__(self) -> list[str]:
        return [*self, *self._also]

    def __repr__(self) -> str:
        return f"State({', '.join(f'{name}={getattr(self, name)!r}' for name in self)})"


@dataclass(frozen=True)
class Outcome:
    """One way a move can turn out."""

    probability: Fraction
    match: Match
    """The position it leads to, to be looked at or played on."""


class Match:
    """One game in progress. Start one with `Game.new`.

    `seed` determines all chance: the same game, seed, players and options give the same match on every machine. Without a seed, a secret
    one is drawn. Raises ValueError if the seed, the number of players or an option isn't valid.

    >>> import rulestone
    >>> match = rulestone.load("connect_four").new(seed=7)
    >>> match.legal()[:2], match.to_move
    ([Move('drop 0'), Move('drop 1')], 0)
    >>> [match.say(event) for event in match.play("drop 3")]
    ['Red drops a disc into column 3. [R3]']
    """

    def __init__(self, game: Game, seed: int | str | None, players: int | None, options: Mapping[str, Any] | None) -> None:
        if isinstance(seed, np.integer):
            seed = int(seed)
        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int | str)):
            raise ValueError(f"a seed must be an integer or a string, not {seed!r}")
        if isinstance(seed, str) and re.fullmatch(r"0|-?[1-9][0-9]{0,999}", seed):
            seed = int(seed)  # "7" is 7: two seeds with one commitment would leave a choice
        self.game = game
        self.seed: int | str = secrets.token_hex(16) if seed is None else seed
        self.commitment = hashlib.sha256(str(self.seed).encode()).hexdigest()
        """The SHA-256 of the seed. Shown before the first move, it proves afterwards that the seed wasn't changed. Empty in a view, because
        a viewer who guessed the seed could check their guess."""
        self.parts: Parts | None = None
        """What the seed is made of, if it's the seed of a table where players' browsers had a part in it. The record contains it."""
        self.bots: list[str | None] = []
        """Which bot made each move, if that is known (None: a person). The record contains it; see `bot_seed`."""
        self.viewer: int | None = None
        """In a view, the player who sees it; None for a spectator."""
        self.is_view = False
        """Whether this is a view, that is, what one viewer sees of a match."""
        self.ended: dict[str, tuple[int, ...]] = {}
        """How the game ended other than by its rules, and by whom; see `end`."""
        self._paid: tuple[float, ...] = ()
        self._array, self.players = game.prepared(players, options)
        self._attach()
        self._dice: dict[int, int] = {}
        self._laid: bytes | None = None
        self._first_ply = 0
        self._past: list[Made] = []
        self._heard_by: dict[int, list[Move | None]] = {}
        self._heard: tuple[Move, ...] = ()
        self._begin(self._randomness(0))

    def _begin(self, rng: int) -> None:
        """Deal, with the generator in this state."""
        self._s.rng = rng
        self._run("begin")
        self._now = self._array.tobytes()

    def deal_again(self, rng: int) -> None:
        """Start again with the generator of the deal set to `rng`. The match record says so."""
        self._array[:] = self.game.prepared(self.players, self.options)[0]
        self._dice = {DEAL: index(rng) & MASK}
        self._begin(self._dice[DEAL])

    def _attach(self) -> None:
        self._s = self.game.layout.reader(self._array)
        self._bytes = self._array.view(np.uint8).data
        self.state = State(self._array, self.game.layout.also, not self.is_view)

    # ---- rules ------------------------------------------------------------------------------------------------------

    def _run(self, name: str, *arguments: Any) -> Any:
        return self.game.run(name, self._array, self._s, *arguments)

    def _randomness(self, *of: int | str) -> int:
        return generator(self.seed, *of)

    def _generator(self, player: int) -> int:
        """Return the generator state for a player's move.

        If several players decide at the same time, it depends on the player and the number of their own moves, not on the others' moves.
        """
        together = self.together
        return generator(self.seed, *turn_name(together, self.ply, player, self.movers if together else [], self._first_ply))

    def bot_seed(self, player: int) -> int:
        """Return the seed for a bot that decides for a player now: a hash of the secret seed, so it says nothing about dice.

        A bot that doesn't think by the clock makes the same move again if it gets the same view and this seed.
        """
        together = self.together
        turn = turn_name(together, self.ply, player, self.movers if together else [], self._first_ply)
        return generator(self.seed, "bot", player, *turn) >> 1

    def ask(self, question: Callable[..., Any], *arguments: Any) -> Any:
        """Run any rule of the game on a copy of this record, or of what a view shows of it, and return its result.

        Scenes and measures use this to ask the rules instead of repeating them.

        >>> import rulestone
        >>> game = rulestone.load("connect_four")
        >>> game.new(seed=7).ask(game.rules.grid_is_full)
        False
        """
        record, reader = self.game.trial()
        record[:] = self._bytes
        return self.game.rule(question)(reader, *arguments)

    def why(self, move: Move | tuple[Any, ...] | int | str) -> str | None:
        """Return the reason why a move is illegal now, as a sentence; None if it's legal.

        >>> import rulestone
        >>> match = rulestone.load("connect_four").new(seed=7)
        >>> match.why("drop 3"), match.view(1).why("drop 3")
        (None, "It's Red's turn.")
        """
        if self.over:
            return "The game is over."
        if self.is_view and self.viewer != self.to_move:
            names = [self.game.about.name(player, self.players) for player in sorted(self.deciders)]
            return f"You're ready. Waiting for {' and '.join(names)}." if self._deciding() else f"It's {names[0]}'s turn."
        try:
            action = self.game.actions.parse(move)
        except (ValueError, TypeError) as problem:
            return str(problem)
        if action in self.legal_actions():
            return None
        return self._reason(action) or f"You can't play '{self.game.actions.decode(action)}' now."

    def refusals(self, player: int | None = None) -> dict[Move, str]:
        """Return every move that a player (by default, the player to move) can't make now, each with the reason as a sentence.

        >>> import rulestone
        >>> match = rulestone.load("connect_four").new(seed=7)
        >>> match.refusals()
        {}
        """
        self._writable()
        if self.over:
            return {}
        turn = self._s.to_move
        player = turn if player is None else index(player)
        possible = set(self.legal_actions(player))
        self._s.to_move = player
        try:
            refused = [(action, self._reason(action)) for action in range(len(self.game.actions)) if action not in possible]
        finally:
            self._s.to_move = turn
        moves = ((self.game.actions.decode(action), reason) for action, reason in refused)
        return {move: reason or f"You can't play '{move}' now." for move, reason in moves}

    # ---- looking ----------------------------------------------------------------------------------------------------

    def read(self, name: str) -> Any:
        """A field as a plain number or a list of numbers: quicker than `state` for whoever only reads."""
        value = getattr(self._s, self.game.layout.also.get(name, name), None)
        if isinstance(value, memoryview):
            return value.tolist()
        return getattr(self.state, name) if value is None else value

    @property
    def to_move(self) -> int | None:
        """The player to move, or None if the game is over."""
        return self._s.to_move if not self.over else None

    @property
    def deciders(self) -> frozenset[int]:
        """The players who can move now: the player to move, or everybody who still has to decide if several decide at the same time.

        It's the same in a view, because who still has to decide is public.
        """
        together = self._deciding()
        if together:
            return frozenset(player for player in range(self.players) if together >> player & 1)
        return frozenset() if self.over else frozenset((self._s.to_move,))

    @property
    def together(self) -> bool:
        """Whether several players decide at the same time now, even if only one of them still has to."""
        return self._deciding() != 0

    def _deciding(self) -> int:
        """Return the set of players who decide at the same time now, as bits; 0 if it's one player's turn."""
        return int(self._run("deciding")) if self.game.simultaneous and not self.ended else 0

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return bool(self._s.to_move < 0 or self.ended)

    @property
    def payoff(self) -> tuple[float, ...]:
        """The payoff of each player, from -1 to 1; zeros while the game is running."""
        if self.ended:
            return self._paid
        return tuple(float(value) for value in self._array["payoff"][0][: self.players])

    @property
    def ply(self) -> int:
        """The number of moves made; in a view, of those the viewer noticed."""
        return int(self._s.ply)

    @property
    def options(self) -> dict[str, Any]:
        """The options of this match, by name."""
        return self.game.option_values(self._array)

    @property
    def moves(self) -> list[Move]:
        """The moves made so far; in a view, those the viewer noticed, with None for arguments they couldn't see."""
        if self.is_view:
            return list(self._heard)
        return [self.game.actions.decode(made.action) for made in self._past]

    @property
    def movers(self) -> list[int]:
        """The player who made each of the moves. Raises TypeError in a view."""
        self._writable()
        return [made.player for made in self._past]

    def mover(self, index: int) -> int:
        """Return the player who made move number `index`."""
        return self._past[index].player

    def seen_as(self, array: NDArray[Any], action: int, viewer: int, disclosed: bool = False) -> Move | None:
        """Return an action as a viewer would see it in this record; None if they wouldn't notice it.

        With `disclosed`, a move that several players made at the same time is shown as after everybody has decided.
        """
        seen = self.game.seen(array, action, viewer)
        if disclosed and seen == 0:
            seen = 1 | int(self.game.run("seen", array, self.game.reader(array), action, viewer))
        return self.game.actions.decode(action, seen) if seen & 1 else None

    def undisclosed(self, index: int) -> bool:
        """Return whether only its player knows move number `index`, because others still have to decide at the same time."""
        return index >= len(self._past) - self._undisclosed

    @property
    def _undisclosed(self) -> int:
        """How many of the last moves are known only to their players, because others still have to decide."""
        return min(int(self._s.pending[0]), len(self._past)) if self.game.simultaneous else 0

    def moves_seen_by(self, viewer: int | None) -> list[Move | None]:
        """Return the moves as one viewer saw them (None: a spectator), with None for a move they didn't notice. The result is cached."""
        eyes = SPECTATOR if viewer is None else viewer
        heard = self._heard_by.setdefault(eyes, [])
        del heard[len(self._past) :]
        public = len(self._past) - self._undisclosed
        for place in range(len(heard), len(self._past)):
            disclosed = self.made_together(place) and place < public
            heard.append(self.seen_as(self.array_before(place), self._past[place].action, eyes, disclosed))
        if public < len(heard):
            told, heard[public:] = list(heard), []
            return told
        return heard

    @property
    def events(self) -> list[Event]:
        """What happened in the last move; in a view, what the viewer can know of what happened since the last move they noticed."""
        return self.game.events.read(self._array["story"][0], int(self._s.told))

    def say(self, event: Event) -> str:
        """Return the sentence for an event."""
        return self.game.events.say(event, self.game.about.seats)

    def legal(self, player: int | None = None) -> list[Move]:
        """Return the legal moves of a player, by default the player to move, in the order of their action numbers.

        The list is empty if the player can't move now. In a view, it's empty unless the viewer can move.
        """
        return [self.game.actions.decode(action) for action in self.legal_actions(player)]

    def legal_actions(self, player: int | None = None) -> list[int]:
        """Return the action numbers of the legal moves; see `legal`."""
        turn = self._s.to_move
        player = turn if player is None else index(player)
        if self.over or (self.is_view and self.viewer != player) or (player != turn and player not in self.deciders):
            return []
        out = np.zeros(len(self.game.actions), np.int16)
        self._s.to_move = player
        try:
            return out[: self._run("legal", out)].tolist()  # type: ignore[no-any-return]
        finally:
            self._s.to_move = turn

    # ---- playing ----------------------------------------------------------------------------------------------------

    def play(self, move: Move | tuple[Any, ...] | int | str, rng: int | None = None, player: int | None = None) -> list[Event]:
        """Make a move and return what happened, as a list of events.

        `move` is a Move, a tuple, an action number or text. `rng` sets the generator first; scenario tests use it to get the dice they
        need. If several players decide at the same time, `player` says who moves (by default, the first of them).

        Raises IllegalMove, and changes nothing, if the move isn't legal. Raises TypeError in a view.

        >>> import rulestone
        >>> match = rulestone.load("connect_four").new(seed=7)
        >>> match.play("drop 3")
        [Event(name='drops', args=(0, 3), audience=None)]
        """
        self._writable()
        player, action = self._possible(move, player)
        by_hand = {} if rng is None else {self.ply: index(rng) & MASK}
        self._notice_edits()
        dice = by_hand or self._dice
        self._s.rng = dice[self.ply] if self.ply in dice else self._generator(player)
        made = Made(action, player, self._now, self._s.rng)
        self._s.to_move = player
        try:
            self._run("step", action)
        except BaseException:
            self._bytes[:] = self._now
            raise
        self._past.append(made)
        self._dice.update(by_hand)
        self._now = self._array.tobytes()
        return self.events

    def outcomes(self, move: Move | tuple[Any, ...] | int | str, most: int | None = None, player: int | None = None) -> list[Outcome]:
        """Every way a move can turn out, with its exact probability, the most likely first; with `most`, only that many of them.

        Equal positions are one outcome. The match stays as it is. `player` says who moves, as in `play`. What is hidden but decided, such
        as the order of a shuffled deck, is no chance any more: imagine worlds from a view to average over it. A move with more outcomes
        than can be listed, such as one that shuffles a whole deck, raises TooManyOutcomes (a ValueError); an illegal one IllegalMove.

        >>> import rulestone
        >>> [(str(one.probability), one.match.ply) for one in rulestone.load("connect_four").new(seed=7).outcomes("drop 3")]
        [('1', 1)]
        """
        self._writable()
        player, action = self._possible(move, player)
        before = self._laid_out(self.raw)
        before["to_move"] = player
        made = []
        for probability, raw in self.game.tape.outcomes("step", before, action)[:most]:
            after = self.copy()
            after.lay(raw)
            made.append(Outcome(probability, after))
        return made

    def _possible(self, move: Move | tuple[Any, ...] | int | str, player: int | None) -> tuple[int, int]:
        """The player who moves (without one: whoever is to move) and the number of the move; IllegalMove says why it is not possible."""
        if self.over:
            raise IllegalMove("the game is over")
        player = self._s.to_move if player is None else index(player)
        if player != self._s.to_move and player not in self.deciders:
            raise IllegalMove(f"player {player} can't move now; players who can: {', '.join(map(str, sorted(self.deciders)))}")
        try:
            action = self.game.actions.parse(move)
        except (ValueError, TypeError) as problem:
            raise IllegalMove(str(problem)) from None
        possible = self.legal_actions(player)
        if action not in possible:
            raise IllegalMove(self._why_not(action, possible, player))
        return player, action

    def _reason(self, action: int) -> str | None:
        """Return the game's own reason why an action is illegal, as a sentence; None if it has none."""
        if self.game.may and (why := self.ask(self.game.may, action)):
            return self.game.reasons.say(why, self.game.about.seats)
        explain = getattr(self.game.rules, "explain", None)
        reason = explain(self._s, action) if explain else None
        return f"{self.game.actions.decode(action)}: {reason}" if reason else None

    def _why_not(self, action: int, possible: list[int], player: int) -> str:
        """Return why an action is illegal, and which ones are legal."""
        shown = ", ".join(str(self.game.actions.decode(number)) for number in possible[:12])
        more = f", … ({len(possible)} in all)" if len(possible) > 12 else ""
        turn, self._s.to_move = self._s.to_move, player
        reason = self._reason(action) or f"'{self.game.actions.decode(action)}' is not legal now;"
        self._s.to_move = turn
        return f"{reason} {'L' if reason.endswith(('.', ']')) else 'l'}egal moves: {shown}{more}"

    def _writable(self) -> None:
        if self.is_view:
            raise TypeError("a view is read-only")

    def _notice_edits(self) -> None:
        """Start the record anew from here if fields were written by hand, because the moves before don't lead to this position."""
        current = self._array.tobytes()
        if current != self._now:
            self._laid = self._now = current
            self._first_ply = self.ply
            self.ended = {}
            self._past.clear()
            self._heard_by.clear()
            self._dice.clear()

    def refresh(self) -> None:
        """Recompute derived fields after you have written to `state`. It doesn't check whether the position can arise in a real game."""
        self._writable()
        self._run("refresh")
        self._notice_edits()

    def check(self) -> None:
        """Raise BrokenInvariant if the position can't arise in a real game, as far as the game's `check` and its fields can tell."""
        if self.is_view:
            raise TypeError("a view can't be checked, because parts of it are hidden; check the match, or view.imagine()")
        if not -1 <= self._s.to_move < self.players:
            raise BrokenInvariant(f"to_move is {self._s.to_move} in a game of {self.players} players")
        check = getattr(self.game.rules, "check", None)
        if check is not None:
            check(self._s)
        stray = self.game.layout.stray(self._array, self.game.max_players)
        if stray is not None:
            raise BrokenInvariant(stray)

    def undo(self, player: int | None = None) -> Move:
        """Undo the last move and return it.

        With `player`, undo that player's last move while several decide at the same time; the others' moves stay as they are.
        Raises IllegalMove if there is no move to undo.

        >>> import rulestone
        >>> match = rulestone.load("connect_four").new(seed=7)
        >>> events = match.play("drop 3")
        >>> match.undo(), match.ply
        (Move('drop 3'), 0)
        """
        self._writable()
        if not self._past:
            raise IllegalMove("there is no move to undo")
        place = len(self._past) - 1
        if player is not None:
            own = [k for k in range(len(self._past) - max(1, self._undisclosed), len(self._past)) if self._past[k].player == player]
            if not own:
                raise IllegalMove(f"player {player} has no move to undo")
            place = own[-1]
        self.ended = {}
        taken, *later = self._past[place:]
        dice = [self._dice.pop(self._first_ply + place + k, None) for k in range(1 + len(later))][1:]
        del self._past[place:]
        self._bytes[:] = taken.before
        self._now = taken.before
        self._heard_by.clear()
        for made, rng in zip(later, dice, strict=True):
            self.play(made.action, rng, made.player)
        return self.game.actions.decode(taken.action)

    def end(self, ended: Mapping[str, Iterable[int]]) -> None:
        """End the game other than by its rules: `ended` says how, and which players did it.

        - "resigned", "time": these players have lost. If the game goes on without them until its rules end it, say so afterwards: the
          others keep what the rules give them. Otherwise the others share what was lost. In a cooperative game, everybody loses.
        - "agreed": a draw, for everybody who hasn't resigned or run out of time.
        - "called off": nobody wins or loses.

        The record contains it. Raises ValueError, and changes nothing, if that's not a way to end this game.

        >>> import rulestone
        >>> match = rulestone.load("connect_four").new(seed=7)
        >>> match.end({"resigned": [0]})
        >>> match.over, match.payoff, match.record()["ended"]
        (True, (-1.0, 1.0), {'resigned': [0]})
        """
        self._writable()
        told = {how: tuple(sorted({index(player) for player in players})) for how, players in ended.items()}
        told = {how: told[how] for how in ENDINGS if told.get(how)}
        if not told or any(how not in ENDINGS for how in ended):
            raise ValueError(f"a game ends by players who {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}, not by {dict(ended)!r}")
        by = [player for players in told.values() for player in players]
        if not all(0 <= player < self.players for player in by) or len({*by}) < len(by):
            raise ValueError(f"players are 0..{self.players - 1}, and each ends a game once; not {dict(ended)!r}")
        lost = {*told.get(RESIGNED, ()), *told.get(TIME, ())}
        if self.ended or (self.over and (len(lost) < len(by) or self.game.cooperative)):
            raise ValueError("the game is over")
        self._notice_edits()
        self._paid = tuple(self._payoff_when_ended(player, lost, told) for player in range(self.players))
        self.ended = told

    def _payoff_when_ended(self, player: int, lost: set[int], ended: Mapping[str, Any]) -> float:
        if CALLED_OFF in ended:
            return 0.0
        if player in lost or (lost and self.game.cooperative):
            return -1.0
        if self.over:
            return self.payoff[player]
        return 0.0 if AGREED in ended else min(1.0, len(lost) / (self.players - len(lost)))

    def before_ended(self) -> Match:
        """Return the position that the rules know: the same match, or view, without what `end` has added.

        Scenes are drawn from it, so that no game needs to know how else it can end.
        """
        if not self.ended:
            return self
        twin = self.copy()
        twin.ended = {}
        return twin

    # ---- positions: the record and its past ---------------------------------------------------------------------------

    @property
    def array(self) -> NDArray[Any]:
        """The record itself, in an array of length 1. Writing to it changes the position."""
        return self._array

    @property
    def reader(self) -> Any:
        """The record as interpreted rules read it, with plain ints."""
        return self._s

    @property
    def raw(self) -> bytes:
        """The position as bytes. Two positions of a game are the same if and only if their bytes are."""
        return self._array.tobytes()

    @property
    def length(self) -> int:
        """The number of moves made since the deal, or since the position was set up by hand."""
        return len(self._past)

    @property
    def actions(self) -> list[int]:
        """The action numbers of those moves."""
        return [made.action for made in self._past]

    def raw_at(self, index: int) -> bytes:
        """Return the position before move number `index`, as bytes (at `length`, the current position)."""
        return self._past[index].before if index < self.length else self._now

    def at(self, index: int) -> Match:
        """Return a copy of the match as it was before move number `index` (at `length`, as it is now).

        >>> import rulestone
        >>> match = rulestone.load("connect_four").new(seed=7)
        >>> events = match.play("drop 3"), match.play("drop 2")
        >>> match.at(1).moves, match.length
        ([Move('drop 3')], 2)
        """
        twin = self.copy()
        if index < self.length:
            twin._now = self.raw_at(index)
            twin._bytes[:] = twin._now
            del twin._past[index:]
            twin.ended = {}
        return twin

    def lay(self, raw: bytes) -> None:
        """Set the position to these bytes (see `raw`). The match then starts from here, and its record says so."""
        self._writable()
        self._bytes[:] = raw
        self._notice_edits()

    def follow(self, past: Iterable[Made], raw: bytes) -> None:
        """Set the position to these bytes, which these moves have led to. The match starts from the position before the first of them.

        The rules aren't asked again: a workbench uses this to keep a game while its rules are being changed.
        """
        self._writable()
        self._past = list(past)
        self._laid = self._past[0].before if self._past else raw
        self._bytes[:] = self._laid
        self._first_ply = self.ply
        self._dice = {self._first_ply + place: made.rng for place, made in enumerate(self._past)}
        self._heard_by.clear()
        self.ended = {}
        self._bytes[:] = raw
        self._now = raw

    def generator_of(self, index: int) -> int:
        """Return the generator state that move number `index` started with (-1: the deal)."""
        return self._past[index].rng if index >= 0 else self._dice.get(DEAL, self._randomness(0))

    def array_before(self, place: int) -> NDArray[Any]:
        """Return the record before move number `place`, with the player who made it to move."""
        array = self._laid_out(self._past[place].before)
        array["to_move"] = self._past[place].player
        return array

    def made_together(self, place: int) -> bool:
        """Return whether move number `place` was one that several players made at the same time."""
        if not self.game.simultaneous:
            return False
        array = self.array_before(place)
        return bool(self.game.run("deciding", array, self.game.reader(array)))

    def pages(self, viewer: int | None) -> list[int]:
        """Return the positions that a viewer can replay, as numbers of moves: before each move they noticed at the time, and now."""
        heard = self.moves_seen_by(viewer)
        return [*(place for place, move in enumerate(heard) if move is not None and self._noticed_then(place, viewer)), len(heard)]

    def _noticed_then(self, place: int, viewer: int | None) -> bool:
        """Return whether a viewer noticed a move when it was made. Of moves made at the same time, they notice their own and the last."""
        return not self.made_together(place) or self._past[place].player == viewer or self._ends_phase(place)

    def _ends_phase(self, place: int) -> bool:
        """Return whether everybody had decided after this move."""
        return not np.frombuffer(self.raw_at(place + 1), self.game.layout.dtype)["pending"][0, 0]

    # ---- copies -----------------------------------------------------------------------------------------------------

    def _laid_out(self, raw: bytes) -> NDArray[Any]:
        """Return a record with these bytes. (NumPy copies a record field by field, which takes a hundred times as long.)"""
        return np.frombuffer(bytearray(raw), self.game.layout.dtype)

    def copy(self) -> Match:
        """Return an independent copy, with the same position and the same past."""
        twin = object.__new__(Match)
        twin.__dict__.update(self.__dict__)
        twin._array = self._laid_out(self.raw)
        if self.is_view:
            twin._attach()
            return twin
        twin._past = list(self._past)
        twin._dice = dict(self._dice)
        twin._heard_by = {viewer: list(heard) for viewer, heard in self._heard_by.items()}
        twin._attach()
        return twin

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Match:
        return self.copy()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_s", "_bytes", "state")}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        self._attach()

    def imagine(self, seed: int | str | None = None) -> Match:
        """In a view, return a match that agrees with everything the viewer knows, with the rest dealt at random.

        Bots use it to look ahead. Its past is unknown. Raises TypeError if this isn't a view.

        >>> import rulestone
        >>> view = rulestone.load("connect_four").new(seed=7).view(0)
        >>> world = view.imagine(seed=1)
        >>> events = world.play(view.legal()[3])
        >>> world.ply, view.ply
        (1, 0)
        """
        if not self.is_view:
            raise TypeError("only a view can imagine; use match.view(player).imagine()")
        world = Match(self.game, seed, self.players, self.options)
        world._bytes[:] = self._bytes
        world._s.rng = world._randomness(0)
        world._run("redeal", SPECTATOR if self.viewer is None else self.viewer)
        world._notice_edits()
        return world

    def view(self, player: int | None) -> Match:
        """Return a read-only match that contains only what a player can know (None: a spectator).

        Raises ValueError if there is no such player, and TypeError if this is already another player's view.
        """
        if player is not None and (isinstance(player, bool) or player not in range(self.players)):
            raise ValueError(f"there is no player {player!r}; players are 0..{self.players - 1}, or None for a spectator")
        if self.is_view and player != self.viewer:
            raise TypeError("a view can't be turned into another player's view; use the match")
        if self.is_view:
            return self
        viewer = SPECTATOR if player is None else player
        twin = object.__new__(Match)
        twin.game, twin.players, twin.viewer, twin.is_view = self.game, self.players, player, True
        twin.commitment = ""
        twin.ended, twin._paid = self.ended, self._paid
        twin._heard = tuple(move for move in self.moves_seen_by(player) if move is not None)
        twin._array = self._laid_out(self.raw)
        twin._attach()
        twin._run("conceal", viewer)
        return twin

    # ---- records ----------------------------------------------------------------------------------------------------

    def record(self) -> dict[str, Any]:
        """Return the match as JSON-ready data, from which `rulestone.replay` restores it. Raises TypeError in a view.

        It contains the secret seed, so share it only after the game. The format is described in docs/records.md.
        """
        self._writable()
        self._notice_edits()
        record: dict[str, Any] = {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "game": self.game.name,
            "rules": self.game.version,
            "plays": self.game.plays,
            "players": self.players,
            "options": self.options,
            "seed": self.seed,
            "commitment": self.commitment,
            "moves": [str(move) for move in self.moves],
            "over": self.over,
            "payoff": list(self.payoff),
        }
        if self.game.simultaneous:
            record["by"] = self.movers
        if self.ended:
            record["ended"] = {how: list(players) for how, players in self.ended.items()}
        if self._dice:
            record["dice"] = {str(ply): value for ply, value in self._dice.items()}
        if self._laid is not None:
            record["laid"] = self._laid.hex()
        if self.parts is not None:
            record["seed_parts"] = self.parts.data()
        if self.bots:
            record["bots"] = [*self.bots, *[None] * self.length][: self.length]
        record["state"] = hashlib.sha256(self.raw).hexdigest()
        record["checksum"] = _checksum(record)
        return record

    def __repr__(self) -> str:
        state = "over" if self.over else f"player {self.to_move} to move"
        view = "" if not self.is_view else f", seen by {'a spectator' if self.viewer is None else f'player {self.viewer}'}"
        return f"<Match of {self.game.name}, {self.players} players, {self.ply} moves, {state}{view}>"


def generator(seed: int | str, *of: int | str) -> int:
    """Return the generator state for one ply (0: the deal): a hash of the secret seed and the ply, so nobody can predict dice."""
    digest = hashlib.sha256(f"rulestone {type(seed).__name__} {seed} {' '.join(map(str, of))}".encode()).digest()
    return int.from_bytes(digest[:8], "little")


def turn_name(together: bool, ply: int, player: int, movers: list[int], first: int = 0) -> tuple[int | str, ...]:
    """Return what `generator` hashes for a move besides the seed: its number.

    If several players decide at the same time, it's the player and how many moves they have made (since position number `first`), so that
    the others' moves don't matter.
    """
    return ("player", player, first, movers.count(player)) if together else (ply + 1,)


def claiming_nothing(parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record of which nobody here can tell where its moves lead, because other rules are installed than it was played by.

    `parts` is what is known. Moves can be numbers, as their names belong to the rules.
    """
    commitment = hashlib.sha256(str(parts["seed"]).encode()).hexdigest()
    record: dict[str, Any] = {"format": FORMAT, "version": FORMAT_VERSION, **parts, "commitment": commitment}
    return {**record, "checksum": _checksum(record)}


def _checksum(record: Mapping[str, Any]) -> str:
    body = {key: value for key, value in record.items() if key != "checksum"}
    return hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _installed(name: str) -> Game:
    """Return the game a record names. It must be installed, because a record must not choose which folder's code is run."""
    plain = split(name)[0]
    if plain not in names():
        raise UnknownGame(f"the game {plain!r} is not installed")
    return load(name)


def replay(record: Mapping[str, Any], game: Game | None = None) -> Match:
    """Return the match that a record describes, replayed move by move.

    `game` is needed only if the record's game isn't installed. Raises RecordError if the record is damaged, was made with another version
    of the rules, or doesn't lead to the position it claims.

    >>> import rulestone
    >>> match = rulestone.load("connect_four").new(seed=7)
    >>> events = match.play("drop 3")
    >>> rulestone.replay(match.record()).moves
    [Move('drop 3')]
    """
    if not isinstance(record, Mapping) or record.get("format") != FORMAT:
        raise RecordError(f"this is not a match record: its format is not {FORMAT!r}")
    if record.get("version") != FORMAT_VERSION:
        raise RecordError(f"the record has format version {record.get('version')!r}; this program reads version {FORMAT_VERSION}")
    try:
        fits = record.get("checksum") == _checksum(record)
    except (TypeError, ValueError, RecursionError):
        fits = False
    if not fits:
        raise RecordError("the record is damaged: its checksum does not match its content")
    try:
        game = game or _installed(str(record["game"]))
        if record["rules"] != game.version:
            raise RecordError(
                f"the record was made with version {record['rules']!r} of the rules of {game.name}; version {game.version} is installed"
            )
        changed = "" if record.get("plays", game.plays) == game.plays else f" (the rules of {game.name} were changed without a new version)"
        match = game.new(record["seed"], record["players"], record["options"])
        if "laid" in record:
            raw = bytes.fromhex(record["laid"])
            if len(raw) != game.layout.dtype.itemsize:
                raise RecordError("the record starts from a position of the wrong size for this game")
            match.lay(raw)
        dice = record.get("dice", {})
        if not isinstance(dice, Mapping):
            raise RecordError("the record's dice are not a mapping from moves to numbers")
        if str(DEAL) in dice:
            match.deal_again(dice[str(DEAL)])
        movers = record.get("by", [None] * len(record["moves"]))
        if len(movers) != len(record["moves"]):
            raise RecordError("the record does not say who made each move")
        for number, (move, player) in enumerate(zip(record["moves"], movers, strict=True)):
            try:
                match.play(move, dice.get(str(match.ply)), player)
            except IllegalMove as problem:
                raise RecordError(f"move {number + 1} of the record can't be played: {problem}{changed}") from None
        if "ended" in record:
            match.end(record["ended"])
    except (AttributeError, KeyError, TypeError, UnknownGame, ValueError) as problem:
        if isinstance(problem, RecordError):
            raise
        raise RecordError(f"the record can't be read: {problem}") from None
    claims = CLAIMS & record.keys()
    if claims and hashlib.sha256(match.raw).hexdigest() != record.get("state"):
        raise RecordError(f"the moves of the record do not lead to the position it claims{changed}")
    if claims and (record.get("over"), record.get("payoff")) != (match.over, list(match.payoff)):
        raise RecordError("the record claims a result that its moves do not lead to")
    if str(record.get("commitment")) != match.commitment:
        raise RecordError("the record's seed does not match its commitment")
    try:
        _read_origin(match, record)
    except ValueError as problem:
        raise RecordError(f"the record does not prove its seed: {problem}") from None
    return match


def _read_origin(match: Match, record: Mapping[str, Any]) -> None:
    """Read what the seed is made of and which bots played, if the record says so."""
    if "seed_parts" in record:
        match.parts = Parts.read(record["seed_parts"], match.players)
        if match.parts.seed() != match.seed:
            raise ValueError("the seed is not made of its parts")
    if "bots" in record:
        bots = record["bots"]
        if not isinstance(bots, list) or len(bots) != match.length or not all(bot is None or isinstance(bot, str) for bot in bots):
            raise ValueError("the list of bots does not fit the moves")
        match.bots = list(bots)

"""OpenSpiel: importing this module registers every installed game as `rulestone_NAME`.

>>> import pyspiel
>>> game = pyspiel.load_game("rulestone_connect_four(seeds=8)")
>>> state = game.new_initial_state()
>>> state.is_chance_node(), len(state.legal_actions())
(True, 8)
>>> state.apply_action(5)
>>> state.current_player(), state.action_to_string(3)
(0, 'drop 3')

Chance comes in two forms, chosen by the parameter `chance`:

- `sampled` (the default, and quick): the one chance node at the root picks the seed, and with it all dice and deals. The same history is
  the same game everywhere. Players do not see the seed, but what they see can identify it, and with it all dice to come. So best responses,
  exploitability, CFR and values of a game are wrong here. A search of the state itself (MCTS) knows the dice to come, too; a search that
  should not resamples what a player cannot know (`state.resample_from_infostate`, or `resampler`), as ISMCTS does.
- `explicit`: a chance node for every number that the rules draw (`rand(s, n)` with n > 1), in the deal and in every move, with n equally
  likely outcomes; a shuffle is one node after the other. Players see of it what the rules show them. This is the game itself, for
  everything that needs its tree. No draw may have more outcomes, and no move or deal more draws, than the parameter `most` says (1024).

>>> game = pyspiel.load_game("rulestone_connect_four(chance=explicit)")
>>> game.new_initial_state().is_chance_node(), game.get_type().chance_mode.name
(False, 'DETERMINISTIC')

Players who decide at the same time (`deciders`) take turns here in the order of their seats, hidden from each other: a sequential game
with the same information sets, not one of OpenSpiel's simultaneous nodes.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulestone.engine.tape import Undecided, uses_chance
from rulestone.envs import MISSING
from rulestone.envs.position import Position
from rulestone.game import Game, installed, load
from rulestone.kernel.about import SPECTATOR
from rulestone.kernel.record import Option
from rulestone.nets.encoding import TOLD, Encoding

try:
    import pyspiel
except ModuleNotFoundError as problem:
    raise ModuleNotFoundError(MISSING.format("open_spiel")) from problem

SEEDS = 1 << 16
"""How many seeds the root's chance node chooses from; the parameter `seeds` changes this."""
MOST = 1024
"""With explicit chance: how many outcomes a draw may have at most, and how many draws a move; the parameter `most` sets another number."""
SAMPLED, EXPLICIT = "sampled", "explicit"
"""The values of the parameter `chance`."""
USUAL, USUAL_NAME = -1, ""
"""Option values that stand for the default with this number of players."""
EXACT = 1 << 24
"""float32 holds every whole number up to this one."""
RECENT = 8
"""How many of the last moves an information state lists."""
DIGEST = 16
"""Bytes in the digest of everything a player has seen."""

_registered: dict[str, Game] = {}


def register(game: Game) -> str:
    """Register a game and return its name in OpenSpiel. (Installed games are already registered.)

    It replaces another game of the same name; games loaded before are not affected.
    """
    name = f"rulestone_{game.name}"
    if _registered.get(name) is not game:
        kind = _game_type(game, name, SAMPLED)
        pyspiel.register_game(kind, type(name, (SpielGame,), {"kind": kind, "game": game}))
        _registered[name] = game
    return name


def _settings(game: Game) -> dict[str, int | str]:
    """The parameters that every game has, with their defaults. An option of the same name goes before."""
    settings: dict[str, int | str] = {"players": game.about.usual_players, "seeds": SEEDS, "chance": SAMPLED, "most": MOST}
    return {name: default for name, default in settings.items() if name not in game.options}


def _game_type(game: Game, name: str, chance: str) -> Any:
    kind, about = pyspiel.GameType, game.about
    draws = chance_in_deal(game) or chance_in_moves(game)
    open_game = about.perfect_information and (chance == EXPLICIT or not draws)
    utility = kind.Utility.ZERO_SUM if about.zero_sum else kind.Utility.GENERAL_SUM
    return kind(
        short_name=name,
        long_name=about.title,
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC if draws or chance == SAMPLED else kind.ChanceMode.DETERMINISTIC,
        information=kind.Information.PERFECT_INFORMATION if open_game else kind.Information.IMPERFECT_INFORMATION,
        utility=kind.Utility.IDENTICAL if about.cooperative else utility,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=about.max_players,
        min_num_players=about.min_players,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=True,
        parameter_specification=_settings(game) | {option.name: _default(option) for option in game.options.values()},
    )


def chance_in_deal(game: Game) -> bool:
    """Whether the deal ever draws a random number."""
    return uses_chance(game.rules.setup)


def chance_in_moves(game: Game) -> bool:
    """Whether a move, or what follows when all have decided, ever draws a random number."""
    return any(uses_chance(getattr(game.rules, name)) for name in ("apply", "resolve") if hasattr(game.rules, name))


def _default(option: Option) -> int | str:
    """An option's default, as a type that OpenSpiel's parameters support."""
    if isinstance(option.default, Mapping):
        return USUAL_NAME if option.names or option.length else USUAL
    return option.default if isinstance(option.default, str) else int(option.default)


class SpielGame(pyspiel.Game):  # type: ignore[misc]
    """One of our games with its number of players and options. Each game has a subclass that names the game and its type."""

    kind: Any
    game: Game

    def __init__(self, params: Mapping[str, Any]) -> None:
        kind, game = self.kind, self.game
        usual = kind.parameter_specification
        given = {name: value for name, value in params.items() if value != usual[name]}
        settings = {name: given.get(name, default) for name, default in _settings(game).items()}
        options = {name: value for name, value in given.items() if name not in settings}
        self.start = Remembered(game, int(settings.get("players", game.about.usual_players)), options)
        self.encoding = Encoding.of(game)
        chance = settings.get("chance", SAMPLED)
        if chance not in (SAMPLED, EXPLICIT):
            raise ValueError(f"chance is {SAMPLED} or {EXPLICIT}, not {chance!r}")
        self.explicit = chance == EXPLICIT
        self.seeds, self.most = _whole(settings, "seeds", SEEDS), _whole(settings, "most", MOST)
        self.longest = game.longest(self.start.players, game.option_values(self.start.start))
        info = pyspiel.GameInfo(
            num_distinct_actions=len(game.actions),
            max_chance_outcomes=(self.most if self.max_chance_nodes_in_history() else 0) if self.explicit else self.seeds,
            num_players=self.start.players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0 if game.about.zero_sum else None,
            max_game_length=self.longest,
        )
        super().__init__(_game_type(game, kind.short_name, chance) if self.explicit else kind, info, given)
        self.first = self.unfold(self.start.copy(), Draw("begin")) if self.explicit else Draw(outcomes=self.seeds)
        """The chance node that every game begins with; None if nothing is drawn for the deal."""

    def new_initial_state(self) -> SpielState:
        """The beginning: a chance node, or the first decision if nothing is drawn for the deal."""
        return SpielState(self)

    def max_chance_nodes_in_history(self) -> int:
        """One for the seed. With explicit chance, an upper bound: `most` for the deal and for each move, where they draw anything."""
        if not self.explicit:
            return 1
        return self.most * (chance_in_deal(self.game) + self.longest * chance_in_moves(self.game))

    def unfold(self, position: Remembered, draw: Draw) -> Draw | None:
        """Run the rule of a draw from a position with what was drawn; returns the next draw, or None if the rule is at its end."""
        try:
            position.unfold(draw.rule, draw.drawn, *draw.arguments)
        except Undecided as undecided:
            if undecided.n > self.most:
                what, enough = f"a draw has {undecided.n} outcomes", undecided.n
            elif len(draw.drawn) >= self.most:
                what, enough = f"a move, or the deal, draws more than {self.most} numbers", 2 * self.most
            else:
                return replace(draw, outcomes=undecided.n)
            raise pyspiel.SpielError(f"{what}; load the game with a larger limit, such as most={enough}") from None
        return None

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
        """An observer for this observation type."""
        wanted = iig_obs_type if isinstance(iig_obs_type, pyspiel.IIGObservationType) else pyspiel.IIGObservationType(perfect_recall=False)
        return Observer(self, wanted)


@dataclass(frozen=True)
class Draw:
    """What a chance node draws for: a rule (`begin`, `step`) that is run anew from the record before it, each time with one draw more.

    Without a rule it is the seed that is drawn.
    """

    rule: str = ""
    arguments: tuple[int, ...] = ()
    drawn: tuple[int, ...] = ()
    """What was drawn so far."""
    outcomes: int = 1
    """How many outcomes the next draw has."""

    def __deepcopy__(self, memo: Any) -> Draw:
        return self

    def __str__(self) -> str:
        if not self.rule:
            return "the seed is picked"
        return " ".join([self.rule, *map(str, self.arguments), "with draws", *map(str, self.drawn), "…"])


class SpielState(pyspiel.State):  # type: ignore[misc]
    """A position, or a chance node after it (or before the first one)."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.position: Remembered | None = None
        self.draw: Draw | None = game.first
        if game.first is None:
            self._unfold(game, Draw("begin"))

    def current_player(self) -> int:
        """Whose turn it is, by OpenSpiel's numbers."""
        if self.draw is not None:
            return int(pyspiel.PlayerId.CHANCE)
        assert self.position is not None
        return self.position.to_move if self.position.to_move >= 0 else int(pyspiel.PlayerId.TERMINAL)

    def _legal_actions(self, player: int) -> list[int]:
        assert self.position is not None
        return self.position.possible()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Every seed, or every number that can be drawn; all equally likely."""
        assert self.draw is not None
        return list(_uniform(self.draw.outcomes))

    def _apply_action(self, action: int) -> None:
        if self.draw is None:
            self._move(action)
        elif 0 <= action < self.draw.outcomes:
            self._decide(self.draw, action)
        else:
            what = "draw" if self.draw.rule else "seed"
            raise pyspiel.SpielError(f"there is no {what} {action}; {what}s are 0..{self.draw.outcomes - 1}")

    def _move(self, action: int) -> None:
        """A player's move."""
        assert self.position is not None
        possible = self.position.possible()
        if action not in possible:
            raise pyspiel.SpielError(f"action {action} is not possible; possible: {possible[:12]}")
        if self.get_game().explicit:
            self._unfold(self.get_game(), Draw("step", (action,)))
        else:
            self.position.step(action)

    def _decide(self, draw: Draw, outcome: int) -> None:
        """What chance decides: the next draw of a rule, or the seed."""
        if draw.rule:
            self._unfold(self.get_game(), replace(draw, drawn=(*draw.drawn, outcome)))
        else:
            self.position, self.draw = self.get_game().start.copy(), None
            self.position.begin(outcome)

    def _unfold(self, game: SpielGame, draw: Draw) -> None:
        """Run the rule of a draw as far as it goes: to the next draw, or to its end."""
        position = self.position or game.start.copy()
        self.draw = game.unfold(position, draw)
        if self.draw is None:
            self.position = position

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"{'draw' if self.get_game().explicit else 'seed'} {action}"
        return str(self.get_game().game.actions.decode(action))

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.draw is None and self.position is not None and self.position.to_move < 0

    def returns(self) -> list[float]:
        """The payoffs; zeros while the game is running."""
        return [0.0] * self.get_game().num_players() if self.position is None else self.position.payoff

    def __str__(self) -> str:
        shown = [] if self.position is None else [in_words(self.get_game().encoding, self.position.array)]
        return "\n".join([*shown, *([] if self.draw is None else [str(self.draw)])])

    def resample_from_infostate(self, player: int, probability_sampler: Callable[[], float]) -> SpielState:
        """A state that looks the same to this player: what they cannot know is dealt again, and future dice are different."""
        if self.draw is not None or self.position is None:
            raise pyspiel.SpielError("a chance node cannot be resampled; resample the decision before or after it")
        twin: SpielState = self.clone()
        twin.position = self.position.redealt(player, int(probability_sampler() * (1 << 53)))
        return twin


@lru_cache(maxsize=64)
def _uniform(n: int) -> tuple[tuple[int, float], ...]:
    return tuple((number, 1 / n) for number in range(n))


def _whole(settings: Mapping[str, Any], name: str, default: int) -> int:
    """A setting that is a number from 1 on."""
    number = int(settings.get(name, default))
    if number < 1:
        raise ValueError(f"{name} is at least 1, not {number}")
    return number


def resampler(seed: int | None = None) -> Callable[[SpielState, int], SpielState]:
    """A function for `ISMCTSBot.set_resampler`: the same, with its own generator."""
    chooser = random.Random(seed)
    return lambda state, player: state.resample_from_infostate(player, chooser.random)


@dataclass(frozen=True)
class Heard:
    """What one player has seen up to a ply: a digest of all views and moves, and the last moves in words and numbers."""

    plies: int
    digest: bytes
    words: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()


class Remembered(Position):
    """A position that remembers what each player has seen so far."""

    def __init__(self, game: Game | str, players: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        super().__init__(game, players, options)
        self.past: list[bytes] = []
        self.since = 0
        self._heard: dict[int, Heard] = {}
        self._possible: list[int] | None = None

    def begin(self, seed: int | str) -> None:
        """Start the game with this seed."""
        self._possible = None
        super().begin(seed)

    def possible(self) -> list[int]:
        """The legal actions in ascending order, none when the game is over; cached for a position and its copies."""
        if self._possible is None:
            self._possible = self.legal().tolist() if self.to_move >= 0 else []
        return self._possible

    def step(self, action: int) -> None:
        """Make a move, and remember the record before it."""
        self._possible = None
        self.past.append(self._bytes.tobytes())
        super().step(action)

    def unfold(self, rule: str, draws: Sequence[int], *arguments: int) -> None:
        """Begin, or make a step, with these draws instead of a seed. Undecided if more are needed; the position then stays as it was."""
        before, mover = self._bytes.tobytes(), self.to_move
        self.game.tape.run(rule, self.array, draws, *arguments)
        if arguments:
            self.past.append(before)
            self.actions += arguments
            self.movers.append(mover)
        self._possible = None

    def copy(self) -> Remembered:
        """An independent position with the same past."""
        twin = super().copy()
        assert isinstance(twin, Remembered)
        twin.past, twin._heard = list(self.past), dict(self._heard)
        return twin

    def __deepcopy__(self, memo: Any) -> Remembered:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        rest = (self.seed, (self.actions, self.movers), self.past, self.since, self._heard, self.array.tobytes())
        return _again, (self.game.name, self.players, self.options, rest)

    def heard(self, viewer: int) -> Heard:
        """What a viewer has seen so far. Each call computes only what happened since the last one."""
        heard = self._heard.get(viewer)
        if heard is None:
            heard = Heard(self.since, _digest(b"", self._seen_at(self.since, viewer)))
        for ply in range(heard.plies, len(self.past)):
            before = self._record(self.past[ply])
            seen = self.game.seen(before, self.actions[ply], viewer)
            view = self._seen_at(ply + 1, viewer)
            if not seen & 1:  # unnoticed: nothing changes, unless the turn passes or something is revealed
                digest = heard.digest if view == self._seen_at(ply, viewer) else _digest(heard.digest, view)
                heard = replace(heard, plies=ply + 1, digest=digest)
                continue
            word = str(self.game.actions.decode(self.actions[ply], seen))
            digest = _digest(heard.digest, word.encode() + view)
            number = self.actions[ply] + 1 if "?" not in word else 0
            heard = Heard(ply + 1, digest, (*heard.words, word)[-RECENT:], (*heard.numbers, number)[-RECENT:])
        self._heard[viewer] = heard
        return heard

    def _record(self, raw: bytes) -> NDArray[Any]:
        return np.frombuffer(bytearray(raw), self.game.layout.dtype)

    def _seen_at(self, ply: int, viewer: int) -> bytes:
        record = self._record(self._bytes.tobytes() if ply == len(self.past) else self.past[ply])
        self.game.run("conceal", record, self._reader_of(record), viewer)
        return record.tobytes()

    def redealt(self, viewer: int, seed: int) -> Remembered:
        """The same for this viewer, with everything they cannot see dealt again. What the others saw before is lost."""
        heard = self.heard(viewer)
        twin = self.copy()
        twin.redeal(viewer, seed)
        twin.since, twin._heard, twin._possible = len(self.past), {viewer: heard}, None
        return twin


def _again(name: str, players: int, options: dict[str, Any], rest: tuple[Any, ...]) -> Remembered:
    """Restore a position from its pickle."""
    position = Remembered(_registered.get(f"rulestone_{name}") or load(name), players, options)
    position.seed, (position.actions, position.movers), position.past, position.since, position._heard, raw = rest
    position._bytes[:] = np.frombuffer(raw, np.uint8)
    return position


def _digest(before: bytes, more: bytes) -> bytes:
    return hashlib.blake2b(before + more, digest_size=DIGEST).digest()


def in_words(encoding: Encoding, record: NDArray[Any], names: Iterable[str] | None = None) -> str:
    """The fields of a record, one per line, without options and story."""
    fields = encoding.game.layout.fields
    chosen = [name for name in names or encoding.names if name not in TOLD and fields[name].option is None]
    return "\n".join(f"{name}: {' '.join(map(str, record[name].ravel().tolist()))}" for name in chosen)


class Observer:
    """What players observe, for each of OpenSpiel's observation types (see OpenSpiel's observation.py).

    An observation is what the record shows a player, as flat numbers or in words. Public observations are what a spectator sees; private
    ones are the fields that show the player more. With perfect recall there are also a digest of everything the player has ever seen,
    which makes the information state exact, and the numbers of the last moves, to learn from.
    """

    def __init__(self, game: SpielGame, wanted: Any) -> None:
        self.encoding, self.players, self.wanted = game.encoding, game.num_players(), wanted
        self.open = game.get_type().information == pyspiel.GameType.Information.PERFECT_INFORMATION
        everybody = wanted.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS
        self.viewers = self.players if everybody else 1
        self.nobody = wanted.private_info == pyspiel.PrivateInfoType.NONE
        self.wide = np.flatnonzero(self.encoding.high > EXACT)
        """32-bit numbers, which float32 cannot hold: they are split into halves, with the upper halves after everything else."""
        sizes = {"player": self.players, "view": self.viewers * (self.encoding.size + len(self.wide))}
        if wanted.perfect_recall:
            sizes |= {"moves": RECENT, "digest": DIGEST}
        self.tensor = np.zeros(sum(sizes.values()), np.float32)
        self.dict: dict[str, NDArray[np.float32]] = {}
        place = 0
        for name, size in sizes.items():
            self.dict[name] = self.tensor[place : place + size]
            place += size

    def _viewers(self, player: int) -> list[int]:
        return list(range(self.players)) if self.viewers > 1 else [SPECTATOR if self.nobody else player]

    def set_from(self, state: SpielState, player: int) -> None:
        """Write the tensor."""
        self.tensor.fill(0)
        if 0 <= player < self.players:
            self.dict["player"][player] = 1
        position = state.position
        if position is None:
            return
        shown = [self._shown(position, viewer) for viewer in self._viewers(player)]
        self.dict["view"][:] = np.concatenate(shown)
        if self.wanted.perfect_recall:
            heard = position.heard(self._viewers(player)[0])
            self.dict["moves"][: len(heard.numbers)] = heard.numbers
            self.dict["digest"][:] = np.frombuffer(heard.digest, np.uint8) / 255

    def _shown(self, position: Remembered, viewer: int) -> NDArray[np.int32]:
        vector = self._halved(position.flat(viewer))
        return vector if self.wanted.public_info else np.where(vector == self._halved(position.flat(SPECTATOR)), 0, vector)

    def _halved(self, vector: NDArray[np.int32]) -> NDArray[np.int32]:
        halved = np.concatenate([vector, vector[self.wide] >> 16])
        halved[self.wide] &= 0xFFFF
        return halved

    def string_from(self, state: SpielState, player: int) -> str:
        """The observation in words."""
        position = state.position
        if position is None:
            return ""
        lines = []
        for viewer in self._viewers(player):
            record = position.known(viewer)
            if self.wanted.public_info:
                lines.append("everybody" if viewer == SPECTATOR else f"player {viewer}")
                lines.append(_recalled(position, viewer, record) if self.wanted.perfect_recall else in_words(self.encoding, record))
            elif viewer != SPECTATOR and not self.open:
                public = position.known(SPECTATOR)
                own = [name for name in self.encoding.names if not np.array_equal(record[name], public[name])]
                lines.append(f"player {viewer}")
                lines += [in_words(self.encoding, record, own)] if own else []
        return "\n".join(lines)


def _recalled(position: Remembered, viewer: int, known: NDArray[Any]) -> str:
    """What a viewer recalls, who now knows this record."""
    heard = position.heard(viewer)
    moves = f"after {known['ply'][0]} moves, the last: {', '.join(heard.words) or 'none'}"
    return f"{moves}\nall that was seen: {heard.digest.hex()}"


for _, _game in installed():
    register(_game)

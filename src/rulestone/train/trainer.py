"""The training: imitate the game's quick bot first, then play and learn, with a ladder along the way; the best network is kept."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import torch

from rulestone.envs.vector import VectorEnv
from rulestone.game import Game
from rulestone.nets.lens import Lens
from rulestone.nets.net import SUFFIX, Net, NetError, own_file
from rulestone.train.arena import GREEDY, PAST, RANDOM, Arena, Score
from rulestone.train.eyes import Eyes, watch
from rulestone.train.games import SelfPlay, Table
from rulestone.train.learn import Learner, Rates
from rulestone.train.model import Network, frozen
from rulestone.train.weigh import Weigher

SURE = 0.9
"""How likely a net that asks the game's quick bot does what it advises, at first."""
LEAGUE = 16
"""How many past selves are remembered; when there are more, every other one is forgotten."""


@dataclass(frozen=True)
class Course:
    """How to train. Everything that a training can be repeated from, besides the game, the players and the options."""

    minutes: float = 10.0
    """How long to train, unless there is a number of rounds."""
    rounds: int | None = None
    """How many rounds to train: the same seed and rounds give the same net on the same machine."""
    seed: int = 1
    device: str = "cpu"
    threads: int = 1
    """How many cores PyTorch uses. Small networks are hardly faster with more, and much slower where others use them, too."""
    games: int = 256
    """How many games are played side by side."""
    moves: int = 64
    """How many moves a round has in each of them."""
    widths: tuple[int, ...] = (128, 128)
    """The widths of the hidden layers."""
    advised: bool = True
    """Whether the net knows what the game's quick bot would do, if it has one."""
    warm: float = 0.1
    """The part of the training in which the game's quick bot is imitated, if it has one."""
    decay: float = 0.9
    """λ of TD(λ): how far the credit for what happened reaches back."""
    past: float = 0.25
    """The share of the games that are against a past self."""
    greedy: float = 0.25
    """The share of the games that are against the game's quick bot, if it has one."""
    ladders: int = 10
    """How often the ladder is played."""
    ladder_games: int = 400
    """How many games each rung of the ladder has; twice as many at the end, as a last look."""
    worlds: int = 0
    """In how many imagined worlds to weigh moves. With 0, it learns from how games ended instead."""
    tried: int = 6
    """How many moves to weigh in each position."""
    rates: Rates = field(default_factory=Rates)


USUAL: dict[str, dict[str, Any]] = {
    "cpu": {},
    "cuda": {"games": 4096, "moves": 16, "ladders": 6, "ladder_games": 1000, "rates": Rates(epochs=2, part=8192)},
}
"""How to train on each device: a GPU learns from many games at once."""


SETTINGS = {
    **dict.fromkeys(("games", "moves", "ladders", "ladder_games", "epochs", "part", "worlds", "tried"), int),
    **dict.fromkeys(("decay", "past", "greedy", "rate", "clip", "entropy", "worth", "keep", "hold", "heat"), float),
}
"""What `--set` can change, and as what."""


MOST = 1_000_000
"""The largest whole number of a setting."""


def course_of(device: str, settings: Sequence[str], usual: Course | None = None, **own: Any) -> Course:
    """Return how to train on a device, with settings as `NAME=VALUE`. Raises ValueError if one can't be.

    `usual` is what to change: what suits the device, if it's None.

    >>> course_of("cuda", ["rate=3e-4", "moves=32"]).rates.rate
    0.0003
    """
    course = replace(usual or Course(**USUAL[device]), device=device, **own)
    for setting in settings:
        name, _, text = setting.partition("=")
        if name not in SETTINGS:
            raise ValueError(f"there is no setting {name!r}; the settings are {', '.join(SETTINGS)}")
        try:
            value = SETTINGS[name](text)
            if not 0 <= value < math.inf or (SETTINGS[name] is int and not 0 < value <= MOST):
                raise ValueError
        except ValueError:
            raise ValueError(f"{name} can't be {text!r}") from None
        course = (
            replace(course, **{name: value}) if hasattr(course, name) else replace(course, rates=replace(course.rates, **{name: value}))
        )
    return course


@dataclass(frozen=True)
class Report:
    """Where the training stands after a round."""

    round: int
    seconds: float
    progress: float
    decisions: int
    imitating: bool
    worth: float
    """The mean square by which payoffs were mispredicted."""
    entropy: float
    """How undecided the policy is, in nats."""
    ladder: tuple[Score, ...] = ()
    """The ladder, if it was played after this round."""
    best: bool = False
    """Whether this is the best network so far."""


class Trainer:
    """Trains a net for a game. `run` trains and keeps the best in `file`; a checkpoint beside it holds all that is needed to go on."""

    def __init__(
        self,
        game: Game,
        file: Path,
        course: Course,
        players: int | None = None,
        options: Mapping[str, Any] | None = None,
        resume: bool = False,
    ) -> None:
        if course.rounds is None and not 0 < course.minutes < math.inf:
            raise ValueError(f"training needs some time, not {course.minutes:g} minutes")
        check_device(course.device)
        self.game, self.file, self.course = game, file, course
        self.reports: list[Report] = []
        self.league: list[dict[str, torch.Tensor]] = []
        self.best: dict[str, torch.Tensor] | None = None
        self.best_score = -1.0
        self.guide: Network | None = None
        self.seconds = 0.0
        """How long has been trained, all runs together."""
        self.decisions = 0
        torch.manual_seed(course.seed)
        torch.set_num_threads(course.threads)
        torch.set_float32_matmul_precision("medium")  # multiply in 16 bits where the processor can: nets are kept in 16 bits, too
        saved = self._saved(players, options) if resume else None
        if saved is None:
            env = VectorEnv(game, course.games, players=players, options=options, seed=course.seed)
            self.lens, choices = watch(env, course.advised and game.greedy is not None)
            trust = math.log(SURE / (1 - SURE) * max(1.0, choices - 1))
        else:
            env, trust = saved["env"], 0.0
            self.lens = Lens.from_json(saved["lens"], game, env.players, saved["features"], saved["advised"])
        self.players, self.options = env.players, env.options
        self.usual = game.option_values(game.prepared(self.players, None)[0])
        self.eyes = Eyes(game, self.lens, course.device)
        asked = trust if self.lens.advised else None
        self.network = Network(self.eyes.size, len(game.actions), self.players, course.widths, asked).to(course.device)
        self.learner = Learner(self.network, self.eyes, course.rates, course.device, course.seed)
        self.table = Table(env, self.eyes, course.moves, course.device, course.seed)
        self.play = SelfPlay(self.table, course.past, course.greedy)
        self.weigher = Weigher(env, course.worlds, course.seed, course.threads)
        places = course.ladder_games // self.players * self.players or self.players
        self.arena_env = VectorEnv(game, places, players=self.players, options=self.options, seed=course.seed + 1)
        self.arena = Arena(self.arena_env, self.eyes, course.device, course.seed + 1)
        knows = self.lens.advised and course.worlds > 0  # what to do at first, and it soon learns what that is worth
        self.warm = course.warm if game.greedy is not None and not knows else 0.0
        if saved is not None:
            self._take(saved)
        else:
            self.net(self.network.weights()).packed()  # report before training that it's too large

    # ---- keeping ---------------------------------------------------------------------------------------------------------

    @property
    def checkpoint(self) -> Path:
        """The file with all that is needed to go on."""
        return checkpoint_of(self.file)

    def net(self, weights: Any) -> Net:
        """Return the net with these weights, and how it was made."""
        made = {"command": self.command(), "seconds": round(self.seconds), "decisions": self.decisions, "rounds": len(self.reports)}
        made |= asdict(self.course)
        made["ladder"] = [asdict(score) for score in self.last_ladder]
        return Net(Net.header_for(self.game, self.lens, self.options, self.course.widths, made), weights, str(self.file))

    def command(self, rounds: int | None = None) -> str:
        """Return the command that does the same again, for as long or for a number of rounds."""
        course, usual, rounds = self.course, Course(), rounds or self.course.rounds
        words = ["rulestone train", self.game.name, f"--players {self.players}", f"--seed {course.seed}"]
        words += [f"--option {name}={value}" for name, value in self.options.items() if value != self.usual[name]]
        words.append(f"--rounds {rounds}" if rounds else f"--minutes {course.minutes:g}")
        words += [f"--device {course.device}"] * (course.device != "cpu")
        words += [f"--width {course.widths[0]}"] * (course.widths != usual.widths)
        words += [f"--warm {course.warm:g}"] * (course.warm != usual.warm)
        usual = replace(usual, **USUAL[course.device])
        for one, other in ((course, usual), (course.rates, usual.rates)):
            words += [f"--set {name}={getattr(one, name):g}" for name in SETTINGS if getattr(one, name, 0) != getattr(other, name, 0)]
        return " ".join([*words, *(["--unadvised"] if not course.advised else [])])

    @property
    def last_ladder(self) -> tuple[Score, ...]:
        """The last ladder that was played by the best network."""
        return next((report.ladder for report in reversed(self.reports) if report.best and report.ladder), ())

    def save(self) -> None:
        """Write the best net, and the checkpoint."""
        best = frozen(self.network, self.best) if self.best is not None else self.network
        self.net(best.weights()).save(self.file)
        whole = {
            "identity": self.identity(), "course": self.course, "env": self.table.env,
            "lens": self.lens.as_json(), "features": self.lens.features, "advised": self.lens.advised,
            "network": self.network.state_dict(), "optimiser": self.learner.optimiser.state_dict(),
            "guide": None if self.guide is None else self.guide.copy_of(),
            "chances": (self.table.chance.bit_generator.state, self.learner.chance.bit_generator.state),
            "dice": (self.table.dice.get_state(), torch.get_rng_state()),
            "turn": self.play.turn, "weighed": self.weigher.times, "trust": self.learner.trust,
            "league": self.league, "best": self.best, "best_score": self.best_score, "reports": self.reports,
            "seconds": self.seconds, "decisions": self.decisions,
        }  # fmt: skip
        half = self.checkpoint.with_name(self.checkpoint.name + ".part")
        torch.save(whole, half)
        half.replace(self.checkpoint)

    def identity(self) -> dict[str, Any]:
        """Return what two runs must have in common for one to continue the other."""
        own = {name: value for name, value in asdict(self.course).items() if name not in ("minutes", "rounds", "device", "threads")}
        return {"game": self.game.name, "plays": self.game.plays, **own}

    def _saved(self, players: int | None, options: Mapping[str, Any] | None) -> dict[str, Any]:
        saved = saved_in(self.file)
        known = {**saved["identity"], "players": saved["env"].players, "options": saved["env"].options}
        asked = {**self.identity(), "players": players, "options": None if options is None else dict(options)}
        other = next((name for name, value in asked.items() if value not in (None, known[name])), None)
        if other:
            raise NetError(f"{self.checkpoint} is of another training ({other}: {known[other]}); start again with --replace, not --resume")
        return saved

    def _take(self, saved: Mapping[str, Any]) -> None:
        """Take up where a checkpoint was saved."""
        self.network.load_state_dict(saved["network"])
        self.learner.optimiser.load_state_dict(saved["optimiser"])
        self.guide = None if saved["guide"] is None else frozen(self.network, saved["guide"])
        self.table.chance.bit_generator.state, self.learner.chance.bit_generator.state = saved["chances"]
        self.table.dice.set_state(saved["dice"][0])
        torch.set_rng_state(saved["dice"][1])
        self.play.turn, self.league = saved["turn"], saved["league"]
        self.weigher.times, self.learner.trust = saved["weighed"], saved["trust"]
        self.best, self.best_score, self.reports = saved["best"], saved["best_score"], saved["reports"]
        self.seconds, self.decisions = saved["seconds"], saved["decisions"]

    # ---- training --------------------------------------------------------------------------------------------------------

    def progress(self) -> float:
        """Return the part of the training that is over, from 0 to 1."""
        done = len(self.reports) / self.course.rounds if self.course.rounds else self.seconds / (60 * self.course.minutes)
        return min(1.0, done)

    def run(self, tell: Callable[[Report], None] = lambda report: None, clock: Callable[[], float] = time.monotonic) -> tuple[Score, ...]:
        """Train until the time is over, keep the best, and return its ladder. Ctrl-C stops early and keeps the best so far.

        `tell` is called after each round.
        """
        began = clock() - self.seconds
        last = self._rung(self.progress())
        try:
            while self.progress() < 1:
                report = self._round()
                self.seconds = clock() - began
                report = replace(report, seconds=self.seconds)
                self.reports.append(report)
                if (rung := self._rung(self.progress())) > last:
                    last = rung
                    self.reports[-1] = report = self._climb(report)
                    self.seconds = clock() - began
                    self.save()
                tell(report)
        except KeyboardInterrupt:
            self.seconds = clock() - began
            if self.reports:
                if self.best is None:
                    self.reports[-1] = self._climb(self.reports[-1])
                self.save()
            raise
        return self.final()

    def _rung(self, progress: float) -> int:
        return int(progress * self.course.ladders + 1e-9)

    def _round(self) -> Report:
        """Play and learn once."""
        progress, rates = self.progress(), self.course.rates
        imitating = progress < self.warm
        if imitating:
            batch = self.play.imitate(self.network, self.course.decay)
            told = self.learner.learn(batch, progress, True)
        else:
            keep = 0.0 if self.lens.advised else rates.keep
            if self.guide is None and self.warm and keep + rates.hold > 0:
                self.guide = frozen(self.network, self.network.copy_of())
            left = 1 - 2 * (progress - self.warm) / (1 - self.warm)
            rival = frozen(self.network, self.league[int(self.table.chance.integers(len(self.league)))]) if self.league else None
            if self.course.worlds:
                told = self.learner.weigh(self.play.weigh(self.network, rival, self.weigher, self.course.tried), progress)
            else:
                batch = self.play.play(self.network, rival, self.course.decay)
                told = self.learner.learn(batch, progress, False, self.guide, rates.hold + keep * max(0.0, left))
        self.decisions += self.table.moves * self.table.env.games
        return Report(len(self.reports) + 1, 0.0, progress, self.decisions, imitating, told["worth"], told["entropy"])

    def _climb(self, report: Report) -> Report:
        """Play the ladder; remember this network, and whether it's the best."""
        scores = [self.arena.against(self.network, RANDOM)]
        if self.game.greedy is not None:
            scores.append(self.arena.against(self.network, GREEDY))
        if self.league and not self.game.cooperative:
            scores.append(self.arena.against(self.network, PAST, frozen(self.network, self.league[-1])))
        best = scores[1].score if self.game.greedy is not None else scores[0].score
        if self.game.greedy is None and self.best is not None and not self.game.cooperative:
            # Against random, everything decent wins; who is better is seen against each other.
            best = self.best_score + self.arena.against(self.network, PAST, frozen(self.network, self.best)).score - 1 / self.players
        found = best >= self.best_score
        if found:
            self.best, self.best_score = self.network.copy_of(), best
        self.league.append(self.network.copy_of())
        if len(self.league) > LEAGUE:
            self.league = self.league[::2]
        return replace(report, ladder=tuple(scores), best=found)

    def final(self) -> tuple[Score, ...]:
        """Return the ladder of the best network, with fresh deals and twice as many games."""
        if self.best is None:
            return ()
        best = frozen(self.network, self.best)
        places = 2 * self.arena_env.games
        env = VectorEnv(self.game, places, players=self.players, options=self.options, seed=self.course.seed + 2)
        arena = Arena(env, self.eyes, self.course.device, self.course.seed + 2)
        rivals = [RANDOM, *([GREEDY] if self.game.greedy is not None else [])]
        return tuple(arena.against(best, rival) for rival in rivals)


def saved_in(file: Path) -> dict[str, Any]:
    """Return what is in the checkpoint of a net. Raises NetError if it can't be read."""
    checkpoint = checkpoint_of(file)
    if not checkpoint.is_file():
        raise NetError(f"there is nothing to continue: {checkpoint} doesn't exist")
    try:
        saved: dict[str, Any] = torch.load(checkpoint, weights_only=False)
        assert isinstance(saved["course"], Course)
    except Exception as problem:
        raise NetError(f"{checkpoint} can't be read: {problem}") from None
    return saved


def checkpoint_of(file: Path) -> Path:
    """Return where all that is needed to continue the training of a net is kept."""
    return file.with_suffix(".checkpoint")


def default_file(game: Game, players: int) -> Path:
    """Return where a net is saved: in the folder of a game of one's own, where it plays as `net`; else in the current folder."""
    return own_file(game, players) if game.from_folder else Path(f"{game.name}-{players}{SUFFIX}")


def check_device(device: str) -> None:
    """Raise ValueError if there is no such device to train on."""
    if device not in ("cpu", "cuda"):
        raise ValueError(f"there is no device {device!r}; choose cpu or cuda")
    if device == "cuda" and not torch.cuda.is_available():
        raise ValueError("PyTorch finds no NVIDIA GPU here; train with --device cpu")

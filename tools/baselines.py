"""The baselines of docs/researchers/baselines.md: `python -m tools.baselines train`, `play` and `write`, one after the other.

`train` makes a model for every game and seed with examples/maskable_ppo.py, `play` runs `rulestone benchmark` for every baseline, and
`write` makes the page and its curves from what both have left in docs/researchers/data. Each goes on where it was stopped.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from rulestone.bots import LEVELS
from rulestone.envs import benchmark
from rulestone.envs.table import lines
from rulestone.game import Game, installed, load

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs" / "researchers"
DATA, PAGE, CURVES = DOCS / "data", DOCS / "baselines.md", DOCS / "data" / "curves.json"
BUILD = ROOT / "build" / "baselines"

STEPS, EVERY, JUDGED, SEEDS = 16_384, 4_096, 64, 5
GAMES = 4
"""The games for each task and seed: fewer than the protocol's 20, so the intervals are wider."""
SLOW = "level:5"
"""A baseline whose games take long: it plays one of each task for every seed, and the page can be written after every whole seed."""
PPO = "rulestone.envs.sb3:Trained:" + str((BUILD / "{game}-{seed}.zip").relative_to(ROOT))
BASELINES = {"random": "random", "greedy": "greedy", "mcts:200": "mcts:200", **{f"level:{n}": f"level:{n}" for n in LEVELS}, "PPO": PPO}
"""What each baseline is called in the tables, and the agent that plays it."""


def games() -> list[Game]:
    """All games that come with Rulestone."""
    return [game for _, game in installed()]


def partners(game: Game) -> str:
    """Who PPO trains with: random, or greedy in a cooperative game, where a team of random players never wins."""
    return "greedy" if game.cooperative and game.greedy else "random"


def train() -> None:
    """Train a model for every game and seed, and keep its learning curve."""
    sys.path.insert(0, str(ROOT / "examples"))
    import maskable_ppo
    import torch

    torch.set_num_threads(1)
    BUILD.mkdir(parents=True, exist_ok=True)
    for seed in range(1, SEEDS + 1):
        for game in games():
            kept = BUILD / f"{game.name}-{seed}.json"
            if kept.is_file():
                continue
            began = time.process_time()
            model, curve = maskable_ppo.train(game.name, STEPS, partners(game), seed, games=JUDGED, every=EVERY)
            model.save(kept.with_suffix(".zip"))
            seconds = round(time.process_time() - began, 1)
            kept.write_text(json.dumps({"game": game.name, "seed": seed, "bots": partners(game), "curve": curve, "cpu": seconds}))
            print(kept.stem, f"{seconds} s of CPU time", flush=True)
    curves = [json.loads((BUILD / f"{game.name}-{seed}.json").read_text()) for game in games() for seed in range(1, SEEDS + 1)]
    CURVES.write_text("[\n" + ",\n".join(json.dumps(curve) for curve in curves) + "\n]\n")


def play(names: list[str]) -> None:
    """Run the benchmark for some baselines (default: all)."""
    BUILD.mkdir(parents=True, exist_ok=True)
    for name in names or BASELINES:
        agent = BASELINES[name]
        chosen = [game for game in games() if agent != "greedy" or game.greedy is not None]
        for seeds in range(1, SEEDS + 1) if name == SLOW else [SEEDS]:
            number = None if name == SLOW else GAMES
            result = benchmark.benchmark(agent, chosen, number=number, seeds=seeds, keep=BUILD / "games.jsonl")
            if result.stopped:
                sys.exit(130)
            _file(name).write_text(json.dumps(result.as_json(), indent=1) + "\n")
            print(*benchmark.summary(result), sep="\n", flush=True)


# ---- the page ---------------------------------------------------------------------------------------------------------

HEAD = f"""# Baselines

What simple agents score in [the benchmark](benchmark.md), protocol {benchmark.PROTOCOL}: {GAMES} games for each task and
seed instead of {benchmark.GAMES}, so the intervals are wide. `python -m tools.baselines` makes this page from
the JSON files in `docs/researchers/data`.

- **random**, **greedy**, **mcts:200**: bots that make the same moves on every machine. Games
  without a greedy bot are left out of its means.
- **level:1** to **level:5**: [levels](../bots/strength.md) of the search, from 1 ms to 1 s a move.
- **PPO**: MaskablePPO of sb3-contrib, a model for each game and each of five seeds, trained for
  {STEPS:,} steps against random moves (in a cooperative game, with greedy partners) on the usual
  game. This is a tiny budget, seconds of one core: a floor to beat, not what PPO can do.
"""

COMMANDS = f"""## Make them yourself

```sh
rulestone benchmark --agent mcts:200 --games {GAMES}
python examples/maskable_ppo.py --game connect_four --steps {STEPS} --seed 1 --save connect_four-1.zip
rulestone benchmark connect_four --agent rulestone.envs.sb3:Trained:{{game}}-{{seed}}.zip --seeds 1
python -m tools.baselines train  # all {SEEDS} models of every game
python -m tools.baselines play   # all baselines; or name some: play random PPO
python -m tools.baselines write  # this page
```
"""


def write() -> None:
    """Write the page and its picture."""
    for file, text in made().items():
        file.write_text(text)


def made() -> dict[Path, str]:
    """The files that are made from the data."""
    files = {}
    found = {name: json.loads(file.read_text()) for name in BASELINES if (file := _file(name)).is_file()}
    parts = [HEAD, "## Means over all games\n\n" + _means(found)]
    if slow := found.get(SLOW):
        parts.append(
            f"{SLOW} thinks for up to a second a move. So it has played a single game of each task for {slow['seeds']} of the\n"
            f"{SEEDS} seeds, in the first seat with seed 1, in the second with seed 2 and so on: the column **a task**\n"
            "says how many games a row stands on, and the intervals say what that is worth.\n"
        )
    missing = [name for name in BASELINES if name not in found]
    if missing:
        parts.append(f"Not measured yet: {', '.join(missing)}.\n")
    parts.append("## Every task\n\nMean payoffs, with their 95 % intervals in brackets.\n")
    for game in games():
        parts.append(f"### {game.title}\n\n" + _table(game.name, found))
    if CURVES.is_file():
        curves = json.loads(CURVES.read_text())
        files[ROOT / "docs" / "pictures" / "curves.svg"] = picture(curves)
        cost = sum(curve["cpu"] for curve in curves) / 60
        parts.append(
            f"## Learning curves\n\n![Mean payoff of PPO after up to {STEPS:,} steps, game by game](../pictures/curves.svg)\n\n"
            f"The mean payoff against the bots PPO trains with, over {JUDGED} games every {EVERY:,} steps: the mean of\n"
            f"five seeds, and the range from the lowest to the highest. All {len(curves)} runs together took\n"
            f"{cost:.0f} minutes of CPU time.\n"
        )
    return {**files, PAGE: "\n".join([*parts, COMMANDS])}


def _file(name: str) -> Path:
    return DATA / f"{name.replace(':', '-').lower()}.json"


def _with_interval(row: dict[str, Any]) -> str:
    return f"{row['payoff']:+.2f} ({row['low']:+.2f} … {row['high']:+.2f})"


def _means(found: dict[str, Any]) -> str:
    """What every baseline scored on average, and how many games it has played for that."""
    rows: list[list[str]] = [["agent", "games", "a task", *benchmark.SENTENCES.values()], ["---", *["---:"] * (2 + len(benchmark.KINDS))]]
    for name, figures in found.items():
        played = [row["games"] for row in figures["rows"]]
        a_task = " to ".join(map(str, sorted({min(played), max(played)})))
        scores = (_with_interval(figures["means"][kind]) for kind in benchmark.KINDS)
        rows.append([name, f"{sum(played):,}", a_task, *scores])
    return lines(rows)


def _table(game: str, found: dict[str, Any]) -> str:
    """The tasks of a game, and what every baseline scored in them."""
    tasks: dict[tuple[str, ...], dict[str, str]] = {}
    for name, figures in found.items():
        for row in figures["rows"]:
            if row["game"] == game:
                changed = ", ".join(f"{option}={value}" for option, value in row["options"].items()) or "usual"
                tasks.setdefault((str(row["players"]), changed, row["others"] or "itself"), {})[name] = _with_interval(row)
    rows: list[list[str]] = [["players", "options", "others", *found], ["---:", "---", "---", *["---:"] * len(found)]]
    return lines([*rows, *([*task, *(scores.get(name, "–") for name in found)] for task, scores in tasks.items())])


WIDE, HIGH, LEFT, TOP = 300, 170, 44, 34
"""The size of one curve's picture, and the place of its plot."""


def picture(curves: list[dict[str, Any]]) -> str:
    """All learning curves as one SVG, three games in a row."""
    by_game: dict[str, list[dict[str, Any]]] = {}
    for curve in curves:
        by_game.setdefault(curve["game"], []).append(curve)
    rows = -(-len(by_game) // 3)
    style = (
        "text{font:12px sans-serif;fill:#555}.t{font-weight:600;fill:#222}@media(prefers-color-scheme:dark){text{fill:#aaa}.t{fill:#eee}}"
    )
    places = [(number % 3 * WIDE, number // 3 * HIGH) for number in range(len(by_game))]
    shapes = [
        f'<g transform="translate({x} {y})">{"".join(_curve(runs))}</g>' for (x, y), runs in zip(places, by_game.values(), strict=True)
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {3 * WIDE} {rows * HIGH}" role="img" aria-label="Learning curves">'
        f"<style>{style}</style>{''.join(shapes)}</svg>\n"
    )


def _curve(runs: list[dict[str, Any]]) -> Iterator[str]:
    """One game: the mean over seeds as a line, the range as a band."""
    steps = [point[0] for point in runs[0]["curve"]]
    columns = list(zip(*([payoff for _, payoff in run["curve"]] for run in runs), strict=True))

    def at(step: float, payoff: float) -> str:
        x = LEFT + step / steps[-1] * (WIDE - LEFT - 24)
        return f"{x:.1f},{TOP + (1 - payoff) / 2 * (HIGH - TOP - 34):.1f}"

    title = f"{load(runs[0]['game']).title}, {'with' if load(runs[0]['game']).cooperative else 'against'} {runs[0]['bots']}"
    yield f'<text class="t" x="{LEFT}" y="20">{escape(title)}</text>'
    for payoff in (-1, 0, 1):
        ends = [at(step, payoff).split(",") for step in (0, steps[-1])]
        yield f'<path d="M{ends[0][0]} {ends[0][1]}H{ends[1][0]}" stroke="#999" stroke-width=".6" opacity=".6"/>'
        yield f'<text x="{LEFT - 8}" y="{float(ends[0][1]) + 4:.1f}" text-anchor="end">{payoff if payoff <= 0 else f"+{payoff}"}</text>'
    band = [at(step, max(column)) for step, column in zip(steps, columns, strict=True)]
    band += [at(step, min(column)) for step, column in reversed(list(zip(steps, columns, strict=True)))]
    yield f'<polygon points="{" ".join(band)}" fill="#2f7d6b" opacity=".22"/>'
    means = " ".join(at(step, sum(column) / len(column)) for step, column in zip(steps, columns, strict=True))
    yield f'<polyline points="{means}" fill="none" stroke="#2f7d6b" stroke-width="2.5"/>'
    yield f'<text x="{LEFT}" y="{HIGH - 14}">0</text><text x="{WIDE - 24}" y="{HIGH - 14}" text-anchor="end">{steps[-1]:,} steps</text>'


def main() -> None:
    """Do what the command line asks for."""
    verb, *rest = [*sys.argv[1:], ""]
    names = [name for name in rest if name]
    if verb not in ("train", "play", "write") or not set(names) <= set(BASELINES):
        sys.exit(f"usage: python -m tools.baselines train | play [{' | '.join(BASELINES)}]... | write")
    if verb == "play":
        play(names)
    else:
        {"train": train, "write": write}[verb]()


if __name__ == "__main__":
    main()

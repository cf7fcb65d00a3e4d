"""The folder of a study: the plan, the totals so far, and a Parquet file for each block of games.

Files are written so that a crash loses little and damages nothing.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rulestone.lab.count import counter_of
from rulestone.lab.plan import Plan
from rulestone.lab.run import Answer, Block, Results, empty

FORMAT, VERSION = "rulestone.study", 3
KINDS = ("games", "estimates", "luck")
HEAD = {"cell": "the number of the setting", "setting": "what makes the setting different", "game": "the number of the game"}
"""The first columns of the table of games, and what they mean."""


class FolderError(ValueError):
    """The folder cannot be used. The text says why; nothing in the folder has changed."""


def sources_of(plan: Plan) -> str:
    """What the totals depend on besides the plan: the editions of the game and its variants."""
    games = (counter_of(name).game for name in (plan.game, *map(plan.game_of, plan.cells)))
    return "-".join(dict.fromkeys(game.edition for game in games))


class Folder:
    """The folder a study is saved in."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def used(self) -> bool:
        return (self.path / "plan.json").exists()

    def begin(self, plan: Plan) -> None:
        """Make the folder for a new study. Raise FolderError if it holds anything already."""
        if self.used:
            raise FolderError(f"{self.path} already holds a study; use --resume to continue it")
        if self.path.exists() and (not self.path.is_dir() or any(self.path.iterdir())):
            raise FolderError(f"{self.path} exists and is not an empty folder; choose another")
        self._guard(lambda: (self.path / "games").mkdir(parents=True))
        head = {"format": FORMAT, "version": VERSION, "sources": sources_of(plan), "plan": plan.as_json()}
        self.write("plan.json", json.dumps(head, indent=2).encode() + b"\n")

    def resume(self, plan: Plan | None) -> tuple[Plan, Results]:
        """The study saved here, up to where it stopped. If `plan` is given, it must be the study's own."""
        kept, sources = self._head()
        wanted, has = (plan.as_json(), kept.as_json()) if plan is not None else ({}, {})
        if different := [key for key, value in wanted.items() if has.get(key) != value and key != "pace"]:
            raise FolderError(
                f"the study in {self.path} has a different plan ({', '.join(different)}); resume it with the same arguments, or with none"
            )
        if sources != sources_of(kept):
            raise FolderError(f"the game's rules, bot or measures have changed since the study in {self.path} was started; start a new one")
        return replace(kept, pace=plan.pace) if plan is not None else kept, self._results(kept)

    def plan(self) -> Plan:
        """The plan of the study saved here."""
        return self._head()[0]

    def _head(self) -> tuple[Plan, str]:
        """The plan, and the sources the study was started with."""
        if not self.used:
            raise FolderError(f"there is no study in {self.path} to resume")
        try:
            head = json.loads((self.path / "plan.json").read_bytes())
            kept = Plan.from_json(head["plan"]) if head["format"] == FORMAT and head["version"] == VERSION else None
        except (OSError, ValueError, KeyError, TypeError):
            raise FolderError(f"the plan in {self.path} is damaged; the study cannot be resumed") from None
        if kept is None:
            raise FolderError(f"{self.path} holds something else, not a study that this version can read")
        return kept, head["sources"]

    def _results(self, plan: Plan) -> Results:
        results = empty(plan)
        file = self.path / "totals.npz"
        if not file.exists():
            return results
        try:
            with np.load(file, allow_pickle=False) as kept:
                for number, cell in enumerate(results.cells):
                    for name, values in cell.items():
                        values[...] = kept[f"{number}/{name}"]
                results.contrasts[...] = kept["contrasts"]
                results.done = {(KINDS[kind], int(block)) for kind, block in kept["done"]}
                results.looks = int(kept["looks"])
                for number, game, length, first in kept["scripts"].tolist():
                    results.scripts[number][game] = kept["actions"][first : first + length].tolist()
        except (OSError, ValueError, KeyError, IndexError, zipfile.BadZipFile, EOFError):
            raise FolderError(f"the totals in {self.path} are damaged; the study cannot be resumed") from None
        self._check_rows(results)
        return results

    def _check_rows(self, results: Results) -> None:
        """Check that every block counted as played has its rows."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        for file in (self._rows_of(number) for kind, number in sorted(results.done) if kind == "games"):
            try:
                pq.read_metadata(file)
            except (OSError, pa.ArrowException):
                raise FolderError(f"the games in {file} are missing or damaged; the study cannot be resumed") from None

    def _rows_of(self, block: int) -> Path:
        return self.path / "games" / f"block-{block:06d}.parquet"

    def save(self, results: Results) -> None:
        """Save the totals so far, replacing the earlier ones in one step."""
        arrays: dict[str, Any] = {f"{number}/{name}": values for number, cell in enumerate(results.cells) for name, values in cell.items()}
        done = sorted((KINDS.index(kind), block) for kind, block in results.done)
        results.forget()
        scripts: list[tuple[int, int, int, int]] = []
        actions: list[int] = []
        for number, own in enumerate(results.scripts):
            for game in sorted(own):
                scripts.append((number, game, len(own[game]), len(actions)))
                actions += own[game]
        buffer = io.BytesIO()
        arrays |= {"contrasts": results.contrasts, "looks": np.int64(results.looks), "done": np.array(done, np.int64).reshape(-1, 2)}
        arrays |= {"scripts": np.array(scripts, np.int64).reshape(-1, 4), "actions": np.array(actions, np.int16)}
        np.savez_compressed(buffer, **arrays)
        self.write("totals.npz", buffer.getvalue())

    def keep(self, plan: Plan, answer: Answer) -> None:
        """Save the games of a block, one row each, before the block counts as done: so a resumed study has them all."""
        (kind, number), _, _, tables, _ = answer
        if kind != "games" or not tables:
            return
        self._guard(lambda: self._parquet(plan, (kind, number), tables))

    def _parquet(self, plan: Plan, block: Block, tables: list[Any]) -> None:
        """One row for each game. Names for choices (nothing where there is none), numbers else (-1 where there is none); what a column
        means and its unit are in the file.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        counters = [counter_of(plan.game_of(cell)) for cell in plan.cells]
        first = block[1] * plan.block(counters[0].game.mode == "interpreted")
        count = len(tables[0])
        labels = pa.DictionaryArray.from_arrays(
            np.repeat(np.arange(len(tables), dtype=np.int16), count), [plan.label(cell) for cell in plan.cells]
        )
        values: list[Any] = [
            np.repeat(np.arange(len(tables), dtype=np.int16), count),
            labels,
            np.tile(np.arange(first, first + count, dtype=np.int64), len(tables)),
        ]
        fields = [pa.field(name, pa.array(one).type, metadata={"meaning": HEAD[name]}) for name, one in zip(HEAD, values, strict=True)]
        own = [{column.name: column for column in counter.table()} for counter in counters]
        absent = np.full(count, -1, np.int32)  # in a game with changed constants, perhaps
        for name in dict.fromkeys(name for columns in own for name in columns):
            column = next(columns[name] for columns in own if name in columns)
            both = zip(own, tables, strict=True)
            numbers = np.concatenate([table[:, columns[name].place] if name in columns else absent for columns, table in both])
            if column.names:
                values.append(pa.DictionaryArray.from_arrays(pa.array(numbers, pa.int32(), mask=numbers < 0), list(column.names)))
            else:
                values.append(pa.array(numbers))
            fields.append(pa.field(name, values[-1].type, metadata={"meaning": column.meaning, "unit": column.unit}))
        rows = pa.Table.from_arrays([pa.array(one) for one in values], schema=pa.schema(fields))
        file = self._rows_of(block[1])
        half = file.with_suffix(".half")
        try:
            pq.write_table(rows, half, compression="zstd")
            os.replace(half, file)
        except BaseException:
            half.unlink(missing_ok=True)
            raise

    def write(self, name: str, content: bytes) -> None:
        """Write a file completely or not at all."""

        def replace() -> None:
            file = self.path / name
            file.parent.mkdir(exist_ok=True)
            half = file.with_name(file.name + ".half")
            try:
                with half.open("wb") as stream:
                    stream.write(content)
                    stream.flush()
                    os.fsync(stream.fileno())
                os.replace(half, file)
            except BaseException:
                half.unlink(missing_ok=True)
                raise

        self._guard(replace)

    def _guard(self, act: Callable[[], object]) -> None:
        try:
            act()
        except OSError as problem:
            raise FolderError(f"{self.path} cannot be written: {problem.strerror or problem}") from None

"""Two studies side by side: what differs between them, and the results with their differences and intervals."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from rulestone.lab.findings import share_text, within
from rulestone.lab.plan import line_up_text, said_of, title_of
from rulestone.server.refusal import Refused
from rulestone.server.storage import StudyRow
from rulestone.statistics import newcombe, z_for

Cell = Mapping[str, Any]


def compared(first: StudyRow, second: StudyRow, first_cell: int, second_cell: int, title: str) -> dict[str, Any]:
    """What the page shows. Raises Refused if the two can't be compared."""
    if first.game != second.game:
        raise Refused("other-game", "These studies are about different games. Choose two studies of the same game.", 422)
    sides = [_side(first, first_cell), _side(second, second_cell)]
    a, b = (side["cell"] for side in sides)
    words = {**second.told.get("words", {}), **first.told.get("words", {})}
    differs = _differs(a, b, words) + _rules(first, second)
    same_games = not [name for name, *_ in differs if name != "Games"] and first.told["seed"] == second.told["seed"]
    return {
        "title": title,
        "game": first.game,
        "sides": sides,
        "differs": differs,
        "same_games": same_games and a["reproducible"],
        "sections": [_wins(a, b), *_line_ups(a, b), _length(a, b), _endings(a, b)],
    }


def _side(row: StudyRow, number: int) -> dict[str, Any]:
    cells = row.told.get("cells", [])
    if not 0 <= number < len(cells):
        raise Refused("no-such-setting", "There is no such setting in this study.", 404)
    if not cells[number]["games"]:
        raise Refused("no-games", "One of these studies has no games yet. Compare them when it has.", 409)
    return {
        "id": row.id,
        "name": row.name or row.told["title"],
        "labels": [cell["label"] for cell in cells],
        "chosen": number,
        "cell": cells[number],
        "running": row.state not in ("done", "failed"),
    }


def _differs(a: Cell, b: Cell, words: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """What is not the same in the two settings: (what, here, there)."""
    pairs = [("Players", str(a["players"]), str(b["players"])), ("Bots", line_up_text(a["bots"]), line_up_text(b["bots"]))]
    for kind, usual in (("options", ""), ("changes", "as in the rules")):
        for name in {**a[kind], **b[kind]}:
            here, there = (said_of(words, name, cell[kind].get(name, usual)) for cell in (a, b))
            pairs.append((title_of(words, name), here, there))
    pairs.append(("Games", f"{a['games']:,}", f"{b['games']:,}"))
    return [pair for pair in pairs if pair[1] != pair[2]]


def _rules(first: StudyRow, second: StudyRow) -> list[tuple[str, str, str]]:
    a, b = str(first.told["rules"]), str(second.told["rules"])
    return [("Version of the rules", a, b)] if a != b else []


def _section(title: str, rows: list[dict[str, Any]], note: str = "") -> dict[str, Any]:
    return {"title": title, "rows": rows, "note": note}


def _share(name: str, a: dict[str, Any] | None, b: dict[str, Any] | None, games: tuple[int, int], together: int) -> dict[str, Any]:
    """A row: the share on each side with its interval, and the difference (Newcombe's interval, which holds for all rows together)."""
    gone: dict[str, Any] = {"share": 0.0, "low": 0.0, "high": 0.0, "times": 0}
    left, right = a or gone, b or gone
    counts = [round(one["share"] * n) for one, n in zip((left, right), games, strict=True)]
    value, low, high = newcombe(counts[1], games[1], counts[0], games[0], z_for(together))
    text = within(100 * value, 100 * low, 100 * high, sign="+")
    shown = [share_text(one) if one is not gone else "never" for one in (left, right)]
    return {"name": name, "sides": shown, "difference": f"{text} points", "clear": low > 0 or high < 0}


def _wins(a: Cell, b: Cell) -> dict[str, Any]:
    if a["players"] != b["players"]:
        return _section("Who wins", [], "The numbers of players differ, so seats can't be compared.")
    games = (a["games"], b["games"])
    rows = [_share(left["name"], left, right, games, len(a["seats"])) for left, right in zip(a["seats"], b["seats"], strict=True)]
    if a["draws"]["share"] or b["draws"]["share"]:
        rows.append(_share("Draw", a["draws"], b["draws"], games, 1))
    return _section("Who wins", rows)


def _line_ups(a: Cell, b: Cell) -> list[dict[str, Any]]:
    """The wins of each bot, if different bots meet. A bot can have several seats, so there is no plain difference."""
    left, right = ({one["bot"]: share_text(one) for one in cell["line_up"]} for cell in (a, b))
    rows = [
        {"name": bot, "sides": [left.get(bot, "–"), right.get(bot, "–")], "difference": "", "clear": False} for bot in {**left, **right}
    ]
    return [_section("Which bot wins", rows)] if rows else []


def _length(a: Cell, b: Cell) -> dict[str, Any]:
    left, right = a["decisions"], b["decisions"]
    error = math.sqrt(sum(one["sd"] ** 2 / one["n"] for one in (left, right)))
    value, reach = right["mean"] - left["mean"], z_for() * error
    row = {
        "name": "Decisions in a game",
        "sides": [within(one["mean"], one["low"], one["high"]) for one in (left, right)],
        "difference": within(value, value - reach, value + reach, sign="+"),
        "clear": abs(value) > reach,
    }
    minutes = {
        "name": "Minutes for people, roughly",
        "sides": [f"{cell['minutes']:.1f}" for cell in (a, b)],
        "difference": f"{round(b['minutes'], 1) - round(a['minutes'], 1):+z.1f}",
        "clear": False,
    }
    return _section("How long it takes", [row, minutes])


def _endings(a: Cell, b: Cell) -> dict[str, Any]:
    left, right = ({json.dumps(row["value"]): row for row in cell["endings"]} for cell in (a, b))
    names = sorted({**left, **right}, key=lambda name: -sum(side[name]["share"] for side in (left, right) if name in side))
    games = tuple(sum(row["times"] for row in cell["endings"]) for cell in (a, b))
    rows = [_share(str(json.loads(name)), left.get(name), right.get(name), (games[0], games[1]), len(names)) for name in names]
    return _section("How it ends", rows)

"""From totals to numbers with intervals: the summary of a study, as JSON. The same totals give the same bytes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulestone.lab import luck
from rulestone.lab.count import Counter, Totals, counter_of
from rulestone.lab.loops import HANDS, NEVER, PLIES, TIMES, UNIT, WON
from rulestone.lab.matches import COMEBACK, DECISIONS, HALF_TIME, KING, OBSERVER, SPREAD, SWAYS, TOLD
from rulestone.lab.plan import Cell, Plan, timed
from rulestone.lab.run import Results
from rulestone.lab.weigh import EVERY, RIVALS
from rulestone.measures import Measure
from rulestone.statistics import (
    CONFIDENCE,
    cluster_mean,
    cluster_share,
    games_to_settle,
    mean_interval,
    moments,
    newcombe,
    ratio_interval,
    wilson,
    z_at_look,
    z_for,
)  # fmt: skip

FORMAT, VERSION = "rulestone.study", 1
CHOICE_SECONDS, FORCED_SECONDS = 15, 3
"""The seconds people need for a decision with and without a choice, unless the game gives its own figure."""
LEAST_SWINGS = 10
"""Anything that happened fewer times has no swing."""


def summarise(plan: Plan, results: Results) -> dict[str, Any]:
    """The summary of a whole study."""
    counter = counter_of(plan.game)
    game = counter.game
    return {
        "format": FORMAT,
        "version": VERSION,
        "game": game.name,
        "title": game.title,
        "rules": game.version,
        "cooperative": game.cooperative,
        "plan": plan.as_json(),
        "looks": results.looks if plan.until else 0,
        "confidence": CONFIDENCE,
        "cells": [
            _cell(counter_of(plan.game_of(cell)), plan, cell, totals, results.looks)
            for cell, totals in zip(plan.cells, results.cells, strict=True)
        ],
        "effects": _effects(counter, plan, results),
    }


def _round(value: float) -> float:
    """Six significant digits: more would be noise."""
    return float(f"{value:.6g}")


def _share(successes: float, trials: float, z: float) -> dict[str, Any]:
    low, high = wilson(successes, trials, z)
    return {"share": _round(successes / trials if trials else 0.0), "low": _round(low), "high": _round(high)}


def _mean(sums: Any, z: float, unit: float = 1) -> dict[str, Any]:
    n, total, squares = (float(value) for value in sums)
    mean, low, high = mean_interval(n, total, squares, z)
    deviation = moments(n, total, squares)[1]
    low, high = (low, high) if math.isfinite(low) else (mean, mean)
    parts = {"mean": mean / unit, "low": low / unit, "high": high / unit, "sd": deviation / unit}
    return {"n": int(n), **{name: _round(value) for name, value in parts.items()}}


def _cell(counter: Counter, plan: Plan, cell: Cell, totals: Totals, looks: int) -> dict[str, Any]:
    games = int(totals["seats"][0, :, 0].sum())
    teams = 1 if counter.game.cooperative else cell.players
    z = z_at_look(max(1, looks), teams) if plan.until else z_for(teams)
    measures = {
        name: _measure(counter, name, measure, totals, cell) for name, measure in counter.measures.items() if measure.kind != "memory"
    }
    ending = "ending" if "ending" in measures else "last_event"
    branching = totals["branching"]
    decided = int(branching.sum())
    return {
        "set": dict(cell.set),
        "label": cell.label,
        "players": cell.players,
        "bots": list(cell.bots),
        "options": dict(cell.options),
        "games": games,
        "detailed_games": int(totals["detail"][0]),
        "reproducible": not any(timed(bot) for bot in cell.bots),
        "fair": _round(1 / cell.players),
        "seats": [_seat(counter, cell, totals, seat, z) for seat in range(1 if counter.game.cooperative else cell.players)],
        "draws": _share(games - int(totals["seats"][: cell.players, :, 1].sum()) if teams > 1 else 0, games, z_for()),
        "draw_examples": _moves(totals["firsts"][counter.seats]),
        "line_up": _line_up(counter, cell, totals) if cell.mixed or "bots" in cell.set else [],
        "ending": ending,
        "minutes": _minutes(counter, measures),
        "branching": {
            "mean": _round(float((branching * np.arange(len(branching))).sum()) / max(1, decided)),
            "forced": _round(float(branching[1]) / max(1, decided)),
            "most": int(np.nonzero(branching)[0].max()) if decided else 0,
        },
        "measures": measures,
        "things": _things(counter, cell, totals),
        "estimates": _sways(cell, totals),
        "decisions": _decisions(counter, cell, totals),
        "swings": _swings(counter, totals),
        "luck": _luck(totals["luck"]),
    }


def _moves(codes: NDArray[np.int64]) -> list[list[int]]:
    """Examples as [game, ply]."""
    return [[int(code) // PLIES, int(code) % PLIES] for code in codes if code != NEVER]


def _seat(counter: Counter, cell: Cell, totals: Totals, seat: int, z: float) -> dict[str, Any]:
    games, won, payoff, squares = (int(value) for value in totals["seats"][seat].sum(axis=0))
    name = "the team" if counter.game.cooperative else counter.game.about.name(seat, cell.players)
    told = _mean((games, payoff, squares), z_for(), UNIT)
    return {
        "seat": seat,
        "name": name,
        "wins": won,
        **_share(won, games, z),
        "payoff": told["mean"],
        "payoff_low": told["low"],
        "payoff_high": told["high"],
        "examples": _moves(totals["firsts"][seat]),
    }


def _line_up(counter: Counter, cell: Cell, totals: Totals) -> list[dict[str, Any]]:
    """The wins of each kind of bot, over all seats and seat by seat; a bot in two seats counts twice."""
    made = []
    for bot in dict.fromkeys(cell.bots):
        places = [k for k, other in enumerate(cell.bots) if other == bot]
        by_seat = totals["seats"][: cell.players][:, places].sum(axis=1)
        games, won = int(by_seat[:, 0].sum()), int(by_seat[:, 1].sum())
        seats = [
            {"name": counter.game.about.name(seat, cell.players), **_share(int(row[1]), int(row[0]), z_for(cell.players))}
            for seat, row in enumerate(by_seat)
        ]
        made.append({"bot": bot, "hands": games, **_share(won, games, z_for()), "fair": _round(1 / cell.players), "seats": seats})
    return made


# ---- measures -----------------------------------------------------------------------------------------------------------


def _measure(counter: Counter, name: str, measure: Measure, totals: Totals, cell: Cell) -> dict[str, Any]:
    told: dict[str, Any] = {"label": measure.label, "kind": measure.kind, "each": measure.each, "says": measure.says}
    if measure.kind == "ratio":
        return told | _ratio(counter, name, measure, totals)
    place = counter.place[name]
    if measure.kind == "tally":
        return told | {"shape": list(measure.shape), "entries": _tally(counter, place, measure, totals, cell)}
    width = cell.players if measure.each else 1
    sums = totals["sums"][place : place + width]
    told |= _mean(sums.sum(axis=0), z_for())
    if measure.each:
        told["seats"] = [
            {"name": counter.game.about.name(seat, cell.players), **_mean(row, z_for(cell.players))} for seat, row in enumerate(sums)
        ]
    told["distribution"] = _distribution(counter, place, measure, totals, cell)
    if measure.kind == "number":
        told |= _quantiles(told["distribution"])
    elif measure.kind == "yes_no":
        told |= _share(float(sums[:, 1].sum()), float(sums[:, 0].sum()), z_for())
    return told


def _distribution(counter: Counter, place: int, measure: Measure, totals: Totals, cell: Cell) -> list[dict[str, Any]]:
    """How often each value occurred, and who won in those games."""
    first, count, wide = (int(value) for value in counter.places[place, :3])
    bins, earliest = totals["bins"][first : first + count], totals["earliest"][first : first + count]
    whole = int(bins[:, 0].sum())
    winners = 1 if measure.each or counter.game.cooperative else cell.players
    made = []
    for k in np.nonzero(bins[:, 0])[0]:
        times = int(bins[k, 0])
        value: Any = measure.names[k] if measure.names else int(k) << wide
        wins = [_share(int(won), times, z_for(winners)) for won in bins[k, 1 : 1 + winners]]
        made.append({"value": value, "times": times, **_share(times, whole, z_for()), "wins": wins, "example": int(earliest[k])})
    return made


def _quantiles(distribution: list[dict[str, Any]]) -> dict[str, Any]:
    if not distribution:
        return {}
    values = [row["value"] for row in distribution]
    upto = np.cumsum([row["times"] for row in distribution])
    found = {name: values[int(np.searchsorted(upto, share * upto[-1]))] for name, share in (("p5", 0.05), ("median", 0.5), ("p95", 0.95))}
    return {**found, "least": values[0], "most": values[-1]}


def _tally(counter: Counter, place: int, measure: Measure, totals: Totals, cell: Cell) -> list[dict[str, Any]]:
    made = []
    winners = 1 if counter.game.cooperative else cell.players
    for k, entry in enumerate(measure.names):
        first = int(counter.places[place + k, 0])
        happened = totals["bins"][first + 1]
        games = int(totals["sums"][place + k, 0])
        told = _mean(totals["sums"][place + k], z_for())
        times = int(happened[0])
        made.append(
            {
                "name": entry,
                **{key: told[key] for key in ("mean", "low", "high")},
                "games": times,
                "share": _round(times / games if games else 0.0),
                "wins": [_share(int(won), times, z_for(winners)) for won in happened[1 : 1 + winners]] if times else [],
                "example": int(totals["earliest"][first + 1]) if times else None,
            }
        )
    return made


def _ratio(counter: Counter, name: str, measure: Measure, totals: Totals) -> dict[str, Any]:
    of, to = (totals["sums"][counter.place[part]] for part in measure.of)
    cross, above = (int(value) for value in totals["cross"][counter.ratios.index(name)])
    value, low, high = ratio_interval((float(of[1]), float(of[2])), (float(to[1]), float(to[2])), float(cross), z_for())
    part = above == 0  # the first never exceeds the second, so the ratio is a share
    low, high = max(0.0, low), min(1.0, high) if part else high
    return {"of": list(measure.of), "part": part, "share": _round(value), "low": _round(low), "high": _round(high), "n": int(to[1])}


def _minutes(counter: Counter, measures: dict[str, Any]) -> dict[str, Any]:
    """How long people would play: from a measure with `seconds`, or from the decisions."""
    for name, measure in counter.own.all.items():
        if measure.seconds:
            told = measures[name]
            keys = ("mean", "p5", "p95")
            return {"by": measure.label, "seconds": measure.seconds, **{k: _round(told.get(k, 0) * measure.seconds / 60) for k in keys}}
    decisions, forced = measures["decisions"], measures["forced"]["mean"]
    share = forced / decisions["mean"] if decisions["mean"] else 0
    seconds = (1 - share) * CHOICE_SECONDS + share * FORCED_SECONDS
    told = {k: _round(decisions.get(k, 0) * seconds / 60) for k in ("mean", "p5", "p95")}
    return {"by": "decisions", "seconds": _round(seconds), **told}


# ---- things -------------------------------------------------------------------------------------------------------------


def _things(counter: Counter, cell: Cell, totals: Totals) -> list[dict[str, Any]]:
    """Verbs, arguments, events and words: how often, and how much more the players involved won than the others."""
    games, wins = (int(value) for value in totals["detail"])
    hands = games * cell.players
    counts, offered = totals["counts"], totals["offered"]
    size = len(counter.game.actions)
    verbs = list(counter.game.actions.verbs)
    z = z_for(max(1, int((counts[:, TIMES] > 0).sum())))
    made = []
    for key, thing in enumerate(counter.things):
        times, own, won = int(counts[key, TIMES]), int(counts[key, HANDS]), int(counts[key, WON])
        told: dict[str, Any] = {"kind": thing.kind, "name": thing.name, "label": thing.label, "times": times}
        if thing.actions:
            chances = int(offered[size + verbs.index(thing.name)] if thing.kind == "verb" else offered[list(thing.actions)].sum())
            if thing.kind == "verb" and len(verbs) == 1:  # counted by its first argument that has a choice
                first = next((column for column in counter.key_of.T[1:] if (column >= 0).all()), counter.key_of[:0, 0])
                times, own, won = int(counts[np.unique(first), TIMES].sum()), hands, wins
                chances = told["times"] = times
            told["offered"] = chances
            told["taken"] = _round(times / chances) if chances else None
        if times:
            told["per_game"] = _round(times / max(1, games))
            told["hands"] = _round(own / max(1, hands))
            if 0 < own < hands:
                shift, low, high = newcombe(won, own, wins - won, hands - own, z)
                told |= {"wins": _round(won / own), "shift": _round(shift), "shift_low": _round(low), "shift_high": _round(high)}
            told["examples"] = _moves(totals["examples"][key])
        made.append(told)
    return made


# ---- estimates and luck -------------------------------------------------------------------------------------------------


def _sways(cell: Cell, totals: Totals) -> dict[str, Any]:
    """What the estimates show. They are the bots' own, or an observer's if the bots do not search."""
    told = {name: _mean(row, z_for(), UNIT) for name, row in zip(SWAYS, totals["sways"], strict=True) if row[0]}
    for name in ("comeback", "half_time"):
        if name in told:
            n = told[name]["n"]
            told[name] = {"n": n, **_share(told[name]["mean"] * n, n, z_for())}
    if not told:
        return {}
    course = [_mean(row, z_for(), UNIT) if row[0] else None for row in totals["course"]]
    examples = {"comeback": _moves(totals["swayed"][COMEBACK]), "half_time": _moves(totals["swayed"][HALF_TIME])}
    return {"by": OBSERVER if cell.fast else "the bots themselves", **told, "course": course, "examples": examples}


def _decisions(counter: Counter, cell: Cell, totals: Totals) -> dict[str, Any]:
    """What decisions are about, from those that were weighed: the best move against its rivals, and kingmaking."""
    if not totals["weighed"][0, :, 0, 0].any():
        return {}
    verbs = []
    for verb, name in enumerate(counter.game.actions.verbs, 1):
        told = _rivals(totals["weighed"][verb])
        if told:
            verbs.append({"verb": name, **told, "examples": _moves(totals["swayed"][DECISIONS + verb])})
    made: dict[str, Any] = {
        "by": OBSERVER if cell.fast else "the bots themselves",
        "every": EVERY,
        **_rivals(totals["weighed"][0]),
        "examples": _moves(totals["swayed"][DECISIONS]),
        "verbs": verbs,
        "spread": [
            {"upto": upto, "times": int(times)}
            for upto, times in zip([*SPREAD, None], totals["spread"][RIVALS.index("median")], strict=True)
        ],
    }
    if cell.players > 2 and not counter.game.cooperative:
        hopeless, kings = (_cluster(row, True) for row in totals["kings"])
        made |= {"hopeless": hopeless, "kings": kings, "king_examples": _moves(totals["swayed"][KING])}
    return made


def _rivals(weighed: NDArray[np.int64]) -> dict[str, Any]:
    """For each rival: how many decisions matter at least and at most, and the average and the typical (root mean square) difference."""
    made: dict[str, Any] = {}
    for rival, rows in zip(RIVALS, weighed, strict=True):
        if not rows[0, 0]:
            continue
        told = dict(zip(TOLD, rows, strict=True))
        made[rival] = {
            "n": int(rows[0, 1]),
            "matters": _cluster(told["matters"], True),
            "idle": _cluster(told["idle"], True),
            "gap": _cluster(told["gap"]),
            "typical": _round(math.sqrt(max(0.0, _cluster(told["square"])["mean"]))),
        }
    return made


def _cluster(row: NDArray[np.int64], share: bool = False, z: float | None = None) -> dict[str, Any]:
    """A mean or share over things that a game can have several of."""
    games, n, squares, total, total_squares, product = (float(value) for value in row)
    plain = (games, n, squares, total / UNIT, total_squares / UNIT**2, product / UNIT)
    value, low, high = (cluster_share if share else cluster_mean)(plain, z_for() if z is None else z)
    low, high = (low, high) if math.isfinite(low) else (value, value)
    return {"n": int(n), "share" if share else "mean": _round(value), "low": _round(low), "high": _round(high)}


def _swings(counter: Counter, totals: Totals) -> list[dict[str, Any]]:
    """How much the mover's chance changed with everything that happened often enough; what stands out comes first."""
    rows = totals["swings"]
    told = [key for key in range(len(counter.things)) if rows[1 + key, 1] >= LEAST_SWINGS and rows[1 + key, 0] > 1]
    if not told:
        return []
    each = [_cluster(row)["mean"] for row in totals["usual"]]
    examples = totals["swayed"][len(totals["swayed"]) - len(counter.things) :]
    made = []
    for key in told:
        thing, swing = counter.things[key], _cluster(rows[1 + key], z=z_for(len(told)))
        usual = float(totals["eyes"][1 + key] @ each) / swing["n"]  # the mean swing of any decision that is next seen by the same eyes
        clear = swing["low"] > usual or swing["high"] < usual
        told_of = {"kind": thing.kind, "label": thing.label, **swing, "beyond": _round(swing["mean"] - usual), "clear": clear}
        made.append({**told_of, "examples": _moves(examples[key])})
    made.sort(key=lambda swing: (not swing["clear"], -abs(swing["beyond"]), swing["label"]))
    return [{"kind": "any", "label": "any decision", **_cluster(rows[0]), "beyond": 0.0, "clear": False, "examples": []}, *made]


def _luck(counted: NDArray[np.int64]) -> dict[str, Any]:
    whole = luck.shares(counted.sum(axis=0))
    if whole is None:
        return {}
    heaps = [part for part in (luck.shares(heap) for heap in counted) if part is not None]
    told: dict[str, Any] = {"deals": int(counted[:, 0, 0].sum()), "games": int(counted[:, 0, 0].sum()) * luck.DICE * luck.PLAYS}
    for name, value in whole.items():
        spread = float(np.std([heap[name] for heap in heaps], ddof=1)) / math.sqrt(len(heaps)) if len(heaps) > 1 else 0.5
        told[name] = {
            "share": _round(value),
            "low": _round(max(0.0, value - 2.26 * spread)),
            "high": _round(min(1.0, value + 2.26 * spread)),
        }
    return told


# ---- effects ------------------------------------------------------------------------------------------------------------


def _effects(counter: Counter, plan: Plan, results: Results) -> list[dict[str, Any]]:
    """What each change did, game by game with the same seeds: difference, interval, effect size, and how many games would settle it."""
    made = []
    contrasts, quantities = plan.contrasts(), counter.quantities()
    told = [(k, q) for k in range(len(contrasts)) for q in range(len(quantities)) if results.contrasts[k, q, 0] > 1]
    z = z_for(len(told))
    for k, q in told:
        factor, base, value, weights = contrasts[k]
        n, total, squares = (float(number) for number in results.contrasts[k, q])
        pairs = sum(weight > 0 for weight in weights)
        mean, low, high = (number / pairs for number in mean_interval(n, total, squares, z))
        deviation = moments(n, total, squares)[1] / pairs
        name = quantities[q][0]
        made.append(
            {
                "factor": factor,
                "from": base,
                "to": value,
                "on": name,
                "label": _quantity_label(counter, name, plan.cells[0].players),
                "difference": _round(mean),
                "low": _round(low),
                "high": _round(high),
                "sd": _round(deviation),
                "size": _round(mean / deviation) if deviation else 0.0,
                "games": int(n),
                "settled": bool(low > 0 or high < 0),
                "more_games": 0 if low > 0 or high < 0 else games_to_settle(n, mean, deviation, z),
                "wins": name not in counter.measures,
                "share": name not in counter.measures or counter.measures[name].kind == "yes_no",
            }
        )
    return made


def _quantity_label(counter: Counter, name: str, players: int) -> str:
    if name == "won":
        return "wins by the team"
    if name.startswith("won_") and name not in counter.measures:
        seat = int(name[4:])
        return f"wins by {counter.game.about.name(seat, players) if seat < players else f'seat {seat + 1}'}"
    return counter.measures[name].label

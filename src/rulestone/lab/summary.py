"""From totals to numbers with intervals: the summary of a study, as JSON. The same totals give the same bytes."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulestone.game import Game
from rulestone.lab import luck
from rulestone.lab.count import Counter, Totals, counter_of
from rulestone.lab.loops import GAMES, HANDS, N_2, NEVER, OWN_N, PLIES, TIMES, UNIT, WON
from rulestone.lab.matches import COMEBACK, DECISIONS, EYES, HALF_TIME, KING, OBSERVER, SPREAD, SWAYS, TOLD
from rulestone.lab.plan import Cell, Plan, said_of, timed, title_of
from rulestone.lab.run import Results
from rulestone.lab.weigh import EVERY, LONGER, REFEREE, RIVALS
from rulestone.measures import Measure
from rulestone.statistics import (
    CONFIDENCE,
    cluster_difference,
    cluster_mean,
    cluster_share,
    games_to_settle,
    mean_interval,
    moments,
    ratio_interval,
    student,
    wilson,
    z_at_look,
    z_for,
    z_for_pair,
)  # fmt: skip

FORMAT, VERSION = "rulestone.study", 1
CHOICE_SECONDS, FORCED_SECONDS = 15, 3
"""The seconds people need for a decision with and without a choice, unless the game or the study gives its own figure."""
AGREEMENT = 0.75
"""If a longer search agrees less often than this, nothing is said about what the observer saw."""
SURELY = 0.5
"""Nor if so few positions were checked that it may agree less often than this."""
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
        "title": _title(game, plan),
        "rules": game.version,
        "cooperative": game.cooperative,
        "plan": plan.as_json(),
        "words": plan.words(),
        "looks": results.looks if plan.until else 0,
        "confidence": CONFIDENCE,
        "cells": [
            _cell(counter_of(plan.game_of(cell)), plan, cell, totals, results.looks)
            for cell, totals in zip(plan.cells, results.cells, strict=True)
        ],
        "effects": _effects(counter, plan, results),
    }


def _title(game: Game, plan: Plan) -> str:
    """The game's name, with the constants and options that were set."""
    words = plan.words()
    set_ = {name: value for name, value in plan.changed().items() if name not in game.changes}
    options = [f"{title_of(words, name)} = {said_of(words, name, value)}" for name, value in set_.items()]
    return f"{game.title} {'and' if game.changes else 'with'} {' and '.join(options)}" if options else game.title


def _round(value: float) -> float:
    """Six significant digits: more would be noise."""
    return float(f"{value:.6g}")


def _share(successes: float, trials: float, z: float) -> dict[str, Any]:
    low, high = wilson(successes, trials, z)
    return {"share": _round(successes / trials if trials else 0.0), "low": _round(low), "high": _round(high)}


def _mean(sums: Any, z: float, unit: float = 1) -> dict[str, Any]:
    n, total, squares = (float(value) for value in sums[:3])
    mean, low, high = mean_interval(n, total, squares, z)
    deviation = moments(n, total, squares)[1]
    low, high = (low, high) if math.isfinite(low) else (mean, mean)
    parts = {"mean": mean / unit, "low": low / unit, "high": high / unit, "sd": deviation / unit}
    return {"n": int(n), **{name: _round(value) for name, value in parts.items()}}


def _cell(counter: Counter, plan: Plan, cell: Cell, totals: Totals, looks: int) -> dict[str, Any]:
    games = int(totals["seats"][0, :, 0].sum())
    teams = 1 if counter.game.cooperative else cell.players
    z = z_at_look(max(1, looks), teams) if plan.until else _z_of_seats(counter, cell, totals["seats"].sum(axis=1)[:, :2])
    measures = {
        name: _measure(counter, name, measure, totals, cell) for name, measure in counter.measures.items() if measure.kind != "memory"
    }
    ending = "ending" if "ending" in measures else "last_event"
    branching = totals["branching"]
    decided = int(branching.sum())
    return {
        "set": dict(cell.set),
        "label": plan.label(cell),
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
        "line_up": _line_up(counter, cell, totals) if cell.mixed else [],
        "ending": ending,
        "minutes": _minutes(counter, measures, plan.pace),
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


def _z_of_seats(counter: Counter, cell: Cell, played: Any) -> float:
    """The half-width of intervals that hold together for all seats, from games and wins by seat. What one of two players wins, the other
    doesn't: their intervals are nearly the same statement.
    """
    if counter.game.cooperative or cell.players != 2 or not played[0][0]:
        return z_for(1 if counter.game.cooperative else cell.players)
    p, q = (float(row[1]) / float(row[0]) for row in played[:2])
    spread = math.sqrt(p * (1 - p) * q * (1 - q))
    return z_for_pair(-min(1.0, p * q / spread)) if spread > 0 else z_for(2)


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
        size = len(places)  # in one game at most one of them wins or, in a cooperative game, all of them
        squares = won * (size if counter.game.cooperative else 1)
        whole = _clustered((games // size, games, games * size, won, squares, won * size))
        made.append({"bot": bot, "hands": games, **whole, "fair": _round(1 / cell.players), "seats": seats})
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
        row = _hands(sums)
        told |= _within(cluster_mean(row, z_for()))
    told["low"] = max(0.0, told["low"])  # no measure is negative
    if measure.each:
        told["seats"] = [
            {"name": counter.game.about.name(seat, cell.players), **_mean(row, z_for(cell.players))} for seat, row in enumerate(sums)
        ]
    told["distribution"] = _distribution(counter, place, measure, totals, cell)
    if measure.kind == "number":
        told |= _quantiles(told["distribution"])
    elif measure.kind == "yes_no":
        told |= _clustered(_hands(sums)) if measure.each else _share(float(sums[0, 1]), float(sums[0, 0]), z_for())
    return told


def _hands(sums: NDArray[np.int64]) -> tuple[float, ...]:
    """The sums of a measure that each player has, clustered by game."""
    n, total = sums[:, :2].sum(axis=0)
    games, n_squares, squares, product = sums[0, GAMES:]
    return games, n, n_squares, total, squares, product


def _within(told: tuple[float, float, float], name: str = "mean") -> dict[str, float]:
    """A value and its interval; if nothing is known about its uncertainty, the interval is that value."""
    value, low, high = told
    low, high = (low, high) if math.isfinite(low) else (value, value)
    return {name: _round(value), "low": _round(low), "high": _round(high)}


def _clustered(row: Sequence[float]) -> dict[str, float]:
    """A share of things that are clustered in games."""
    return _within(cluster_share(row, z_for()), "share")


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
        if measure.each:
            own, won, squares, won_squares, product, games, everybody = (int(number) for number in bins[k, : OWN_N + 1])
            wins = [_clustered((games, own, squares, won, won_squares, product))]
            share = _clustered((totals["sums"][place, GAMES], whole, totals["sums"][place, N_2], own, squares, everybody))
        else:
            wins = _wins(counter, cell, times, bins[k, 1 : 1 + winners])
            share = _share(times, whole, z_for())
        made.append({"value": value, "times": times, **share, "wins": wins, "example": int(earliest[k])})
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
                "wins": _wins(counter, cell, times, happened[1 : 1 + winners]) if times else [],
                "example": int(totals["earliest"][first + 1]) if times else None,
            }
        )
    return made


def _wins(counter: Counter, cell: Cell, games: int, wins: NDArray[np.int64]) -> list[dict[str, Any]]:
    """Who won in these games: the team, or each seat."""
    z = _z_of_seats(counter, cell, [(games, won) for won in wins])
    return [_share(int(won), games, z) for won in wins]


def _ratio(counter: Counter, name: str, measure: Measure, totals: Totals) -> dict[str, Any]:
    of, to = (totals["sums"][counter.place[part]] for part in measure.of)
    cross, above = (int(value) for value in totals["cross"][counter.ratios.index(name)])
    value, low, high = ratio_interval((float(of[1]), float(of[2])), (float(to[1]), float(to[2])), float(cross), z_for())
    part = above == 0  # the first never exceeds the second, so the ratio is a share
    low, high = max(0.0, low), min(1.0, high) if part else high
    return {"of": list(measure.of), "part": part, "share": _round(value), "low": _round(low), "high": _round(high), "n": int(to[1])}


def _minutes(counter: Counter, measures: dict[str, Any], pace: float) -> dict[str, Any]:
    """How long people would play at this pace: from the measure with `seconds`, or from the decisions."""
    keys = ("mean", "low", "high", "p5", "p95")
    for name, measure in counter.own.all.items():
        if measure.seconds:
            seconds, told = pace or measure.seconds, measures[name]
            return {"by": measure.label, "on": name, "seconds": seconds, **{key: _round(told.get(key, 0) * seconds / 60) for key in keys}}
    decisions, forced = measures["decisions"], measures["forced"]["mean"]
    share = forced / decisions["mean"] if decisions["mean"] else 0
    seconds = pace or CHOICE_SECONDS
    each = seconds * (1 - share + share * FORCED_SECONDS / CHOICE_SECONDS)
    return {"by": "decisions", "on": "decisions", "seconds": seconds, **{key: _round(decisions.get(key, 0) * each / 60) for key in keys}}


# ---- things -------------------------------------------------------------------------------------------------------------


def _things(counter: Counter, cell: Cell, totals: Totals) -> list[dict[str, Any]]:
    """Verbs, arguments, events and words: how often, and how much more the players involved won than the others."""
    games, wins = (int(value) for value in totals["detail"][:2])
    hands = games * cell.players
    counts, offered = totals["counts"], totals["offered"]
    size = len(counter.game.actions)
    verbs = list(counter.game.actions.verbs)
    z = z_for(max(1, int((counts[:, TIMES] > 0).sum())))
    made = []
    for key, thing in enumerate(counter.things):
        times, own, won = int(counts[key, TIMES]), int(counts[key, HANDS]), int(counts[key, WON])
        told: dict[str, Any] = {"kind": thing.kind, "name": thing.name, "label": thing.label, "times": times}
        if thing.kind == "event":
            told["words"] = in_general(counter.game.events.sentences[thing.name])
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
                shift, low, high = cluster_difference(*_with_and_without(counts[key], totals["detail"], cell.players), z)
                told |= {"wins": _round(won / own), "shift": _round(shift), "shift_low": _round(low), "shift_high": _round(high)}
            told["examples"] = _moves(totals["examples"][key])
        made.append(told)
    return made


def in_general(sentence: str) -> str:
    """An event's sentence with nobody and nothing in particular.

    >>> in_general("{who:seat} steals the crown from {victim:seat} at {place:place}. [R12]")
    'somebody steals the crown from somebody at …'
    """
    words = re.sub(r"\{[^{}]*:seat\}", "somebody", re.sub(r"\s*\[[^\]]*\]", "", sentence))
    words = re.sub(r"…(?: …)+", "…", re.sub(r"\{[^{}]*\}", "…", words)).strip(" .")
    return words[:1].lower() + words[1:] if words.startswith(("The ", "A ", "An ", "All ", "It ", "No ")) else words


def _with_and_without(
    counts: NDArray[np.int64], detail: NDArray[np.int64], players: int
) -> tuple[Sequence[float], Sequence[float], Sequence[float]]:
    """The hands something happened to and the other hands of the same games, clustered by game, and what they have in common."""
    own, won, _, games, everybody, squares, won_squares, product, all_hands, all_won = (float(value) for value in counts[HANDS:])
    played, winners, winners_squares = (float(value) for value in detail)
    with_it = (games, own, squares, won, won_squares, product)
    other = players * played - own
    without = (
        played - everybody,
        other,
        players * players * played - 2 * players * own + squares,
        winners - won,
        winners_squares - 2 * all_won + won_squares,
        players * winners - players * won - all_hands + product,
    )
    crossed = (all_won - won_squares, players * won - product, all_hands - product, players * own - squares)
    return with_it, without, crossed


# ---- estimates and luck -------------------------------------------------------------------------------------------------


def _sways(cell: Cell, totals: Totals) -> dict[str, Any]:
    """What the estimates show. They are the bots' own, or an observer's if the bots do not search."""
    told = {name: _mean(row, z_for(), UNIT) for name, row in zip(SWAYS, totals["sways"], strict=True) if row[0]}
    for name in ("comeback", "half_time"):
        if name in told:
            n = told[name]["n"]
            told[name] = {"n": n, **_share(told[name]["mean"] * n, n, z_for())}
    for name, values in told.items():  # none is negative, and all but the number of lead changes are at most 1
        values |= {"low": max(0.0, values["low"]), "high": values["high"] if name == "lead_changes" else min(1.0, values["high"])}
    if not told:
        return {}
    by = {"by": OBSERVER if cell.fast else "the bots themselves", **_agreement(totals["agreed"][0])}
    if not by["trusted"]:
        return by
    course = [_cluster(row) if row[0] else None for row in totals["course"]]
    examples = {"comeback": _moves(totals["swayed"][COMEBACK]), "half_time": _moves(totals["swayed"][HALF_TIME])}
    return {**by, **told, "course": course, "examples": examples}


def _agreement(row: NDArray[np.int64]) -> dict[str, Any]:
    """How often a longer search agreed, and whether that is often enough to say anything."""
    told = _cluster(row, True)
    trusted = told["n"] == 0 or (told["share"] >= AGREEMENT and told["low"] >= SURELY)
    return {"longer": LONGER, "agreement": told, "trusted": trusted}


def _decisions(counter: Counter, cell: Cell, totals: Totals) -> dict[str, Any]:
    """What decisions are about, from those that were weighed: the best move against its rivals, and kingmaking."""
    if not totals["weighed"][0, :, 0, 0].any():
        return {}
    verbs = []
    for verb, name in enumerate(counter.game.actions.verbs, 1):
        told, agreed = _rivals(totals["weighed"][verb]), _agreement(totals["agreed"][1 + verb])
        if told and agreed["trusted"]:
            verbs.append({"verb": name, **told, **agreed, "examples": _moves(totals["swayed"][DECISIONS + verb])})
        elif told:
            verbs.append({"verb": name, **agreed})
    by = {"by": REFEREE, "every": EVERY, **_agreement(totals["agreed"][1])}
    if not by["trusted"]:
        return by
    made: dict[str, Any] = {
        **by,
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
    if not _agreement(totals["agreed"][0])["trusted"]:
        return []
    told = [key for key in range(len(counter.things)) if rows[1 + key, 1] >= LEAST_SWINGS and rows[1 + key, 0] > 1]
    if not told:
        return []
    examples = totals["swayed"][len(totals["swayed"]) - len(counter.things) :]
    made = []
    for key in told:
        thing, z = counter.things[key], z_for(len(told))
        beyond = _beyond(totals, key, int(rows[1 + key, 0]), z)
        told_of = {"kind": thing.kind, "label": thing.label, **_cluster(rows[1 + key], z=z), **beyond}
        made.append({**told_of, "clear": beyond["beyond_low"] > 0 or beyond["beyond_high"] < 0, "examples": _moves(examples[key])})
    made.sort(key=lambda swing: (not swing["clear"], -abs(swing["beyond"]), swing["label"]))
    return [{"kind": "any", "label": "any decision", **_cluster(rows[0]), "beyond": 0.0, "clear": False, "examples": []}, *made]


def _beyond(totals: Totals, key: int, games: int, z: float) -> dict[str, float]:
    """How much more a thing's swing is than the mean swing of any decision that is next seen by the same eyes. Both are estimated, and
    from the same games: the interval is that of their difference, linearised, over games.
    """
    eyes, usual = totals["eyes"][key].astype(float), totals["usual_sums"].astype(float)
    n, all_n = eyes.sum(), np.maximum(1.0, usual[:EYES])
    mean, share = usual[EYES:] / all_n, eyes / n
    beyond = float(totals["swings"][1 + key, 3]) / n - float(share @ mean)
    weights = np.concatenate([-(mean + beyond) / n, [1 / n], share * mean / all_n, -share / all_n])
    products = np.zeros((len(weights), len(weights)))
    own = totals["beyond"][key]
    products[: len(own)], products[:, : len(own)], products[len(own) :, len(own) :] = own, own.T, totals["usual"]
    reach = student(z, games - 1) * math.sqrt(max(0.0, float(weights @ products @ weights)) * games / (games - 1))
    told = {"beyond": beyond, "beyond_low": beyond - reach, "beyond_high": beyond + reach}
    return {name: _round(value / UNIT) for name, value in told.items()}


def _luck(counted: NDArray[np.int64]) -> dict[str, Any]:
    whole = luck.shares(counted.sum(axis=0))
    if whole is None:
        return {}
    whole_sums = counted.sum(axis=0)
    heaps = [part for part in (luck.shares(whole_sums - heap) for heap in counted if heap.any()) if part is not None]
    told: dict[str, Any] = {"deals": int(counted[:, 0, 0].sum()), "games": int(counted[:, 0, 0].sum()) * luck.DICE * luck.PLAYS}
    for name, value in whole.items():
        without = np.array([heap[name] for heap in heaps])  # the jackknife: how much each batch of deals changes the result
        count = len(without)
        reach = 0.5 if count < 2 else student(z_for(), count - 1) * math.sqrt((count - 1) / count * float(((without - value) ** 2).sum()))
        told[name] = {"share": _round(value), "low": _round(max(0.0, value - reach)), "high": _round(min(1.0, value + reach))}
    return told


# ---- effects ------------------------------------------------------------------------------------------------------------


def _effects(counter: Counter, plan: Plan, results: Results) -> list[dict[str, Any]]:
    """What each change did, game by game with the same seeds: difference, interval, effect size, and how many games would settle it."""
    made = []
    contrasts, quantities = plan.contrasts(), counter.quantities()
    told = [(k, q) for k in range(len(contrasts)) for q in range(len(quantities)) if results.contrasts[k, q, 0] > 1]
    z = z_for(int((results.contrasts[:, :, 2] > 0).sum()))  # what can't change is no comparison
    for k, q in told:
        factor, base, value, weights = contrasts[k]
        n, total, squares, before = (float(number) for number in results.contrasts[k, q])
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
                "old": _round(before / n / pairs),
                "new": _round((before + total) / n / pairs),
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

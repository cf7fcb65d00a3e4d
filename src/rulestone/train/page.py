"""The report of a training: one HTML file with the ladder and how it went."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from rulestone.lab.plots import Point, Row, curve, intervals, plain_tick
from rulestone.lab.report import document, table, whole_numbers
from rulestone.train.arena import Score
from rulestone.train.trainer import Report, Trainer


def verdict(score: Score, cooperative: bool = False) -> str:
    """Return what a score means, in a few words.

    >>> verdict(Score("greedy", 0.6, 0.55, 0.65, 0.5, 800, True)), verdict(Score("greedy", 0.5, 0.45, 0.55, 0.5, 800, False))
    ('stronger (95 % settled)', 'not settled')
    """
    if not score.settled:
        return "not settled"
    return f"{'stronger' if score.better else 'weaker'} (95 % settled)"


def html(trainer: Trainer, final: Sequence[Score]) -> str:
    """Return the page of a training."""
    game, reports, course = trainer.game, trainer.reports, trainer.course
    last = reports[-1]
    ladders = [report for report in reports if report.ladder]
    rivals = list(dict.fromkeys(score.rival for report in ladders for score in report.ladder))
    minutes = max(trainer.seconds / 60, 0.01)
    curves = "".join(f"<figure><h3>Against {escape(rival)}</h3>{_ladder_curve(ladders, rival, minutes)}</figure>" for rival in rivals)
    word = f"{trainer.players} player{'s' if trainer.players != 1 else ''}"
    options = ", ".join(f"{name} {value}" for name, value in trainer.options.items())
    team = " In this cooperative game, a team of it plays the same deals as a team of the other." if game.cooperative else ""
    seats = " It has one seat and the other bot all others." if trainer.players > 2 and not game.cooperative else ""
    measured = _smooth([(report.seconds / 60, report.worth) for report in reports])
    undecided = _smooth([(report.seconds / 60, report.entropy) for report in reports])
    command = trainer.command(last.round)
    body = [
        f"<h1>{escape(game.title)}: a player for {word}</h1>",
        f"<p>Trained for {minutes:.1f} minutes on {last.decisions:,} decisions, {last.decisions / (60 * minutes):,.0f} a second."
        f" The file is <b>{escape(trainer.file.name)}</b>; it plays as <b>net:{escape(trainer.file.name)}</b>.</p>",
        "<h2>How strong it is</h2>",
        f"<p>The best network so far, in games that it didn’t learn from.{team}{seats}</p>",
        intervals(
            [Row(f"against {score.rival}", score.score, score.low, score.high, "clay" if score.better else "stone") for score in final],
            "Share of the wins",
            lambda value: f"{value:.1%}".replace("%", " %"),
            mark=final[0].fair if final and not game.cooperative else None,
            span=(0, 1),
        ),
        table(
            ("against", "wins", "95 % interval", "equal strength", "games", ""),
            [
                [
                    escape(score.rival),
                    f"{100 * score.score:.1f} %",
                    f"{100 * score.low:.1f} … {100 * score.high:.1f} %",
                    f"{100 * score.fair:.1f} %",
                    f"{score.games:,}",
                    verdict(score),
                ]
                for score in final
            ],
        ),
        "<h2>How it learnt</h2>",
        f"<p>The ladder was played {len(ladders)} times on the way, always on the same deals.</p>" if ladders else "",
        curves,
        f"<figure><h3>How far off its predictions were</h3>{curve(measured, 'Mean square error of the payoffs', 'minutes', plain_tick)}"
        "<figcaption>Mean square error of the payoffs it predicts, from −1 to 1. Luck keeps it above zero.</figcaption></figure>",
        f"<figure><h3>How undecided it is</h3>{curve(undecided, 'Entropy of the policy', 'minutes', plain_tick)}"
        "<figcaption>Entropy of its choices, in nats: 0.7 is a toss-up between two moves.</figcaption></figure>",
        f"<h2>How to repeat it</h2><p><code>{escape(command)}</code></p>",
        f'<p class="muted">Rules version {game.version}{f", {escape(options)}" if options else ""}. {trainer.eyes.size:,} inputs, hidden '
        f"layers of {' and '.join(str(width) for width in course.widths)}, {len(trainer.network.weights()):,} weights.</p>",
    ]
    return document(f"{game.title}: a player for {word}", whole_numbers("".join(body)))


def _ladder_curve(ladders: Sequence[Report], rival: str, minutes: float) -> str:
    points = [
        Point(report.seconds / 60, score.score, score.low, score.high)
        for report in ladders
        for score in report.ladder
        if score.rival == rival
    ]
    fair = next(score.fair for report in ladders for score in report.ladder if score.rival == rival)
    return curve(points, f"Share of the wins against {rival}", "minutes", mark=fair, span=(0, 1))


def _smooth(values: Sequence[tuple[float, float]], most: int = 100) -> list[Point]:
    """Return means of at most `most` groups of neighbours, with the smallest and largest of each."""
    size = max(1, -(-len(values) // most))
    groups = [values[first : first + size] for first in range(0, len(values), size)]
    return [
        Point(group[-1][0], sum(y for _, y in group) / len(group), min(y for _, y in group), max(y for _, y in group)) for group in groups
    ]


def write(trainer: Trainer, final: Sequence[Score]) -> Path:
    """Write the page beside the net, and return its file."""
    file = trainer.file.with_suffix(".html")
    file.write_text(html(trainer, final), "utf-8")
    return file

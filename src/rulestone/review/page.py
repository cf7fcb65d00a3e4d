"""A review as one HTML file that stands alone: the curve, everybody's account, and each turning point with both moves marked."""

from __future__ import annotations

import base64
from html import escape

from rulestone.lab.plots import WIDE, svg
from rulestone.lab.report import document, table
from rulestone.match import Match
from rulestone.review.whole import Account, Decision, Review, percent
from rulestone.table import Face
from rulestone.table.svg import circle, line, number, path, text

HIGH, LEFT, RIGHT = 190.0, 44.0, 20.0
PLAYED, BEST = "clay", "sea"


def html(review: Review, match: Match) -> str:
    """The page for a review of that match."""
    face = Face.of(match.game)
    points = "".join(_turning_point(face, match, decision) for decision in review.turning_points)
    ending = " ".join(face.ending(match.view(None))).strip()
    parts = [
        f"<h1>{escape(review.title)}: a review</h1>",
        f"<p>{escape(ending)}</p>",
        f"<figure>{curve(review, face)}<figcaption>Everybody’s chance before each decision, for what its player knew then."
        f"{_legend(face, match.players) if not review.cooperative else ''}</figcaption></figure>",
        f"<h2>{'Play and luck' if review.chance else 'What play decided'}</h2>",
        accounts(review),
        "<h2>Turning points</h2>",
        points or "<p>No decision lost so much that the search is sure of it.</p>",
        f"<details><summary>All {len(review.decisions)} decisions</summary>{_decisions(review)}</details>",
        f'<p class="muted">{escape(method(review))}</p>',
    ]
    return document(f"{review.title}: a review", "".join(parts).replace(" %", "\u00a0%"))


def method(review: Review) -> str:
    """How far it can be trusted, in two sentences."""
    stopped = "" if review.complete else f" It was stopped early: decisions that are missing count as {review.rest}."
    rest = "luck, and so is what the search can’t tell apart" if review.chance else "what the search couldn’t see"
    return (
        f"{review.simulations:,} simulations in {review.seconds:.0f} s, seed {review.seed}. A move is called worse only if the search is "
        f"99 % sure; what no decision explains is {rest}.{stopped}"
    )


def signed(value: float) -> str:
    """A change of a chance, in points."""
    return f"{100 * value:+.0f}".replace("-", "−") if round(100 * value) else "0"


def row(account: Account) -> list[str]:
    """An account as table cells."""
    shown = "–" if account.accuracy is None else f"{account.accuracy:.0f}"
    blamed = [f"{count} {word if count == 1 else PLURAL[word]}" for word, count in account.verdicts.items() if count]
    start, result = percent(account.start), percent(account.result)
    changes = (signed(account.own), signed(account.others), signed(account.luck))
    return [account.name, start, *changes, result, shown, ", ".join(blamed)]


PLURAL = {"blunder": "blunders", "mistake": "mistakes", "inaccuracy": "inaccuracies"}


def columns(review: Review) -> tuple[str, ...]:
    """What the cells of a row are."""
    return ("player", "start", "own play", "others’ play", review.rest, "result", "accuracy", "")


def accounts(review: Review) -> str:
    rows = [[escape(cell) for cell in row(account)] for account in review.accounts]
    rest = "luck" if review.chance else "what is unclear"
    return table(columns(review), rows, f"Start, play and {rest} add up to the result, in points of a hundred.")


def curve(review: Review, face: Face) -> str:
    """Everybody's chance along the game, one line in each seat's colour (one for all in a cooperative game)."""
    points, hues = review.curve, face.hues(len(review.accounts))

    def at(index: int, value: float) -> tuple[float, float]:
        return round(LEFT + index / max(1, review.moves) * (WIDE - LEFT - RIGHT), 1), round(10 + (1 - value) * HIGH, 1)

    shapes = []
    for share in (0.0, 0.5, 1.0):
        y = at(0, share)[1]
        shapes.append(line(LEFT, y, WIDE - RIGHT, y, ink="line", width=1))
        shapes.append(text(percent(share), LEFT - 8, y, size=11, fill="muted", align="end"))
    for player in range(1 if review.cooperative else len(review.accounts)):
        places = [at(index, chances[player]) for index, chances in points]
        colour = "clay" if review.cooperative else f"seat{hues[player]}"
        shapes.append(path("M" + "L".join(f"{number(x)} {number(y)}" for x, y in places), line=colour, width=2.4))
        for decision in review.turning_points:
            if decision.player == player or review.cooperative:
                x, y = at(decision.index, decision.before[player])
                shapes.append(circle(x, y, 4.5, fill=colour, line="board", width=1.5))
    shapes.append(text("start", LEFT, HIGH + 24, size=11, fill="muted", align="start"))
    shapes.append(text(f"move {review.moves}", WIDE - RIGHT, HIGH + 24, size=11, fill="muted", align="end"))
    return svg(HIGH + 36, "How the chances stood, move by move", *shapes)


def _legend(face: Face, players: int) -> str:
    seats = zip(face.names(players), face.hues(players), strict=True)
    return "".join(f' <b style="color:var(--seat{hue})">{escape(name)}</b>' for name, hue in seats) + ". Dots are turning points."


def _turning_point(face: Face, match: Match, decision: Decision) -> str:
    """The position as its player saw it, with both moves marked."""
    view = match.at(decision.index).view(decision.player)
    name = face.names(match.players)[decision.player]
    picture = marked(face.scene(view, decision.player).document("auto"), decision)
    sure = f"± {100 * decision.error:.0f}" if decision.error >= 0.005 else "certain" if decision.best.proved else "± 0"
    return (
        f'<h3 id="move-{decision.index + 1}">{escape(name)}: {decision.verdict}</h3><p>{escape(decision.sentence())}</p>'
        f'<figure><img alt="{escape(view_title(name, decision), quote=True)}" style="max-width:100%;max-height:34rem" '
        f'src="data:image/svg+xml;base64,{base64.b64encode(picture.encode()).decode()}"><figcaption>'
        f'<b style="color:var(--{PLAYED})">Played: {escape(decision.played.label)}.</b> '
        f'<b style="color:var(--{BEST})">Better: {escape(decision.best.label)}</b>, by {100 * decision.gain:.0f} points ({sure}).'
        "</figcaption></figure>"
    )


def view_title(name: str, decision: Decision) -> str:
    return f"The position before move {decision.index + 1}, as {name} saw it"


def marked(picture: str, decision: Decision) -> str:
    """The picture with the things of both moves outlined; what both moves begin with is left to the better one."""
    rules = []
    for colour, option, dash in ((PLAYED, decision.played, "7 5"), (BEST, decision.best, "none")):
        for id in option.picks:
            rules.append(f'[id="{id}"]>:first-child{{visibility:visible;stroke:var(--{colour});stroke-width:6px;stroke-dasharray:{dash}}}')
    return picture.replace("</svg>\n", f"<style>{''.join(rules)}</style></svg>\n")


def _decisions(review: Review) -> str:
    rows = []
    for decision in review.decisions:
        kept, best = (f"{percent(option.chance)}" for option in (decision.played, decision.best))
        better = f"{escape(decision.best.label)} ({best})" if decision.verdict != "fine" else ""
        cells = (escape(review.accounts[decision.player].name), escape(decision.played.label), kept, decision.verdict, better)
        rows.append([str(decision.index + 1), *cells, f"{decision.played.visits:,}"])
    return table(("move", "player", "played", "kept", "verdict", "better", "simulations"), rows)

"""The report: one self-contained HTML file. The findings first, then a table of contents and folded sections with plots and tables that
link to example games. Everything can be read without the script, which sorts and searches tables.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

from rulestone.lab import boards, plots
from rulestone.lab.examples import Album
from rulestone.lab.findings import (
    agreement_text,
    amount,
    by_players,
    decisive,
    drama,
    effect_text,
    event_words,
    gap_text,
    minutes_text,
    never_seen,
    never_text,
    pace_text,
    percent,
    players_text,
    said,
    share_text,
    swing_text,
    turning,
    twins,
    weighed,
    within,
)
from rulestone.lab.folder import HEAD
from rulestone.lab.plan import line_up_text, phrase, said_of, title_of
from rulestone.lab.plots import Row
from rulestone.lab.summary import LEAST_SWINGS
from rulestone.table.look import TOKENS, hue_of, stylesheet

MOST_THINGS, MOST_ENTRIES = 400, 300
LONG = 8
"""A table with more rows can be searched."""
BESIDE = 6
"""The most settings whose pictures are next to each other."""
RARE = 0.03
"""Draws that are rarer are in the table only: they would squeeze the picture."""
GAMES = "example games"


SCRIPT = (Path(__file__).parent / "report.js").read_text()
SCRIPT_HASH = f"sha256-{base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()}"
"""The report's script, and its name in a content security policy that allows no other."""


def html(summary: dict[str, Any], album: Album, games: str = "") -> str:
    """The whole page. `games`: the address where a server opens example games by name; without it, the page contains the games."""
    return Page(summary, album, games).text()


def document(title: str, body: str, script: bool = False) -> str:
    """An HTML file that stands alone, in the report's style; light when printed."""
    light = "".join(f"--{name}:{values[0]};" for name, values in TOKENS.items())
    own = (Path(__file__).parent / "report.css").read_text()
    code = f"<script>{SCRIPT}</script>" if script else ""
    style = f"{stylesheet()}{own}@media print{{:root:root:root{{color-scheme:light;{light}}}}}"
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style}</style></head><body><main>{body}</main>{code}</body></html>\n"
    )


def table(head: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "", told: Sequence[int] = ()) -> str:
    """A table whose cells are HTML already; `told` lists the rows in bold."""
    body = "".join(
        f"<tr{' class=told' if k in told else ''}>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for k, row in enumerate(rows)
    )
    top = "".join(f"<th scope=col>{escape(name)}</th>" for name in head)
    title = f"<caption>{caption}</caption>" if caption else ""
    whole = f"<table>{title}<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="scroll" tabindex="0" role="group" aria-label="Table">{whole}</div>' if body else ""


def whole_numbers(text: str) -> str:
    """The same text with spaces that keep numbers together with what follows."""
    return text.replace(" %", "\u00a0%").replace(" ± ", "\u00a0±\u00a0").replace(" … ", "\u00a0…\u00a0")


def plain(label: str) -> str:
    """A move as people write it.

    >>> plain("save_tile · 7"), plain("pass_")
    ('save tile · 7', 'pass')
    """
    return label.replace("_", " ").strip()


def _points(value: float, step: float) -> str:
    return f"{100 * value:+z.{0 if step >= 0.00999 else 1}f}"


def interval(told: dict[str, Any], show: Any = percent) -> str:
    return f"{show(told['low'])} … {show(told['high'])}"


class Page:
    """The page of a report, section by section."""

    def __init__(self, summary: dict[str, Any], album: Album, served: str) -> None:
        self.summary, self.album, self.served = summary, album, served
        self.cells, self.words = summary["cells"], summary["words"]
        self.base = self.cells[0]
        self.hues = self.hues_of(self.base)

    def text(self) -> str:
        asked: list[tuple[str, str, Callable[[], str]]] = [
            ("wins", "Who wins", self.winners), ("change", "What a change does", self.effects),
            ("thinking", "Does thinking pay?", self.skill), ("length", "How long it is", self.length),
            ("ends", "How it ends", self.endings), ("luck", "Luck and play", self.luck),
            ("moves", "What players can do", self.choices), ("events", "What happens", self.events),
            ("own", "What this game measures", self.own), ("matters", "What decisions are about", self.decisions),
            ("lead", "How the lead changes", self.swaying), ("turns", "What turns the game", self.swings),
        ]  # fmt: skip
        made = [(id, title, body) for id, title, body in ((id, title, make()) for id, title, make in asked) if body]
        made += [("columns", "The table of games", self.columns()), ("method", "How this was made", self.method())]
        top = self.head()
        games = self.games()  # every link has been made by now
        names = [(id, title) for id, title, _ in made] + ([("games", "The games behind the numbers")] if games else [])
        toc = "".join(f'<li><a href="#{id}">{title}</a></li>' for id, title in names)
        body = "".join(self.section(id, title, text) for id, title, text in made)
        whole = whole_numbers(f"{top}<nav aria-label=Contents><h2>Contents</h2><ol>{toc}</ol></nav>{body}")
        rest = self.section("games", "The games behind the numbers", games) if games else ""
        title = f"{self.summary['title']}: what {self.base['games']:,} games show"
        return document(title, whole + rest + self.board.ground(), script=True)

    @staticmethod
    def section(id: str, title: str, body: str) -> str:
        """A folded section. Its anchor is inside, so that a link to it opens it."""
        return f"<details class=part><summary><h2>{title}</h2></summary><div id={id} class=anchor></div>{body}</details>"

    @staticmethod
    def hues_of(cell: dict[str, Any]) -> list[int]:
        """The colour of each seat, as at the table."""
        names = [seat["name"] for seat in cell["seats"]]
        return [hue_of(names, seat) for seat in range(len(names))]

    @cached_property
    def board(self) -> boards.Board:
        """The game's picture, for maps."""
        cell = self.album.plan.cells[0]
        return boards.Board(boards.opening(self.album.game_of(0), cell.players, cell.options))

    # ---- links to games -------------------------------------------------------------------------------------------------

    def link(self, game: int | None, ply: int | None = None, cell: int = 0, watched: bool = False) -> str:
        """A link to an example game, at a move; empty if the report has no room for the game."""
        name = None if game is None else self.album.game(cell, game, watched)
        if name is None:
            return ""
        at = "" if ply is None else f", move {ply}"
        end = "" if ply is None else f" --ply {ply}"
        if self.served:
            return f'<a href="{self.served}/{name}#{ply or 0}">game {game}{at}</a>'
        return f'<a href="#{name[:-5]}" title="rulestone replay {name}{end}">game {game}{at}</a>'

    def links(self, moves: Sequence[Sequence[int]], cell: int = 0, most: int = 2) -> str:
        return ", ".join(link for link in (self.link(game, ply, cell) for game, ply in moves[:most]) if link)

    def link_measure(self, game: int | None, measure: str, entry: int = 0, cell: int = 0) -> str:
        """A link to an example game, at the move where a measure first changed."""
        if game is None or self.album.game(cell, game) is None:
            return ""
        return self.link(game, self.album.move(cell, game, measure, entry), cell)

    def games(self) -> str:
        """The example games, for download."""
        if not self.album.records or self.served:
            return ""
        items = []
        for name, record in self.album.records.items():
            data = base64.b64encode(json.dumps(record, separators=(",", ":")).encode()).decode()
            count = len(record["moves"])
            what = f"{count:,} {'move' if count == 1 else 'moves'}, payoff {', '.join(f'{value:g}' for value in record['payoff'])}"
            link = f'<a id="{name[:-5]}" download="{name}" href="data:application/json;base64,{data}">{name}</a>'
            items.append(f"<li>{link} <span class=muted>{what}</span></li>")
        return (
            "<p>Download a game and replay it from any move: "
            f"<code>rulestone replay {next(iter(self.album.records))} --ply 12</code>. "
            "You can also open it on the /lab page of a running server. "
            "<span class=muted>(A study with --out saves these games in its examples folder.)</span></p>"
            f"<ul class=games>{''.join(items)}</ul>"
        )

    # ---- sections -------------------------------------------------------------------------------------------------------

    def head(self) -> str:
        base = self.base
        several = f" in each of {len(self.cells)} settings" if len(self.cells) > 1 else ""
        first = f" Sections that show a single setting show the first: {escape(base['label'])}." if several else ""
        players = f"{base['players']} players, " if not by_players(self.summary) else ""
        found = "".join(f"<li>{escape(sentence)}</li>" for sentence in self.summary["findings"])
        return (
            f"<header><p class=muted>Rulestone lab</p><h1>{escape(self.summary['title'])}</h1>"
            f"<p class=muted>{base['games']:,} games{several}, {players}{escape(players_text(base))}. "
            f"“±” is half of a 95 % confidence interval.{first}</p>"
            f"<div class=first><div><figure>{self.who(3)}</figure><ol class=findings>{found}</ol></div>{self.board.look()}</div></header>"
        )

    def who(self, most: int) -> str:
        """Who wins, as a picture: one for each setting, with the same axis; at most so many."""
        team, cells = self.summary["cooperative"], self.cells[:most]
        rows = [[Row(*row) for row in self._seats(cell, team)] for cell in cells]
        if team:
            names = [cell["label"] if len(self.cells) > 1 else "the team" for cell in cells]
            lines = [Row(name, *own[0][1:]) for own, name in zip(rows, names, strict=True)]
            return plots.intervals(lines, "Who wins", lambda value: percent(value, 1))
        ends = [plots.reach(own, cell["fair"]) for own, cell in zip(rows, cells, strict=True)]
        span = (min(low for low, _ in ends), max(high for _, high in ends))
        made = [
            (f"{cell['label'] if len(cells) > 1 else 'Wins'} (dashed: even share, {percent(cell['fair'])})",
             plots.intervals(own, "Who wins", lambda value: percent(value, 1), mark=cell["fair"], span=span))
            for own, cell in zip(rows, cells, strict=True)
        ]  # fmt: skip
        return plots.side_by_side(made)

    def _seats(self, cell: dict[str, Any], team: bool) -> list[tuple[str, float, float, float, str]]:
        hues = self.hues_of(cell)
        made = [
            (seat["name"], seat["share"], seat["low"], seat["high"], "clay" if team else f"seat{hue}")
            for seat, hue in zip(cell["seats"], hues, strict=True)
        ]
        drawn = cell["draws"]
        return made if team or drawn["share"] < RARE else [*made, ("nobody (draw)", drawn["share"], drawn["low"], drawn["high"], "stone")]

    def winners(self) -> str:
        lines = []
        team = self.summary["cooperative"]
        for number, cell in enumerate(self.cells):
            for seat in cell["seats"]:
                name = seat["name"] if len(self.cells) == 1 else cell["label"] if team else f"{cell['label']}: {seat['name']}"
                payoff = f"{seat['payoff']:+z.3f}"
                games = self.links(seat["examples"], number)
                lines.append([escape(name), percent(seat["share"], 2), interval(seat, lambda v: percent(v, 2)), payoff, games])
            if cell["draws"]["share"] > 0 and not team:
                drawn = cell["draws"]
                name = "nobody (draw)" if len(self.cells) == 1 else f"{cell['label']}: nobody (draw)"
                games = self.links(cell["draw_examples"], number)
                lines.append([escape(name), percent(drawn["share"], 2), interval(drawn, lambda v: percent(v, 2)), "", games])
        note = "" if team else "A seat wins if it alone has the highest payoff. The dashed line marks an even share. "
        more = f" The first {BESIDE} settings are drawn." if len(self.cells) > BESIDE else ""
        return (
            f"<figure>{self.who(BESIDE)}<figcaption>{note}Dots show the share of games won. Lines show the intervals, "
            f"wide enough to hold together for all seats of a setting.{more}</figcaption></figure>"
            f"{table(['seat', 'wins', '95 % interval', 'mean payoff', GAMES], lines)}"
        )

    def told_effects(self) -> list[dict[str, Any]]:
        """The effects worth showing: not of bots that may have met, nor of the number of players on how often a seat wins."""
        team = self.summary["cooperative"]
        return [
            effect
            for effect in self.summary["effects"]
            if effect["factor"] != "bots" and effect["sd"] > 0 and (effect["factor"] != "players" or not effect["wins"] or team)
        ]

    def change(self, effect: dict[str, Any]) -> str:
        """What was changed, as a title."""
        name, words = effect["factor"], self.words
        return f"{title_of(words, name)}: {said_of(words, name, effect['to'])} instead of {said_of(words, name, effect['from'])}"

    def about(self, name: str) -> str:
        """What an option is about, with the name it has on the command line."""
        if name not in self.words:
            return ""
        return f"<p class=muted>{escape(self.words[name]['about'])}; <code>{escape(name)}</code> on the command line.</p>"

    def effects(self) -> str:
        effects = self.told_effects()
        if not effects:
            return ""
        made = []
        for factor, base, value in dict.fromkeys((effect["factor"], str(effect["from"]), str(effect["to"])) for effect in effects):
            own = [e for e in effects if (e["factor"], str(e["from"]), str(e["to"])) == (factor, base, value)]
            rows, told = [], []
            for k, effect in enumerate(own):
                more = "settled" if effect["settled"] else f"{effect['more_games']:,}" if effect["more_games"] else "unknown"
                rows.append([escape(effect["label"]), effect_text(effect), f"{effect['size']:+z.2f}", more])
                told += [k] if effect["settled"] else []
            shares = [Row(e["label"], e["difference"], e["low"], e["high"], "clay" if e["settled"] else "stone") for e in own if e["share"]]
            title = f"Effect of {title_of(self.words, factor)}"
            picture = plots.intervals(shares, title, lambda v: f"{100 * v:+z.1f} pts", mark=0.0, tick=_points)
            made.append(f"<h3>{escape(self.change(own[0]))}</h3>{self.about(factor)}<figure>{picture}</figure>")
            made.append(table(["measure", "difference", "effect size", "more games to settle it"], rows, told=told))
        made.append(
            "<p class=muted>Both settings play the same numbered games with the same random seeds, and differences are taken game by game. "
            "The intervals are wide enough to hold together for all differences in this report. "
            "The effect size is the mean difference divided by the standard deviation of the difference in one game.</p>"
        )
        return "".join(made)

    def skill(self) -> str:
        rows, lines = [], []
        for cell in self.cells:
            team = self.summary["cooperative"] and "bots" in cell["set"]
            for told in (
                cell["line_up"] if not team else [{"bot": cell["bots"][0], **cell["seats"][0], "hands": cell["games"], "seats": []}]
            ):
                own = [bot for bot in cell["bots"] if bot == told["bot"]]
                name = line_up_text([*own, *(bot for bot in cell["bots"] if bot != told["bot"])])
                setting = ", ".join(phrase(self.words, key, value) for key, value in cell["set"].items() if key != "bots")
                name += f" ({setting})" if setting else ""
                rows.append(Row(name, told["share"], told["low"], told["high"], "clay"))
                seats = ", ".join(f"{escape(seat['name'])} {percent(seat['share'])}" for seat in told["seats"])
                lines.append([escape(name), f"{told['hands']:,}", share_text(told), seats])
        if not rows:
            return ""
        fair = None if self.summary["cooperative"] else self.base["fair"]
        picture = plots.intervals(rows, "Does thinking pay?", lambda v: percent(v, 1), mark=fair)
        return (
            f"<figure>{picture}<figcaption>Seats rotate from game to game.</figcaption></figure>"
            f"{table(['bot', 'seats played', 'wins', 'by seat'], lines)}"
        )

    def lengths(self, most: int) -> str:
        """How long games last, in minutes: one histogram for each setting, with the same axis."""
        cells = [cell for cell in self.cells[:most] if cell["measures"][cell["minutes"]["on"]]["distribution"]]
        rows = [cell["measures"][cell["minutes"]["on"]]["distribution"] for cell in cells]
        if not rows:
            return ""
        span = (float(min(row[0]["value"] for row in rows)), float(max(row[-1]["value"] for row in rows)))
        made = []
        for cell, own in zip(cells, rows, strict=True):
            told = cell["measures"][cell["minutes"]["on"]]
            worth = cell["minutes"]["mean"] / told["mean"] if told["mean"] else 0.0
            values = [(float(row["value"]), float(row["share"])) for row in own]
            marks = [(float(told["mean"]), f"mean {amount(cell['minutes']['mean'])}")]
            made.append((cell["label"], plots.histogram(values, "Length of games", "minutes", marks, span, worth or 1.0)))
        return made[0][1] if len(self.cells) == 1 else plots.side_by_side(made)

    def length(self) -> str:
        told, turns, minutes = (self.base["measures"]["decisions"], self.base["measures"]["turns"], self.base["minutes"])
        rows = told["distribution"]
        middle = told.get("median", 0)
        near = min(rows, key=lambda row: abs(row["value"] - middle))["example"] if rows else None
        games = [("shortest", rows[0]["example"]), ("median", near), ("longest", rows[-1]["example"])] if rows else []
        shown = ", ".join(f"{name} {link}" for name, link in ((name, self.link(game)) for name, game in games) if link)
        lines = [
            [escape(cell["label"]), minutes_text(cell["minutes"]).partition(" minutes")[0],
             f"{amount(cell['minutes']['p5'])} … {amount(cell['minutes']['p95'])}",
             *self._length_row(cell["measures"]["decisions"]), amount(cell["measures"]["turns"]["mean"])]
            for cell in self.cells
        ]  # fmt: skip
        head = ["setting", "minutes", "nine games in ten", "decisions", "95 % interval", "nine games in ten", "turns"]
        how = f"Minutes are an assumption: they hold {escape(pace_text(minutes))} (<code>--pace</code> sets another figure)."
        note = f"{how} A game has {amount(turns['mean'])} turns on average; a turn is a run of decisions by one player."
        links = f" Examples: {shown}." if shown else ""
        return f"<figure>{self.lengths(BESIDE)}<figcaption>{note}{links}</figcaption></figure>{table(head, lines)}"

    @staticmethod
    def _length_row(told: dict[str, Any]) -> list[str]:
        return [amount(told["mean"]), interval(told, amount), f"{told.get('p5', 0):,} … {told.get('p95', 0):,}"]

    def endings(self) -> str:
        return self.choice(self.base["ending"])

    def choices(self) -> str:
        branching = self.base["branching"]
        things = [thing for thing in self.base["things"] if thing["kind"] in ("verb", "argument")]
        verbs = [thing for thing in things if thing["kind"] == "verb"]
        rows = [Row(plain(v["label"]), v["taken"], v["taken"], v["taken"], "stone") for v in verbs if v.get("taken") is not None]
        picture = plots.intervals(rows, "How often each move is taken when it is possible", lambda v: percent(v, 1), bars=True)
        facts = (
            f"A player chooses from {amount(branching['mean'])} moves on average ({branching['most']:,} at most). "
            f"In {percent(branching['forced'], 1)} of decisions only one move is possible."
        )
        order = sorted((t for t in things if (t["times"] and len(verbs) > 1) or t["kind"] == "argument"), key=self._telling)
        return (
            f"<p>{facts}</p><figure>{picture}"
            "<figcaption>How often each move is taken when it is possible.</figcaption></figure>"
            f"{self.things(order[:MOST_THINGS], True)}"
        )

    def events(self) -> str:
        same = twins(self.base["things"])
        things = [thing for thing in self.base["things"] if thing["kind"] in ("event", "word") and thing["label"] not in same]
        told = sorted((thing for thing in things if thing["times"]), key=self._telling)
        never = [never_text(thing) for thing in never_seen(self.base)]
        silent = [thing["label"] for thing in self.base["things"] if not thing["times"] and thing["kind"] in ("argument", "word")]
        text = f"<p>Never happened in {self.base['detailed_games']:,} games: {escape(', '.join(never))}.</p>" if never else ""
        if silent:
            names = escape(", ".join(silent[:300]))
            text += f"<details><summary>{len(silent):,} moves, cards or places that never came up</summary><p>{names}</p></details>"
        return f"{self.things(told[:MOST_THINGS], False)}{text}"

    @staticmethod
    def _telling(thing: dict[str, Any]) -> float:
        """The clearest differences first."""
        if "shift" not in thing:
            return 0.0
        reach = (thing["shift_high"] - thing["shift_low"]) / 2 or 1.0
        return -abs(float(thing["shift"])) / float(reach)

    def things(self, things: list[dict[str, Any]], moves: bool) -> str:
        rows, told = [], []
        for k, thing in enumerate(things):
            shift = "–"
            if "shift" in thing:
                shift = within(100 * thing["shift"], 100 * thing["shift_low"], 100 * thing["shift_high"], sign="+")
                told += [k] if thing["shift_low"] > 0 or thing["shift_high"] < 0 else []
            taken = [percent(thing["taken"], 1) if thing.get("taken") is not None else "–"] if moves else []
            games = self.links(thing.get("examples", []))
            name = escape(plain(thing["label"]) if moves else thing["label"])
            if thing.get("words") and not moves:
                name = f"{name}<br><span class=muted>{escape(thing['words'])}</span>"
            rows.append([name, amount(thing.get("per_game", 0)), *taken, percent(thing.get("hands", 0)), shift, games])
        every = self.base["games"] // max(1, self.base["detailed_games"])
        note = "" if every <= 1 else f" Counted in every {every}th game."
        caption = (
            "“Difference in wins” is how much more often the players involved won than the others, in percentage points. "
            f"It can be a cause of winning or a consequence of it. Rows in bold differ by more than chance.{note}"
        )
        head = ["what", "per game", *(["taken when possible"] if moves else []), "players involved", "difference in wins", GAMES]
        return table(head, rows, caption, told)

    # ---- the game's own measures ----------------------------------------------------------------------------------------

    def own(self) -> str:
        general = ("decisions", "turns", "forced", "last_event", self.base["ending"])
        names = [name for name in self.base["measures"] if name not in general]
        if not names:
            return ""
        plain, drawn = [], []
        for name in names:
            told = self.base["measures"][name]
            if told["kind"] in ("ratio", "yes_no") or (told["kind"] == "number" and len(told["distribution"]) < 2):
                plain.append(self._plain(name, told))
            if told["kind"] == "number" and len(told["distribution"]) >= 2:
                drawn.append(self.fold(told["label"], f"{within(told['mean'], told['low'], told['high'])} on average", self.number(name)))
            elif told["kind"] == "choice":
                drawn.append(self.fold(told["label"], self._most(told["distribution"], "value", "share"), self.choice(name)))
            elif told["kind"] == "tally":
                drawn.append(self.fold(told["label"], self._most(told["entries"], "name", "mean"), self.tally(name)))
        head = ["measure", "value", "95 % interval", "wins if yes", "wins if no", GAMES]
        part = self.base["detailed_games"] < self.base["games"]
        note = f"<p class=muted>Measured in {self.base['detailed_games']:,} of the games.</p>" if part else ""
        lead = "".join(f"<li>{escape(sentence)}</li>" for sentence in said(self.base))
        first = f"<ul>{lead}</ul>" if lead else ""
        return f"{first}{note}{table(head, plain)}{''.join(drawn)}"

    @staticmethod
    def fold(title: str, teaser: str, body: str) -> str:
        """A measure, folded: what it is and the number that matters."""
        return f"<details class=fold><summary><h3>{escape(title)}</h3> <span class=muted>{escape(teaser)}</span></summary>{body}</details>"

    @staticmethod
    def _most(rows: list[dict[str, Any]], name: str, by: str) -> str:
        top = max(rows, key=lambda row: float(row[by]), default=None)
        if top is None or not top[by]:
            return "never"
        return f"mostly {top[name]} ({percent(top['share']) if by == 'share' else f'{amount(top[by])} per game'})"

    def _plain(self, name: str, told: dict[str, Any]) -> list[str]:
        if told["kind"] == "number":
            return [escape(told["label"]), amount(told["mean"]), interval(told, amount), "", "", ""]
        if not told.get("part", True):
            return [escape(told["label"]), amount(told["share"]), interval(told, amount), "", "", ""]
        wins, games = ["", ""], ""
        if told["kind"] == "yes_no":
            rows = {row["value"]: row for row in told["distribution"]}
            wins = [self.wins(rows[value]["wins"]) if value in rows else "" for value in ("yes", "no")]
            games = self.link_measure(rows["yes"]["example"], name) if "yes" in rows else ""
        return [escape(told["label"]), percent(told["share"], 1), interval(told, lambda v: percent(v, 1)), *wins, games]

    def wins(self, wins: list[dict[str, Any]]) -> str:
        """The win rate, or one for each seat."""
        if len(wins) == 1:
            return share_text(wins[0])
        names = [seat["name"] for seat in self.base["seats"]]
        return ", ".join(f"{escape(name)} {share_text(won)}" for name, won in zip(names, wins, strict=False))

    def number(self, name: str) -> str:
        told = self.base["measures"][name]
        values = [(float(row["value"]), float(row["share"])) for row in told["distribution"]]
        picture = plots.histogram(values, told["label"], told["label"], [(told["mean"], f"mean {amount(told['mean'])}")])
        span = f"median {told['median']:,}, nine in ten between {told['p5']:,} and {told['p95']:,}"
        facts = f"{amount(told['mean'])} on average (95 % interval {interval(told, amount)}), {span}."
        seats = ", ".join(f"{escape(seat['name'])} {amount(seat['mean'])}" for seat in told.get("seats", []))
        rows = sorted(told["distribution"], key=lambda row: -row["times"])[:12]
        lines = [
            [f"{row['value']:,}", percent(row["share"], 1), self.wins(row["wins"]), self.link_measure(row["example"], name)]
            for row in sorted(rows, key=lambda row: row["value"])
        ]
        by = f"<p class=muted>By seat: {seats}.</p>" if seats else ""
        who = "that player wins" if told["each"] else "wins"
        return f"<figure>{picture}<figcaption>{facts}</figcaption></figure>{by}{table(['value', 'how often', who, GAMES], lines)}"

    def shares(self, name: str, most: int, rows: int = 12) -> str:
        """How often each value came up: bars, next to each other for several settings, with the same axis and order."""
        cells = self.cells[:most]
        found = [{str(row["value"]): row for row in cell["measures"][name]["distribution"]} for cell in cells]
        weight: dict[str, float] = {}
        for own in found:
            for value, row in own.items():
                weight[value] = weight.get(value, 0.0) + row["share"]
        values = sorted(weight, key=lambda value: -weight[value])[:rows]
        none = {"share": 0.0, "low": 0.0, "high": 0.0}
        words = event_words(self.base) if name == "last_event" else {}
        drawn = [
            [
                Row(words.get(value, value), row["share"], row["low"], row["high"], "stone")
                for value, row in ((value, own.get(value, none)) for value in values)
            ]
            for own in found
        ]
        span = (0.0, max((plots.reach(own, bars=True)[1] for own in drawn), default=1.0))
        label = self.base["measures"][name]["label"]
        made = [plots.intervals(own, label, lambda v: percent(v, 1), bars=True, span=span) for own in drawn]
        if len(self.cells) == 1:
            return made[0]
        return plots.side_by_side([(cell["label"], picture) for cell, picture in zip(cells, made, strict=True)])

    def choice(self, name: str) -> str:
        told = self.base["measures"][name]
        rows = sorted(told["distribution"], key=lambda row: -row["share"])
        words = event_words(self.base) if name == "last_event" else {}
        lines = []
        for row in rows[:MOST_ENTRIES]:
            games = self.link(row["example"]) if name in ("ending", "last_event") else self.link_measure(row["example"], name)
            value = escape(str(row["value"]))
            shown = f"{value}<br><span class=muted>{escape(words[row['value']])}</span>" if row["value"] in words else value
            others = [self._value_of(cell, name, value) for cell in self.cells[1:BESIDE]]
            lines.append([shown, share_text(row), *others, self.wins(row["wins"]), games])
        others = [cell["label"] for cell in self.cells[1:BESIDE]]
        often = f"how often ({self.base['label']})" if others else "how often"
        return f"<figure>{self.shares(name, BESIDE)}</figure>{table(['value', often, *others, 'wins in these games', GAMES], lines)}"

    @staticmethod
    def _value_of(cell: dict[str, Any], name: str, shown: str) -> str:
        found = [row for row in cell["measures"][name]["distribution"] if escape(str(row["value"])) == shown]
        return share_text(found[0]) if found else "0 %"

    def maps(self, name: str) -> str:
        """A tally on the game's own board: how often, and who wins then. Without a board in the picture, a plain map."""
        told, measure = self.base["measures"][name], self.album.counter.measures[name]
        entries, (rows, columns) = told["entries"], told["shape"]
        spots = self.board.spots(measure)
        if not spots:
            means = [entry["mean"] for entry in entries]
            return plots.heat(rows, columns, means, told["label"], [entry["name"] for entry in entries], amount) if rows else ""
        team = self.summary["cooperative"]
        who = "the team wins more (blue) or less (red) often" if team else "a seat wins more often (in its colour)"
        pictures = [(f"{told['label']}: per game", boards.often(entries, lambda value: f"{value:.2g}"))]
        gains = boards.gains(self.base, entries, self.hues, team)
        clear = any(tint is not None and tint.colour != "stone" for tint in gains)
        if clear:
            pictures.append((f"In games where it happened, {who} than in the others", gains))
        note = "" if clear else "<p class=muted>Nowhere does who wins differ by more than chance, so there is no map of that.</p>"
        return plots.side_by_side([(title, self.board.map(spots, tints, title)) for title, tints in pictures]) + note

    def tally(self, name: str) -> str:
        told = self.base["measures"][name]
        entries = told["entries"]
        picture = self.maps(name)
        note = "How often per game, on average; point at a cell for its name and numbers."
        if not picture:
            rows = sorted(entries, key=lambda entry: -entry["mean"])[:24]
            drawn = [Row(entry["name"], entry["mean"], max(0.0, entry["low"]), entry["high"], "stone") for entry in rows]
            picture = plots.intervals(drawn, told["label"], amount, bars=True, tick=plots.plain_tick)
            note = "How often per game, on average."
        elif name in self.mapped:
            note += " Only differences that are more than chance are coloured, and they needn't be causes."
        lines: list[list[str]] = []
        for k, entry in sorted(enumerate(entries), key=lambda pair: -pair[1]["mean"])[:MOST_ENTRIES]:
            if not entry["mean"]:
                break
            games = self.link_measure(entry["example"], name, k) if len(lines) < 12 else ""
            lines.append([escape(entry["name"]), amount(entry["mean"]), percent(entry["share"], 1), self.wins(entry["wins"]), games])
        head = ["what", "per game", "in how many games", "wins in these games", GAMES]
        return f"<figure>{picture}<figcaption>{note}</figcaption></figure>{table(head, lines)}"

    @cached_property
    def mapped(self) -> list[str]:
        """The tallies that are drawn on the game's board."""
        own = self.album.counter.own.all
        return [name for name, measure in own.items() if measure.cells and self.board.spots(measure)]

    # ---- estimates, luck, method ----------------------------------------------------------------------------------------

    def swaying(self) -> str:
        told = self.base["estimates"]
        if told and not told["trusted"]:
            return self._weak(told, "who is ahead")
        if "drama" not in told:
            return ""
        n = told["drama"]["n"]
        points = [
            (k / (len(told["course"]) - 1), part["mean"], part["low"], part["high"])
            for k, part in enumerate(told["course"])
            if part and part["n"] > 1
        ]
        picture = plots.course(points, "The later winner's chance along the game", "the later winner's chance of winning")
        labels = {
            "lead_changes": "lead changes per game",
            "drama": "drama: how far the later winner's chance was behind the leader's, on average",
            "lowest": "the later winner's lowest chance",
            "decided": "when the winner's chance passed 90 % for good (0: start, 1: end)",
        }  # fmt: skip
        rows = [[label, amount(told[name]["mean"]), interval(told[name], amount), ""] for name, label in labels.items()]
        games = {name: self.seen(moves) for name, moves in told["examples"].items()}
        rows.append(
            [
                "comebacks: the winner's chance was once below half of an even share",
                percent(told["comeback"]["share"]),
                interval(told["comeback"]),
                games["comeback"],
            ]
        )
        rows.append(
            [
                "the leader at half-time wins (examples: games where they didn't)",
                percent(told["half_time"]["share"]),
                interval(told["half_time"]),
                games["half_time"],
            ]
        )
        by, sure = escape(told["by"]), escape(agreement_text(told, "who is ahead"))
        return (
            f"<p>{escape(drama(self.base))}</p><figure>{picture}<figcaption>From {n:,} games, estimated by {by} "
            f"from what the player to move could know. {sure}</figcaption></figure>"
            f"{table(['measure', 'value', '95 % interval', GAMES], rows)}"
        )

    def decisions(self) -> str:
        """What decisions are about, from those that were weighed."""
        told = self.base["decisions"]
        if not told:
            return ""
        if not told["trusted"]:
            return self._weak(told, "the best move")
        names = {"kind": "the best move of another kind", "second": "the second-best move", "median": "the middle-ranked move"}
        rows = [
            [name, f"{told[rival]['n']:,}", *self._weighed(told[rival]), self.seen(told["examples"]) if rival == "second" else ""]
            for rival, name in names.items()
            if rival in told
        ]
        words, _ = decisive(told)
        rival = "kind" if "kind" in told else "second"
        strong = [verb for verb in told["verbs"] if verb["trusted"]]
        drawn = [(plain(verb["verb"]), verb[rival]["matters"]) for verb in strong if rival in verb]
        drawn.sort(key=lambda row: -row[1]["share"])
        picture = plots.intervals(
            [Row(name, share["share"], share["low"], share["high"], "stone") for name, share in drawn],
            "Share of decisions that matter, by the kind of the best move", lambda v: percent(v), bars=True,
        )  # fmt: skip
        verbs = [
            [escape(plain(verb["verb"])), f"{verb[rival]['n']:,}", *self._weighed(verb[rival]), self.seen(verb["examples"])]
            for verb in sorted(strong, key=lambda verb: -verb["second"]["n"])
            if rival in verb
        ]
        weak = ", ".join(plain(verb["verb"]) for verb in told["verbs"] if not verb["trusted"])
        silent = f" Nothing is said of {escape(weak)}: there the longer search too often prefers another move." if weak else ""
        head = ["decisions", "matter at least", "matter at most", "average difference", "typical difference", GAMES]
        classes = [f"up to {100 * row['upto']:.0f} %" if row["upto"] is not None else "more" for row in told["spread"]]
        classes[0] = "nothing"
        count = max(1, sum(row["times"] for row in told["spread"]))
        spread = ", ".join(f"{name} in {percent(row['times'] / count)}" for name, row in zip(classes, told["spread"], strict=True))
        kings = ""
        if "kings" in told:
            kings = (
                f"<p>In {share_text(told['hopeless'])} of the decisions, the player's chance was below 2 % whatever they did. "
                f"In {share_text(told['kings'])} of all decisions, such a player could still change somebody else's chance by more than "
                f"10 percentage points (kingmaking). {self.seen(told['king_examples'])}</p>"
            )
        note = (
            f"A decision matters if {escape(words)}. One decision in {told['every']} was examined: {escape(told['by'])} named the best "
            "moves, and a second search compared them with fresh random numbers, 1,000 simulations each in the same imagined worlds. "
            f"So a lucky estimate isn't mistaken for a good move. {escape(agreement_text(told, 'the best move'))}{silent} "
            "“Matter at least” counts decisions whose difference is more than chance, “matter at most” those where 2 % can't be ruled out. "
            "“Typical difference” is the root mean square of the difference, without the part that is due to chance."
        )
        return (
            f"<p>{escape(weighed(self.base))}</p><p class=muted>{note}</p>"
            f"{table(['best move compared with', *head], rows)}<figure>{picture}</figure>"
            f"{table(['best move', *head], verbs)}"
            f"<p>What the middle-ranked move gives away, as a share of a win: {spread} of the decisions.</p>{kings}"
        )

    @staticmethod
    def _weak(told: dict[str, Any], what: str) -> str:
        """Why a section says nothing."""
        weak = f"{agreement_text(told, what)} {told['by'][:1].upper()}{told['by'][1:]} can't be trusted to say more about this game."
        return f"<p class=muted>{escape(weak)}</p>"

    @staticmethod
    def _weighed(told: dict[str, Any]) -> list[str]:
        return [share_text(told["matters"]), percent(1 - told["idle"]["share"]), gap_text(told["gap"]), percent(told["typical"], 1)]

    def seen(self, moves: Sequence[Sequence[int]]) -> str:
        """Links to games with estimates: the counted games if the bots search, else those that an observer watched."""
        watched = self.album.plan.cells[0].fast
        return ", ".join(link for link in (self.link(game, ply, watched=watched) for game, ply in moves[:2]) if link)

    def swings(self) -> str:
        same = twins(self.base["things"])
        swings = [swing for swing in self.base["swings"] if swing["kind"] != "event" or swing["label"] not in same]
        if len(swings) < 2:
            return ""
        usual, rest = swings[0], swings[1 : 1 + MOST_THINGS]
        rows = [["any decision", f"{usual['n']:,}", swing_text(usual), "", ""]]
        for swing in rest:
            shown = [
                escape(swing["label"]),
                f"{swing['n']:,}",
                swing_text(swing),
                swing_text(swing, "beyond"),
                self.seen(swing["examples"]),
            ]
            rows.append(shown)
        whose = "the team's" if self.summary["cooperative"] else "the mover's"
        told = [1 + k for k, swing in enumerate(rest) if swing["clear"]]
        note = (
            f"“Swing” is how much {whose} estimated chance of winning changed from the decision before to the next one (or to the end "
            "of the game), in percentage points. Bots rate a position higher when it is their turn, and an estimate includes moves that "
            "were then not made. So “beyond average” is the swing minus the average swing of decisions that were also followed by a "
            "decision of the same player, of another player, or by the end of the game. Rows in bold stand out by more than chance. "
            f"Anything seen fewer than {LEAST_SWINGS} times is left out."
        )
        head = ["what", "times", "swing", "beyond average", GAMES]
        lead = turning(self.summary, self.base)
        first = f"<p>{escape(lead)}</p>" if lead else ""
        return f"{first}<p class=muted>{note}</p>{table(head, rows, told=told)}"

    def luck(self) -> str:
        told = self.base["luck"]
        if not told:
            return ""
        parts = [
            ("the deal", told["deal"]["share"], "gold"),
            ("dice and draws", told["dice"]["share"], "sea-soft"),
            ("choices", told["play"]["share"], "clay-soft"),
        ]
        rows = [[name, percent(told[key]["share"], 1), interval(told[key], lambda v: percent(v, 1))] for name, key in
                (("the deal (set-up)", "deal"), ("dice and draws after it", "dice"), ("the players' choices", "play"))]  # fmt: skip
        return (
            f"<figure>{plots.stack(parts, 'Luck and play')}"
            f"<figcaption>From {told['deals']:,} deals, each played with 4 series of dice and draws, and each of these in 4 ways. "
            "The bar splits the variance of a seat's payoff into what the deal explains, what dice and draws add, and what is left to the "
            f"players' choices. This holds for these players only ({escape(players_text(self.base))}): with better ones, luck counts for "
            "less in some games and for more in others.</figcaption></figure>"
            f"{table(['part', 'share', '95 % interval'], rows)}"
        )

    def columns(self) -> str:
        """What the columns of the table of games mean."""
        rows = [[f"<code>{name}</code>", escape(meaning), ""] for name, meaning in HEAD.items()]
        for column in self.album.counter.table():
            unit = (
                f"{column.unit}: {', '.join(column.names[:12])}{', …' if len(column.names) > 12 else ''}" if column.names else column.unit
            )
            rows.append([f"<code>{column.name}</code>", escape(column.meaning), escape(unit)])
        return (
            "<p class=muted>With <code>--out FOLDER</code>, every game is a row in "
            "<code>FOLDER/games/*.parquet</code>. −1 means that a number doesn't apply: nobody sits there, it didn't happen, or the game "
            "was not counted in detail. A choice that wasn't made is empty.</p>"
            f"<details><summary>What the {len(rows)} columns mean</summary>{table(['column', 'meaning', 'unit'], rows)}</details>"
        )

    def method(self) -> str:
        looked = ""
        if self.summary["looks"]:
            looked = (
                f" The study checked its stopping rule ({escape(str(self.summary['plan']['until']))}) {self.summary['looks']} times. "
                "Check k used 1/(k(k+1)) of the 5 % chance of an error, so the intervals of who wins hold however often the study checks."
            )
        timed = "" if all(cell["reproducible"] for cell in self.cells) else " Bots with a time limit play differently on every run."
        plan = escape(json.dumps(self.summary["plan"], indent=1))
        return (
            "<p class=muted>Shares have Wilson intervals, differences of shares Newcombe intervals, and means "
            "normal intervals. Where several are shown together, they are widened (Šidák) so that all of them hold with 95 % confidence. "
            f"The same plan gives the same totals on any number of cores.{timed}{looked}</p>"
            f"<details><summary>The plan</summary><pre>{plan}</pre></details>"
        )

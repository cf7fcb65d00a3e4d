"""The report: one HTML file that stands alone. Five sentences first, then pictures and tables, each with its games."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

from rulestone.lab import plots
from rulestone.lab.examples import Album
from rulestone.lab.findings import amount, decisive, effect_text, never_seen, percent, players_text, share_text, swing_text
from rulestone.lab.plots import Row
from rulestone.table.look import TOKENS, hue_of, stylesheet

MOST_THINGS = 40


def html(summary: dict[str, Any], album: Album, games: str = "") -> str:
    """The whole page. `games`: where a server opens the example games by name; without it the page holds them itself."""
    return Page(summary, album, games).text()


def document(title: str, body: str) -> str:
    """An HTML file that stands alone, in the report's style; light when printed."""
    light = "".join(f"--{name}:{values[0]};" for name, values in TOKENS.items())
    own = (Path(__file__).parent / "report.css").read_text()
    style = f"{stylesheet()}{own}@media print{{:root:root:root{{color-scheme:light;{light}}}}}"
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style}</style></head><body><main>{body}</main></body></html>\n"
    )


def table(head: Sequence[str], rows: Iterable[Sequence[str]], caption: str = "", told: Sequence[int] = ()) -> str:
    """Cells are HTML already."""
    body = "".join(
        f"<tr{' class=told' if k in told else ''}>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for k, row in enumerate(rows)
    )
    top = "".join(f"<th scope=col>{escape(name)}</th>" for name in head)
    title = f"<caption>{caption}</caption>" if caption else ""
    whole = f"<table>{title}<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="scroll" tabindex="0" role="group" aria-label="Table">{whole}</div>' if body else ""


def interval(told: dict[str, Any], show: Any = percent) -> str:
    return f"{show(told['low'])} … {show(told['high'])}"


class Page:
    """A report in the making."""

    def __init__(self, summary: dict[str, Any], album: Album, served: str) -> None:
        self.summary, self.album, self.served = summary, album, served
        self.cells = summary["cells"]
        self.base = self.cells[0]
        about = album.counter.game.about
        self.hues = [hue_of(about.seats, seat) for seat in range(len(about.seats))]

    def text(self) -> str:
        parts = [
            self.head(), self.winners(), self.effects(), self.skill(), self.length(), self.endings(), self.choices(), self.decisions(),
            self.events(), self.own(), self.swaying(), self.swings(), self.luck(), self.method(),
        ]  # fmt: skip
        title = f"{self.summary['title']}: what {self.base['games']:,} games tell"
        return document(title, "".join(parts) + self.games())

    # ---- links to games -------------------------------------------------------------------------------------------------

    def link(self, game: int | None, ply: int | None = None, cell: int = 0, watched: bool = False) -> str:
        """A link to an example game, at a move; nothing if there is no room for it."""
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
        """A link to a game at the move where a measure first changed."""
        if game is None or self.album.game(cell, game) is None:
            return ""
        return self.link(game, self.album.move(cell, game, measure, entry), cell)

    def games(self) -> str:
        """The example games, to download."""
        if not self.album.records or self.served:
            return ""
        items = []
        for name, record in self.album.records.items():
            data = base64.b64encode(json.dumps(record, separators=(",", ":")).encode()).decode()
            what = f"{len(record['moves'])} moves, payoff {', '.join(f'{value:g}' for value in record['payoff'])}"
            link = f'<a id="{name[:-5]}" download="{name}" href="data:application/json;base64,{data}">{name}</a>'
            items.append(f"<li>{link} <span class=muted>{what}</span></li>")
        return (
            "<h2>The games behind the numbers</h2><p>Download a game and open it at the table, at the very move: "
            f"<code>rulestone replay {next(iter(self.album.records))} --ply 12</code>, or hand it to a running server on its page /lab. "
            f"<span class=muted>(A study with --out has them in its folder examples.)</span></p><ul class=games>{''.join(items)}</ul>"
        )

    # ---- sections -------------------------------------------------------------------------------------------------------

    def head(self) -> str:
        base = self.base
        several = f" in each of {len(self.cells)} settings" if len(self.cells) > 1 else ""
        found = "".join(f"<li>{escape(sentence)}</li>" for sentence in self.summary["findings"])
        return (
            f"<p class=muted>Rulestone lab</p><h1>{escape(self.summary['title'])}</h1>"
            f"<p class=muted>{base['games']:,} games{several}, {base['players']} players, {escape(players_text(base))}. "
            f"All intervals 95 %.</p><ol class=findings>{found}</ol>"
        )

    def winners(self) -> str:
        rows, lines = [], []
        team = self.summary["cooperative"]
        for number, cell in enumerate(self.cells):
            for seat in cell["seats"]:
                name = seat["name"] if len(self.cells) == 1 else cell["label"] if team else f"{cell['label']}: {seat['name']}"
                colour = "clay" if team else f"seat{self.hues[seat['seat']]}"
                rows.append(Row(name, seat["share"], seat["low"], seat["high"], colour))
                payoff = f"{seat['payoff']:+.3f}"
                games = self.links(seat["examples"], number)
                lines.append([escape(name), percent(seat["share"], 2), interval(seat, lambda v: percent(v, 2)), payoff, games])
            if cell["draws"]["share"] > 0 and not team:
                drawn = cell["draws"]
                name = "nobody" if len(self.cells) == 1 else f"{cell['label']}: nobody"
                games = self.links(cell["draw_examples"], number)
                lines.append([escape(name), percent(drawn["share"], 2), interval(drawn, lambda v: percent(v, 2)), "", games])
        fair = None if team or len({cell["players"] for cell in self.cells}) > 1 else self.base["fair"]
        picture = plots.intervals(rows[:60], "Who wins", lambda value: percent(value, 1), mark=fair)
        note = "" if team else "A seat wins with the highest payoff alone. The dashed line is an even share. "
        return (
            f"<h2>Who wins</h2><figure>{picture}<figcaption>{note}Dots are shares of games won, lines "
            "their intervals, wide enough that those of "
            f"one setting hold together.</figcaption></figure>{table(['seat', 'wins', '95 % interval', 'mean payoff', 'games'], lines)}"
        )

    def effects(self) -> str:
        effects = [effect for effect in self.summary["effects"] if effect["factor"] != "bots" and effect["sd"] > 0]
        if not effects:
            return ""
        made = ["<h2>What a change does</h2>"]
        for factor, base, value in dict.fromkeys((effect["factor"], str(effect["from"]), str(effect["to"])) for effect in effects):
            own = [e for e in effects if (e["factor"], str(e["from"]), str(e["to"])) == (factor, base, value)]
            rows, told = [], []
            for k, effect in enumerate(own):
                more = "settled" if effect["settled"] else f"{effect['more_games']:,}" if effect["more_games"] else "no end in sight"
                rows.append([escape(effect["label"]), effect_text(effect), f"{effect['size']:+.2f}", more])
                told += [k] if effect["settled"] else []
            shares = [Row(e["label"], e["difference"], e["low"], e["high"], "clay" if e["settled"] else "stone") for e in own if e["share"]]
            picture = plots.intervals(shares, f"Effect of {factor}", lambda v: f"{100 * v:+.1f} pts", mark=0.0)
            made.append(f"<h3>{escape(factor)}: {escape(value)} instead of {escape(base)}</h3><figure>{picture}</figure>")
            made.append(table(["on", "difference", "effect size", "more games to settle"], rows, told=told))
        made.append(
            "<p class=muted>Both settings played the same numbered games with the same chance, and differences are taken game by game. "
            "Intervals hold for "
            "all differences of this report together. "
            "The effect size is the mean difference in standard deviations of a game's difference.</p>"
        )
        return "".join(made)

    def skill(self) -> str:
        rows, lines = [], []
        for cell in self.cells:
            team = self.summary["cooperative"] and "bots" in cell["set"]
            for told in (
                cell["line_up"] if not team else [{"bot": cell["bots"][0], **cell["seats"][0], "hands": cell["games"], "seats": []}]
            ):
                others = dict.fromkeys(bot for bot in cell["bots"] if bot != told["bot"])
                name = told["bot"] + (f" against {' and '.join(others)}" if others else "")
                rows.append(Row(name, told["share"], told["low"], told["high"], "clay"))
                seats = ", ".join(f"{escape(seat['name'])} {percent(seat['share'])}" for seat in told["seats"])
                lines.append([escape(name), f"{told['hands']:,}", share_text(told), seats])
        if not rows:
            return ""
        fair = None if self.summary["cooperative"] else self.base["fair"]
        picture = plots.intervals(rows, "Does thinking pay?", lambda v: percent(v, 1), mark=fair)
        return (
            f"<h2>Does thinking pay?</h2><figure>{picture}<figcaption>Seats rotate from game to game.</figcaption></figure>"
            f"{table(['bot', 'hands', 'wins', 'by seat'], lines)}"
        )

    def length(self) -> str:
        told, turns, minutes = (self.base["measures"]["decisions"], self.base["measures"]["turns"], self.base["minutes"])
        rows = told["distribution"]
        values = [(float(row["value"]), float(row["share"])) for row in rows]
        middle = told.get("median", 0)
        picture = plots.histogram(values, "Length of games", "decisions", [(middle, f"median {middle:,}")])
        near = min(rows, key=lambda row: abs(row["value"] - middle))["example"] if rows else None
        games = [("shortest", rows[0]["example"]), ("median", near), ("longest", rows[-1]["example"])] if rows else []
        shown = ", ".join(f"{name} {link}" for name, link in ((name, self.link(game)) for name, game in games) if link)
        lines = [
            [escape(cell["label"]), *self._length_row(cell["measures"]["decisions"]), amount(cell["measures"]["turns"]["mean"]),
             f"{amount(cell['minutes']['mean'])} ({amount(cell['minutes']['p5'])} … {amount(cell['minutes']['p95'])})"]
            for cell in self.cells
        ]  # fmt: skip
        head = ["setting", "decisions", "95 % interval", "9 in 10 between", "turns", "minutes"]
        how = f"{minutes['seconds']:.0f} s for each of its {escape(minutes['by'])}"
        note = f"Minutes are for people, at {how}. A turn is a run of decisions of one player ({amount(turns['mean'])} on average)."
        return f"<h2>How long it is</h2><figure>{picture}<figcaption>{note} Games: {shown}.</figcaption></figure>{table(head, lines)}"

    @staticmethod
    def _length_row(told: dict[str, Any]) -> list[str]:
        return [amount(told["mean"]), interval(told, amount), f"{told.get('p5', 0):,} and {told.get('p95', 0):,}"]

    def endings(self) -> str:
        return f"<h2>How it ends</h2>{self.choice(self.base['ending'])}"

    def choices(self) -> str:
        branching = self.base["branching"]
        things = [thing for thing in self.base["things"] if thing["kind"] in ("verb", "argument")]
        verbs = [thing for thing in things if thing["kind"] == "verb"]
        rows = [Row(v["label"], v["taken"], v["taken"], v["taken"], "stone") for v in verbs if v.get("taken") is not None]
        picture = plots.intervals(rows, "How often each move is taken when it can be", lambda v: percent(v, 1), bars=True)
        facts = (
            f"A player chooses among {amount(branching['mean'])} moves on average (at most {branching['most']:,}); "
            f"{percent(branching['forced'], 1)} of "
            "decisions leave no choice."
        )
        order = sorted((t for t in things if (t["times"] and len(verbs) > 1) or t["kind"] == "argument"), key=self._telling)
        return (
            f"<h2>What players can do</h2><p>{facts}</p><figure>{picture}"
            "<figcaption>How often each move is taken when it could be.</figcaption></figure>"
            f"{self.things(order[:MOST_THINGS], True)}"
        )

    def events(self) -> str:
        things = [thing for thing in self.base["things"] if thing["kind"] in ("event", "word")]
        told = sorted((thing for thing in things if thing["times"]), key=self._telling)
        never = never_seen(self.base)
        silent = [thing["label"] for thing in self.base["things"] if not thing["times"] and thing["kind"] in ("argument", "word")]
        text = f"<p>Never in {self.base['detailed_games']:,} games: {escape(', '.join(never))}.</p>" if never else ""
        if silent:
            names = escape(", ".join(silent[:300]))
            text += f"<details><summary>{len(silent)} moves, cards or places that never came up</summary><p>{names}</p></details>"
        return f"<h2>What happens</h2>{self.things(told[:MOST_THINGS], False)}{text}"

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
                reach = (thing["shift_high"] - thing["shift_low"]) / 2
                shift = f"{100 * thing['shift']:+.1f}\u00a0±\u00a0{100 * reach:.1f}"
                told += [k] if thing["shift_low"] > 0 or thing["shift_high"] < 0 else []
            taken = [percent(thing["taken"], 1) if thing.get("taken") is not None else "–"] if moves else []
            games = self.links(thing.get("examples", []))
            rows.append([escape(thing["label"]), amount(thing.get("per_game", 0)), *taken, percent(thing.get("hands", 0)), shift, games])
        every = self.base["games"] // max(1, self.base["detailed_games"])
        note = "" if every <= 1 else f" Counted in every {every}th game."
        caption = (
            "What is clearly told from chance is set in bold. "
            "“Wins” is how much oftener those who had to do with it won than those who had not, in points: "
            f"a trace of cause and of consequence alike.{note}"
        )
        head = ["what", "a game", *(["taken when possible"] if moves else []), "of hands", "wins", "games"]
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
                drawn.append(f"<h3>{escape(told['label'])}</h3>{self.number(name)}")
            elif told["kind"] == "choice":
                drawn.append(f"<h3>{escape(told['label'])}</h3>{self.choice(name)}")
            elif told["kind"] == "tally":
                drawn.append(f"<h3>{escape(told['label'])}</h3>{self.tally(name)}")
        head = ["measure", "value", "95 % interval", "wins if so", "wins if not", "games"]
        part = self.base["detailed_games"] < self.base["games"]
        note = f"<p class=muted>Measured in {self.base['detailed_games']:,} of the games.</p>" if part else ""
        return f"<h2>What this game measures</h2>{note}{table(head, plain)}{''.join(drawn)}"

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
        return ", ".join(f"{escape(name)} {percent(won['share'])}" for name, won in zip(names, wins, strict=False))

    def number(self, name: str) -> str:
        told = self.base["measures"][name]
        values = [(float(row["value"]), float(row["share"])) for row in told["distribution"]]
        picture = plots.histogram(values, told["label"], told["label"], [(told["mean"], f"mean {amount(told['mean'])}")])
        span = f"median {told['median']:,}, nine in ten between {told['p5']:,} and {told['p95']:,}"
        facts = f"{amount(told['mean'])} on average ({interval(told, amount)}), {span}."
        seats = ", ".join(f"{escape(seat['name'])} {amount(seat['mean'])}" for seat in told.get("seats", []))
        rows = sorted(told["distribution"], key=lambda row: -row["times"])[:12]
        lines = [
            [f"{row['value']:,}", percent(row["share"], 1), self.wins(row["wins"]), self.link_measure(row["example"], name)]
            for row in sorted(rows, key=lambda row: row["value"])
        ]
        by = f"<p class=muted>By seat: {seats}.</p>" if seats else ""
        who = "wins of that player" if told["each"] else "wins"
        return f"<figure>{picture}<figcaption>{facts}</figcaption></figure>{by}{table(['value', 'how often', who, 'games'], lines)}"

    def choice(self, name: str) -> str:
        told = self.base["measures"][name]
        rows = sorted(told["distribution"], key=lambda row: -row["share"])
        drawn = [Row(str(row["value"]), row["share"], row["low"], row["high"], "stone") for row in rows[:20]]
        picture = plots.intervals(drawn, told["label"], lambda v: percent(v, 1), bars=True)
        lines = []
        for row in rows[:20]:
            games = self.link(row["example"]) if name in ("ending", "last_event") else self.link_measure(row["example"], name)
            lines.append([escape(str(row["value"])), share_text(row), self.wins(row["wins"]), games])
        if len(self.cells) > 1:
            for line in lines:
                found = [self._value_of(cell, name, line[0]) for cell in self.cells[1:4]]
                line[2:2] = found
        others = [cell["label"] for cell in self.cells[1:4]]
        return f"<figure>{picture}</figure>{table(['', 'how often', *others, 'wins then', 'games'], lines)}"

    @staticmethod
    def _value_of(cell: dict[str, Any], name: str, shown: str) -> str:
        found = [row for row in cell["measures"][name]["distribution"] if escape(str(row["value"])) == shown]
        return share_text(found[0]) if found else "0 %"

    def tally(self, name: str) -> str:
        told = self.base["measures"][name]
        entries = told["entries"]
        if told["shape"][0]:
            means = [entry["mean"] for entry in entries]
            picture = plots.heat(told["shape"][0], told["shape"][1], means, told["label"], lambda v: f"{v:.2g}")
        else:
            rows = sorted(entries, key=lambda entry: -entry["mean"])[:24]
            drawn = [Row(entry["name"], entry["mean"], max(0.0, entry["low"]), entry["high"], "stone") for entry in rows]
            picture = plots.intervals(drawn, told["label"], amount, bars=True)
        lines = []
        for entry in sorted(entries, key=lambda entry: -entry["mean"])[:12]:
            games = self.link_measure(entry["example"], name, entries.index(entry))
            lines.append([escape(entry["name"]), amount(entry["mean"]), percent(entry["share"], 1), self.wins(entry["wins"]), games])
        head = ["", "a game", "in so many games", "wins in these", "games"]
        return f"<figure>{picture}<figcaption>How often in a game, on average.</figcaption></figure>{table(head, lines)}"

    # ---- estimates, luck, method ----------------------------------------------------------------------------------------

    def swaying(self) -> str:
        told = self.base["estimates"]
        if "drama" not in told:
            return ""
        n = told["drama"]["n"]
        points = [
            (k / (len(told["course"]) - 1), part["mean"], part["low"], part["high"])
            for k, part in enumerate(told["course"])
            if part and part["n"] > 1
        ]
        picture = plots.course(points, "The winner's chance along the game", "how the later winner's chance stood")
        labels = {
            "lead_changes": "changes of the lead in a game", "drama": "drama: how far the winner was behind the leader, on average",
            "lowest": "the winner's lowest chance", "decided": "part of the game after which the winner was sure (90 %) for good",
        }  # fmt: skip
        rows = [[label, amount(told[name]["mean"]), interval(told[name], amount), ""] for name, label in labels.items()]
        games = {name: self.seen(moves) for name, moves in told["examples"].items()}
        rows.append(
            [
                "comebacks: the winner's chance was once below half of a fair share",
                percent(told["comeback"]["share"]),
                interval(told["comeback"]),
                games["comeback"],
            ]
        )
        rows.append(
            [
                "who leads at half-time wins (games: where not)",
                percent(told["half_time"]["share"]),
                interval(told["half_time"]),
                games["half_time"],
            ]
        )
        by = escape(told["by"])
        return (
            f"<h2>How it sways</h2><figure>{picture}<figcaption>From {n:,} games, as estimated by {by} from what the player to move knew."
            f"</figcaption></figure>{table(['', 'value', '95 % interval', 'games'], rows)}"
        )

    def decisions(self) -> str:
        """What the decisions are about, from the moves that were weighed."""
        told = self.base["decisions"]
        if not told:
            return ""
        names = {"kind": "the best move of another kind", "second": "the second-best move", "median": "the middling move"}
        rows = [
            [name, f"{told[rival]['n']:,}", *self._weighed(told[rival]), self.seen(told["examples"]) if rival == "second" else ""]
            for rival, name in names.items()
            if rival in told
        ]
        words, _ = decisive(told)
        rival = "kind" if "kind" in told else "second"
        drawn = [(verb["verb"], verb[rival]["matters"]) for verb in told["verbs"] if rival in verb]
        drawn.sort(key=lambda row: -row[1]["share"])
        picture = plots.intervals(
            [Row(name, share["share"], share["low"], share["high"], "stone") for name, share in drawn],
            "How many decisions matter, by the kind of the best move", lambda v: percent(v), bars=True,
        )  # fmt: skip
        verbs = [
            [escape(verb["verb"]), f"{verb[rival]['n']:,}", *self._weighed(verb[rival]), self.seen(verb["examples"])]
            for verb in sorted(told["verbs"], key=lambda verb: -verb["second"]["n"])
            if rival in verb
        ]
        head = ["decisions", "matter at least", "at most", "by, on average", "typically", "games"]
        classes = [f"up to {100 * row['upto']:.0f} %" if row["upto"] is not None else "more" for row in told["spread"]]
        classes[0] = "none, or less than none"
        count = max(1, sum(row["times"] for row in told["spread"]))
        spread = ", ".join(f"{name} {percent(row['times'] / count)}" for name, row in zip(classes, told["spread"], strict=True))
        kings = ""
        if "kings" in told:
            kings = (
                f"<p>In {share_text(told['hopeless'])} of them the player had less than 2 % whatever they did; "
                f"in {share_text(told['kings'])} of all they then moved somebody else's chance by more than 10 % (kingmaking)."
                f" {self.seen(told['king_examples'])}</p>"
            )
        note = (
            f"A decision matters if {escape(words)}. One decision in {told['every']} was weighed: "
            f"its best moves were named by {escape(told['by'])} and compared by a second search with fresh chance, "
            "1,000 simulations each in the same imagined worlds, "
            "so that the best of many rough numbers is not mistaken for a good one. "
            "Told are those whose difference is not chance (at least), and those for which 2 % cannot be ruled out (at most); "
            "“typically” is the root mean square of the difference, less what chance adds."
        )
        return (
            f"<h2>What decisions are about</h2><p class=muted>{note}</p>"
            f"{table(['best move against', *head], rows)}<figure>{picture}</figure>"
            f"{table(['best move', *head], verbs)}<p>What the middling move gives away: {spread}.</p>{kings}"
        )

    @staticmethod
    def _weighed(told: dict[str, Any]) -> list[str]:
        gap = told["gap"]
        by = f"{100 * gap['mean']:.1f} % ± {100 * (gap['high'] - gap['low']) / 2:.1f}"
        return [share_text(told["matters"]), percent(1 - told["idle"]["share"]), by, percent(told["typical"], 1)]

    def seen(self, moves: Sequence[Sequence[int]]) -> str:
        """Links to games that were estimated: the counted ones where bots think, else those that an observer watched."""
        watched = self.album.plan.cells[0].fast
        return ", ".join(link for link in (self.link(game, ply, watched=watched) for game, ply in moves[:2]) if link)

    def swings(self) -> str:
        swings = self.base["swings"]
        if len(swings) < 2:
            return ""
        usual, rest = swings[0], swings[1 : 1 + MOST_THINGS]
        rows = [["any decision", f"{usual['n']:,}", swing_text(usual), "", ""]]
        for swing in rest:
            shown = [
                escape(swing["label"]),
                f"{swing['n']:,}",
                swing_text(swing),
                f"{100 * swing['beyond']:+.1f}",
                self.seen(swing["examples"]),
            ]
            rows.append(shown)
        whose = "The team's" if self.summary["cooperative"] else "The mover's"
        told = [1 + k for k, swing in enumerate(rest) if swing["clear"]]
        note = (
            f"{whose} estimated chance at the next decision (or the outcome) less that at the decision before, in points, "
            "for everything that happened then. Bots like a position better when they are to move, and the estimate before still counts "
            "moves that were not made; so “beyond” is the swing less what any decision brings that is seen next by the same player, "
            "by another, or ends the game. What stands out is in bold."
        )
        head = ["what", "times", "swing", "beyond any decision", "games"]
        return f"<h2>What turns the game</h2><p class=muted>{note}</p>{table(head, rows, told=told)}"

    def luck(self) -> str:
        told = self.base["luck"]
        if not told:
            return ""
        parts = [
            ("the deal", told["deal"]["share"], "gold"),
            ("dice and draws", told["dice"]["share"], "sea-soft"),
            ("play", told["play"]["share"], "clay-soft"),
        ]
        rows = [[name, percent(told[key]["share"], 1), interval(told[key], lambda v: percent(v, 1))] for name, key in
                (("the deal (set-up)", "deal"), ("dice and draws after it", "dice"), ("what players do", "play"))]  # fmt: skip
        return (
            f"<h2>Luck and play</h2><figure>{plots.stack(parts, 'Luck and play')}"
            f"<figcaption>{told['deals']:,} deals, each with 4 series of dice and 4 ways to play: "
            "the parts of the variance of a seat's payoff that the deal explains, "
            "that dice and draws add, and that is left to what players do. "
            f"It holds for these players ({escape(players_text(self.base))}); "
            "better ones leave less to chance in one game and more in another.</figcaption></figure>"
            f"{table(['part', 'share', '95 % interval'], rows)}"
        )

    def method(self) -> str:
        looked = ""
        if self.summary["looks"]:
            looked = (
                f" The study stopped by itself ({escape(str(self.summary['plan']['until']))}) "
                f"after {self.summary['looks']} looks; of the 5 % that may go wrong, "
                "1/(k(k+1)) were spent at look k, so the intervals of who wins hold however often one looks."
            )
        timed = "" if all(cell["reproducible"] for cell in self.cells) else " Bots that think by the clock play differently on every run."
        plan = escape(json.dumps(self.summary["plan"], indent=1))
        return (
            "<h2>How this was made</h2><p class=muted>Shares have Wilson intervals, differences of shares "
            "Newcombe's, means normal ones; where several are told together they are widened "
            f"(Šidák) so that all hold with 95 %. Equal plans give equal totals on any number of cores.{timed}{looked}</p>"
            f"<details><summary>The plan</summary><pre>{plan}</pre></details>"
        )

"""The report: one self-contained HTML file. Five findings first, then plots and tables with links to example games."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import Any

from rulestone.lab import plots
from rulestone.lab.examples import Album
from rulestone.lab.findings import amount, decisive, effect_text, gap_text, never_seen, percent, players_text, share_text, swing_text
from rulestone.lab.plots import Row
from rulestone.lab.summary import LEAST_SWINGS
from rulestone.table.look import TOKENS, hue_of, stylesheet

MOST_THINGS = 40
GAMES = "example games"


def html(summary: dict[str, Any], album: Album, games: str = "") -> str:
    """The whole page. `games`: the address where a server opens example games by name; without it, the page contains the games."""
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
    """A table whose cells are HTML already; `told` lists the rows in bold."""
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
    """The page of a report, section by section."""

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
        body = "".join(parts).replace(" %", "\u00a0%").replace(" ± ", "\u00a0±\u00a0").replace(" … ", "\u00a0…\u00a0")  # keep numbers whole
        return document(f"{self.summary['title']}: what {self.base['games']:,} games show", body + self.games())

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
            "<h2>The games behind the numbers</h2><p>Download a game and replay it from any move: "
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
        found = "".join(f"<li>{escape(sentence)}</li>" for sentence in self.summary["findings"])
        return (
            f"<p class=muted>Rulestone lab</p><h1>{escape(self.summary['title'])}</h1>"
            f"<p class=muted>{base['games']:,} games{several}, {base['players']} players, {escape(players_text(base))}. "
            f"All intervals are 95 % confidence intervals.{first}</p><ol class=findings>{found}</ol>"
        )

    def winners(self) -> str:
        rows, lines = [], []
        team = self.summary["cooperative"]
        for number, cell in enumerate(self.cells):
            for seat in cell["seats"]:
                name = seat["name"] if len(self.cells) == 1 else cell["label"] if team else f"{cell['label']}: {seat['name']}"
                colour = "clay" if team else f"seat{self.hues[seat['seat']]}"
                rows.append(Row(name, seat["share"], seat["low"], seat["high"], colour))
                payoff = f"{seat['payoff']:+z.3f}"
                games = self.links(seat["examples"], number)
                lines.append([escape(name), percent(seat["share"], 2), interval(seat, lambda v: percent(v, 2)), payoff, games])
            if cell["draws"]["share"] > 0 and not team:
                drawn = cell["draws"]
                name = "nobody (draw)" if len(self.cells) == 1 else f"{cell['label']}: nobody (draw)"
                games = self.links(cell["draw_examples"], number)
                lines.append([escape(name), percent(drawn["share"], 2), interval(drawn, lambda v: percent(v, 2)), "", games])
        fair = None if team or len({cell["players"] for cell in self.cells}) > 1 else self.base["fair"]
        picture = plots.intervals(rows[:60], "Who wins", lambda value: percent(value, 1), mark=fair)
        note = "" if team else "A seat wins if it alone has the highest payoff. The dashed line marks an even share. "
        return (
            f"<h2>Who wins</h2><figure>{picture}<figcaption>{note}Dots show the share of games won. Lines show the intervals, "
            "wide enough to hold together for all seats of a setting.</figcaption></figure>"
            f"{table(['seat', 'wins', '95 % interval', 'mean payoff', GAMES], lines)}"
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
                more = "settled" if effect["settled"] else f"{effect['more_games']:,}" if effect["more_games"] else "unknown"
                rows.append([escape(effect["label"]), effect_text(effect), f"{effect['size']:+z.2f}", more])
                told += [k] if effect["settled"] else []
            shares = [Row(e["label"], e["difference"], e["low"], e["high"], "clay" if e["settled"] else "stone") for e in own if e["share"]]
            picture = plots.intervals(shares, f"Effect of {factor}", lambda v: f"{100 * v:+z.1f} pts", mark=0.0)
            made.append(f"<h3>{escape(factor)}: {escape(value)} instead of {escape(base)}</h3><figure>{picture}</figure>")
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
            f"{table(['bot', 'seats played', 'wins', 'by seat'], lines)}"
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
        head = ["setting", "decisions", "95 % interval", "nine games in ten", "turns", "minutes (nine games in ten)"]
        how = f"Minutes are estimated for people, at {minutes['seconds']:.0f} s for each of the {escape(minutes['by'])}."
        note = f"{how} A game has {amount(turns['mean'])} turns on average; a turn is a run of decisions by one player."
        return f"<h2>How long it is</h2><figure>{picture}<figcaption>{note} Examples: {shown}.</figcaption></figure>{table(head, lines)}"

    @staticmethod
    def _length_row(told: dict[str, Any]) -> list[str]:
        return [amount(told["mean"]), interval(told, amount), f"{told.get('p5', 0):,} … {told.get('p95', 0):,}"]

    def endings(self) -> str:
        return f"<h2>How it ends</h2>{self.choice(self.base['ending'])}"

    def choices(self) -> str:
        branching = self.base["branching"]
        things = [thing for thing in self.base["things"] if thing["kind"] in ("verb", "argument")]
        verbs = [thing for thing in things if thing["kind"] == "verb"]
        rows = [Row(v["label"], v["taken"], v["taken"], v["taken"], "stone") for v in verbs if v.get("taken") is not None]
        picture = plots.intervals(rows, "How often each move is taken when it is possible", lambda v: percent(v, 1), bars=True)
        facts = (
            f"A player chooses from {amount(branching['mean'])} moves on average ({branching['most']:,} at most). "
            f"In {percent(branching['forced'], 1)} of decisions only one move is possible."
        )
        order = sorted((t for t in things if (t["times"] and len(verbs) > 1) or t["kind"] == "argument"), key=self._telling)
        return (
            f"<h2>What players can do</h2><p>{facts}</p><figure>{picture}"
            "<figcaption>How often each move is taken when it is possible.</figcaption></figure>"
            f"{self.things(order[:MOST_THINGS], True)}"
        )

    def events(self) -> str:
        things = [thing for thing in self.base["things"] if thing["kind"] in ("event", "word")]
        told = sorted((thing for thing in things if thing["times"]), key=self._telling)
        never = never_seen(self.base)
        silent = [thing["label"] for thing in self.base["things"] if not thing["times"] and thing["kind"] in ("argument", "word")]
        text = f"<p>Never happened in {self.base['detailed_games']:,} games: {escape(', '.join(never))}.</p>" if never else ""
        if silent:
            names = escape(", ".join(silent[:300]))
            text += f"<details><summary>{len(silent):,} moves, cards or places that never came up</summary><p>{names}</p></details>"
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
                shift = f"{100 * thing['shift']:+z.1f} ± {100 * reach:.1f}"
                told += [k] if thing["shift_low"] > 0 or thing["shift_high"] < 0 else []
            taken = [percent(thing["taken"], 1) if thing.get("taken") is not None else "–"] if moves else []
            games = self.links(thing.get("examples", []))
            rows.append([escape(thing["label"]), amount(thing.get("per_game", 0)), *taken, percent(thing.get("hands", 0)), shift, games])
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
                drawn.append(f"<h3>{escape(told['label'])}</h3>{self.number(name)}")
            elif told["kind"] == "choice":
                drawn.append(f"<h3>{escape(told['label'])}</h3>{self.choice(name)}")
            elif told["kind"] == "tally":
                drawn.append(f"<h3>{escape(told['label'])}</h3>{self.tally(name)}")
        head = ["measure", "value", "95 % interval", "wins if yes", "wins if no", GAMES]
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
        often = f"how often ({self.base['label']})" if others else "how often"
        return f"<figure>{picture}</figure>{table(['value', often, *others, 'wins in these games', GAMES], lines)}"

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
        head = ["what", "per game", "in how many games", "wins in these games", GAMES]
        return f"<figure>{picture}<figcaption>How often per game, on average.</figcaption></figure>{table(head, lines)}"

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
        by = escape(told["by"])
        return (
            f"<h2>How the lead changes</h2><figure>{picture}<figcaption>From {n:,} games, estimated by {by} from what the player to move "
            f"could know.</figcaption></figure>{table(['measure', 'value', '95 % interval', GAMES], rows)}"
        )

    def decisions(self) -> str:
        """What decisions are about, from those that were weighed."""
        told = self.base["decisions"]
        if not told:
            return ""
        names = {"kind": "the best move of another kind", "second": "the second-best move", "median": "the middle-ranked move"}
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
            "Share of decisions that matter, by the kind of the best move", lambda v: percent(v), bars=True,
        )  # fmt: skip
        verbs = [
            [escape(verb["verb"]), f"{verb[rival]['n']:,}", *self._weighed(verb[rival]), self.seen(verb["examples"])]
            for verb in sorted(told["verbs"], key=lambda verb: -verb["second"]["n"])
            if rival in verb
        ]
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
            "So a lucky estimate isn't mistaken for a good move. "
            "“Matter at least” counts decisions whose difference is more than chance, “matter at most” those where 2 % can't be ruled out. "
            "“Typical difference” is the root mean square of the difference, without the part that is due to chance."
        )
        return (
            f"<h2>What decisions are about</h2><p class=muted>{note}</p>"
            f"{table(['best move compared with', *head], rows)}<figure>{picture}</figure>"
            f"{table(['best move', *head], verbs)}"
            f"<p>What the middle-ranked move gives away, as a share of a win: {spread} of the decisions.</p>{kings}"
        )

    @staticmethod
    def _weighed(told: dict[str, Any]) -> list[str]:
        return [share_text(told["matters"]), percent(1 - told["idle"]["share"]), gap_text(told["gap"]), percent(told["typical"], 1)]

    def seen(self, moves: Sequence[Sequence[int]]) -> str:
        """Links to games with estimates: the counted games if the bots search, else those that an observer watched."""
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
                f"{100 * swing['beyond']:+z.1f}",
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
        return f"<h2>What turns the game</h2><p class=muted>{note}</p>{table(head, rows, told=told)}"

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
            f"<h2>Luck and play</h2><figure>{plots.stack(parts, 'Luck and play')}"
            f"<figcaption>From {told['deals']:,} deals, each played with 4 series of dice and draws, and each of these in 4 ways. "
            "The bar splits the variance of a seat's payoff into what the deal explains, what dice and draws add, and what is left to the "
            f"players' choices. This holds for these players only ({escape(players_text(self.base))}): with better ones, luck counts for "
            "less in some games and for more in others.</figcaption></figure>"
            f"{table(['part', 'share', '95 % interval'], rows)}"
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
            "<h2>How this was made</h2><p class=muted>Shares have Wilson intervals, differences of shares Newcombe intervals, and means "
            "normal intervals. Where several are shown together, they are widened (Šidák) so that all of them hold with 95 % confidence. "
            f"The same plan gives the same totals on any number of cores.{timed}{looked}</p>"
            f"<details><summary>The plan</summary><pre>{plan}</pre></details>"
        )

"""The report in brief: one or two printed pages with the game's picture, for people who weren't there, such as a client."""

from __future__ import annotations

from html import escape
from typing import Any

from rulestone.lab import boards
from rulestone.lab.examples import Album
from rulestone.lab.findings import effect_text, pace_text, players_text
from rulestone.lab.report import Page, document, table, whole_numbers
from rulestone.table import Face

SETTINGS, ENDINGS, EFFECTS = 3, 6, 6
"""The most settings, ways to end and effects that have room."""
LIVELY = 0.6
"""How far the game on the picture has gone."""
STUDY = "This is the result of a computer experiment, not of a playtest with people."


def html(summary: dict[str, Any], album: Album) -> str:
    """The whole page."""
    return Brief(summary, album, "").text()


class Brief(Page):
    """The page of the brief report."""

    def text(self) -> str:
        base, cells = self.base, self.cells
        several = f" in each of {len(cells)} settings" if len(cells) > 1 else ""
        found = "".join(f"<li>{escape(sentence)}</li>" for sentence in self.summary["findings"])
        plots_ = [
            ("Who wins", self.who(SETTINGS)),
            (f"How long a game lasts, {pace_text(base['minutes'])}", self.lengths(SETTINGS)),
            ("How games end", self.shares(base["ending"], SETTINGS, ENDINGS)),
            *self._map(),
        ]
        body = "".join(f"<figure><h2>{escape(title)}</h2>{picture}</figure>" for title, picture in plots_ if picture)
        left = f" The pictures show the first {SETTINGS} settings." if len(cells) > SETTINGS else ""
        bots = escape(players_text(base))
        return document(
            f"{self.summary['title']} in brief",
            whole_numbers(
                f"<article class=brief><header><h1>{escape(self.summary['title'])}</h1>"
                f"<p class=muted>What {base['games']:,} games{several} show, played with {bots}.</p>"
                f"<div class=first><ol class=findings>{found}</ol>{self.lively()}</div></header>"
                f"<div class='pictures{' many' if len(cells) > 1 else ''}'>{body}</div>{self.changes()}"
                f"<footer class=muted><p>{STUDY} It compares rules and finds what is broken; whether it is fun, only people can say. "
                f"“±” and the lines in the pictures are 95 % confidence intervals: 19 of 20 of them contain the true value.{left}</p>"
                f"<p>Rulestone lab, rules version {escape(str(self.summary['rules']))}, seed {self.summary['plan']['seed']}: "
                "the same plan gives the same numbers.</p></footer></article>"
            )
            + self.board.ground(),
        )

    def lively(self) -> str:
        """A game of middling length, well under way; the board as it is set up if there is none."""
        if not self.board.drawn:
            return ""
        told = self.base["measures"]["decisions"]
        row = min(told["distribution"], key=lambda row: abs(row["value"] - told.get("median", 0)), default=None)
        match = None if row is None else self.album.match(0, row["example"])
        if match is None:
            return self.board.look()
        view = match.at(int(LIVELY * match.length)).view(None)
        scene = Face.of(view.game).scene(view, None)
        box, title = f"0 0 {scene.width:g} {scene.height:g}", escape(scene.title, quote=True)
        return f'<svg class="scene look" viewBox="{box}" role="img" aria-label="{title}">{boards.picture(scene, "l-")}</svg>'

    def _map(self) -> list[tuple[str, str]]:
        """The first measure that is drawn on the board, where there is room for it."""
        if not self.mapped or len(self.cells) > 1:
            return []
        told, measure = self.base["measures"][self.mapped[0]], self.album.counter.measures[self.mapped[0]]
        tints = boards.often(told["entries"], lambda value: f"{value:.2g}")
        return [(f"{told['label']}: times per game", self.board.map(self.board.spots(measure), tints, told["label"]))]

    def changes(self) -> str:
        """The clearest effects of what was changed."""
        clear = [effect for effect in self.told_effects() if effect["settled"]]
        clear = list(
            {(effect["factor"], str(effect["to"]), effect["difference"], effect["sd"]): effect for effect in reversed(clear)}.values()
        )
        clear.sort(key=lambda effect: -abs(effect["size"]))
        rows = [[escape(self.change(effect)), escape(effect["label"]), effect_text(effect)] for effect in clear[:EFFECTS]]
        return f"<h2>What the change did</h2>{table(['change', 'measure', 'difference'], rows)}" if rows else ""

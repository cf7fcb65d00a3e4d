"""A game in the terminal: numbered moves, the story, bots in the empty chairs."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from rich.columns import Columns
from rich.console import Console
from rich.markdown import Markdown
from rich.markup import escape
from rich.table import Table

from rulestone.bots import choose, make
from rulestone.kernel.actions import Move
from rulestone.match import IllegalMove, Match
from rulestone.review import Judge, advise

HELP = (
    "Type a move's number or its words (for example {example!r}). "
    "l lists all moves, hint suggests one, u takes your last move back, r shows the rules, q leaves the game."
)
MOST_LISTED = 40


class Session:
    """People and bots around one keyboard."""

    def __init__(self, console: Console, match: Match, people: set[int], bot: str) -> None:
        self.console, self.match, self.people = console, match, people
        self.bot = make(bot, match.game)
        self.chooser = random.Random()
        self.shown_to: int | None = None
        self.judge: Judge | None = None

    def run(self) -> None:
        """Play until the game is over or the people leave."""
        about = self.match.game.about
        self.console.rule(about.title)
        self.console.print(f"The seed's SHA-256 is {self.match.commitment}.", style="dim")
        self._tell()
        while not self.match.over:
            seat = self.match.to_move
            assert seat is not None
            if seat in self.people:
                if not self._ask(seat):
                    self.console.print("You left the game.")
                    return
            else:
                move = choose(self.match.view(seat), self.bot, self.chooser.getrandbits(63))
                self.match.play(move)
                if (shown := self._shown()) is not None:
                    self.console.print(f"[bold]{self._name(seat)}[/] plays {escape(str(shown))}.")
                self._tell()
        self._end()

    def _viewer(self) -> int | None:
        """Whose eyes the screen shows: the only person's, else the person to move, else everybody's common knowledge."""
        if len(self.people) == 1:
            return next(iter(self.people))
        return self.match.to_move if self.match.to_move in self.people else None

    def _name(self, player: int) -> str:
        return self.match.game.about.name(player, self.match.players)

    def _shown(self) -> Move | None:
        """The last move as it is seen on the screen; None if it goes unnoticed there."""
        return self.match.moves_seen_by(self._viewer())[-1]

    def _tell(self) -> None:
        for event in self.match.events:
            if event.audience in (None, self._viewer()):
                self.console.print("  " + self.match.say(event), style="italic", markup=False)

    def _ask(self, seat: int) -> bool:
        """Show one person the table and make the move they type; False when they leave."""
        match, name = self.match, self._name(seat)
        if len(self.people) > 1 and not match.game.perfect_information and self.shown_to != seat:
            self.console.clear()
            if self._input(f"{name}: press Enter when only you can see the screen. ") is None:
                return False
        self.shown_to = seat
        self.console.print(drawing(match.view(seat)))
        moves = match.legal()
        self._list(moves, MOST_LISTED)
        while True:
            answer = self._input(f"{name}, your move (? for help): ")
            if answer is None or answer == "q":
                return False
            if answer in ("?", "help", "h"):
                self.console.print(HELP.format(example=str(moves[0])), markup=False)
            elif answer == "l":
                self._list(moves, len(moves))
            elif answer == "r":
                self._rules()
            elif answer == "hint":
                self.judge = self.judge or Judge(match.game)
                self.console.print("  " + advise(match.view(seat), self.judge).sentence(), markup=False)
            elif answer == "u":
                if self._take_back(seat):
                    return True
            else:
                try:
                    number = int(answer) if answer.isdecimal() else 0
                    match.play(moves[number - 1] if 0 < number <= len(moves) else self._read(answer) if not answer.isdecimal() else -1)
                except IllegalMove as problem:
                    wrong = f"there is no move number {answer}; choose 1..{len(moves)}" if answer.isdecimal() else str(problem)
                    self.console.print(f"  {wrong}", style="red", markup=False)
                    continue
                self._tell()
                return True

    def _read(self, answer: str) -> Move | str:
        """What was typed, or the move that the game calls so at the table: "discard Drop Block"."""
        say = getattr(self.match.game.scene, "say_move", None)
        view = self.match.view(self.match.to_move)
        return next((move for move in view.legal() if say and say(view, move).lower() == answer.lower()), answer)

    def _list(self, moves: list[Move], most: int) -> None:
        """The possible moves with their numbers; where there are very many, verbs with many moves in one line each."""
        by_verb: dict[str, list[tuple[int, Move]]] = {}
        for number, move in enumerate(moves, 1):
            by_verb.setdefault(move.verb, []).append((number, move))
        short = [entry for entries in by_verb.values() if len(moves) <= most or len(entries) <= 8 for entry in entries]
        self.console.print(Columns([f"[bold]{number:>3}[/] {escape(str(move))}" for number, move in short], padding=(0, 3)))
        for entries in by_verb.values():
            if len(moves) > most and len(entries) > 8:
                (first, example), (last, _) = entries[0], entries[-1]
                ways = f"{len(entries)} ways to {example.verb}, for example {example} (l lists them)"
                self.console.print(f"[bold]{first}-{last}[/] {escape(ways)}")

    def _rules(self) -> None:
        file = self.match.game.folder / "RULES.md"
        self.console.print(Markdown(file.read_text()) if file.is_file() else "  This game has no rules text (a RULES.md in its folder).")

    def _take_back(self, seat: int) -> bool:
        """Undo to this person's previous decision, if there is one."""
        own = [index for index in range(self.match.length) if self.match.mover(index) == seat]
        if not own:
            self.console.print("  You have not moved yet.", style="red")
            return False
        while self.match.length > own[-1]:
            self.match.undo()
        self.console.print("  Taken back.")
        return True

    def _input(self, prompt: str) -> str | None:
        try:
            return self.console.input(prompt).strip()
        except EOFError:
            return None

    def _end(self) -> None:
        match = self.match
        self.console.print(drawing(match.view(None)))
        self.console.rule("The game is over")
        best = max(match.payoff)
        if match.game.cooperative:
            self.console.print("You have won together!" if best > 0 else "You have lost together.")
        elif match.payoff.count(best) == 1:
            self.console.print(f"[bold]{self._name(match.payoff.index(best))}[/] wins.")
        else:
            self.console.print("Nobody wins alone: " + ", ".join(f"{self._name(p)} {value:+g}" for p, value in enumerate(match.payoff)))
        self.console.print(f"The seed was {match.seed}.", style="dim", markup=False)


def drawing(view: Match) -> Table | str:
    """A position as the game draws it for terminals, or its fields if the game does not."""
    draw = getattr(view.game.scene, "text", None)
    return str(draw(view)) if draw else state_table(view)


def state_table(view: Match) -> Table:
    """The fields of a position with what they mean."""
    table = Table(box=None, show_header=False)
    table.add_column(style="dim")
    table.add_column()
    table.add_column(style="dim italic")
    for name, field in view.game.layout.own.items():
        if field.option is not None:
            continue
        value: Any = getattr(view.state, name)
        table.add_row(name, _shown_value(value), field.comment)
    return table


def _shown_value(value: Any) -> str:
    if not isinstance(value, np.ndarray):
        return str(value)
    if value.ndim == 1:
        return " ".join(str(number) for number in value.tolist())
    width = max(len(str(number)) for number in value.flat)
    rows = [
        " ".join(f"{'·' if number == -1 else number:>{width}}" for number in row) for row in value.reshape(-1, value.shape[-1]).tolist()
    ]
    return "\n".join(rows)

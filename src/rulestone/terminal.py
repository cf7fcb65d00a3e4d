"""Play a game in the terminal: numbered moves, the story, and bots in the empty seats."""

from __future__ import annotations

import random
from typing import Any

from rich.columns import Columns
from rich.console import Console, Group
from rich.markdown import Markdown
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from rulestone.bots import choose, make
from rulestone.kernel.actions import Move
from rulestone.learning import Lesson, without_pictures
from rulestone.match import IllegalMove, Match
from rulestone.review import Judge, advise
from rulestone.table import Face, auto

HELP = """\
Type the number of a move or the move itself, for example {example}.
  l  list all moves
  d  describe the position in words
  hint  suggest a move
  u  undo your last move
  r  show the rules
  q  quit the game"""
MOST_LISTED = 40


class Session:
    """One game at one keyboard. `people` are the seats that people play, `bot` is the bot for all other seats."""

    def __init__(self, console: Console, match: Match, people: set[int], bot: str) -> None:
        self.console, self.match, self.people = console, match, people
        self.bot = make(bot, match.game)
        self.chooser = random.Random()
        self.shown_to: int | None = None
        self.judge: Judge | None = None

    def run(self) -> None:
        """Play until the game is over or somebody quits."""
        about = self.match.game.about
        self.console.rule(about.title)
        self.console.print(f"SHA-256 of the secret seed: {self.match.commitment}", style="dim")
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
                    self.console.print(f"[bold]{self._name(seat)}[/]: {escape(str(shown))}")
                self._tell()
        self._end()

    def _viewer(self) -> int | None:
        """Return whose view the screen shows: the only person's, else that of the person to move, else a spectator's."""
        if len(self.people) == 1:
            return next(iter(self.people))
        return self.match.to_move if self.match.to_move in self.people else None

    def _name(self, player: int) -> str:
        return self.match.game.about.name(player, self.match.players)

    def _shown(self) -> Move | None:
        """Return the last move as the screen's viewer saw it; None if they didn't notice it."""
        return self.match.moves_seen_by(self._viewer())[-1]

    def _tell(self) -> None:
        for event in self.match.events:
            if event.audience in (None, self._viewer()):
                self.console.print("  " + self.match.say(event), style="italic", markup=False)

    def _ask(self, seat: int) -> bool:
        """Show one person the position and play the move they type. Returns False if they quit."""
        match, name = self.match, self._name(seat)
        if len(self.people) > 1 and not match.game.perfect_information and self.shown_to != seat:
            self.console.clear()
            if self._input(f"{name}: press Enter when only you can see the screen. ") is None:
                return False
        self.shown_to = seat
        self.console.print(drawing(match.view(seat)))
        moves = match.legal()
        list_moves(self.console, moves, MOST_LISTED)
        while True:
            answer = self._input(f"{name}, your move (? for help): ")
            if answer is None or answer == "q":
                return False
            if answer in ("?", "help", "h"):
                self.console.print(HELP.format(example=str(moves[0])), markup=False)
            elif answer == "l":
                list_moves(self.console, moves, len(moves))
            elif answer == "d":
                self.console.print(described(match.view(seat)))
            elif answer == "r":
                self._rules()
            elif answer == "hint":
                self.judge = self.judge or Judge(match.game)
                self.console.print("  " + advise(match.view(seat), self.judge).sentence(), markup=False)
            elif answer == "u":
                if self._undo(seat):
                    return True
            else:
                try:
                    match.play(numbered(answer, moves) or self._read(answer))
                except IllegalMove as problem:
                    refuse(self.console, problem)
                    continue
                self._tell()
                return True

    def _read(self, answer: str) -> Move | str:
        """Return the legal move whose wording at the table was typed ("discard Drop Block"), else the text as it was typed."""
        say = getattr(self.match.game.scene, "say_move", None)
        view = self.match.view(self.match.to_move)
        return next((move for move in view.legal() if say and say(view, move).lower() == answer.lower()), answer)

    def _rules(self) -> None:
        file = self.match.game.folder / "RULES.md"
        text = without_pictures(file.read_text()) if file.is_file() else "This game has no rules text (no RULES.md in its folder)."
        self.console.print(Markdown(text))

    def _undo(self, seat: int) -> bool:
        """Go back to this person's previous decision. Returns False if there is none."""
        own = [index for index in range(self.match.length) if self.match.mover(index) == seat]
        if not own:
            self.console.print("  There's nothing to undo: you haven't moved yet.", style="red")
            return False
        while self.match.length > own[-1]:
            self.match.undo()
        self.console.print("  Move undone.")
        return True

    def _input(self, prompt: str) -> str | None:
        return read(self.console, prompt)

    def _end(self) -> None:
        match = self.match
        self.console.print(drawing(match.view(None)))
        self.console.rule("The game is over")
        best = max(match.payoff)
        if match.game.cooperative:
            self.console.print("Everybody wins!" if best > 0 else "Everybody loses.")
        elif match.payoff.count(best) == 1:
            self.console.print(f"[bold]{self._name(match.payoff.index(best))}[/] wins.")
        else:
            winners = [self._name(player) for player, value in enumerate(match.payoff) if value == best]
            self.console.print("It's a draw." if len(winners) == match.players else f"{' and '.join(winners)} share the win.")
        self.console.print(f"The seed was {match.seed}.", style="dim", markup=False)


class Teacher:
    """A game's lesson at one keyboard."""

    def __init__(self, console: Console, lesson: Lesson) -> None:
        self.console, self.lesson = console, lesson

    def run(self) -> bool:
        """Step after step; False if the learner leaves early."""
        self.console.rule(f"Learn {self.lesson.game.title}")
        return all(self._step(number) for number in range(len(self.lesson)))

    def _step(self, number: int) -> bool:
        lesson, view = self.lesson, self.lesson.view(number)
        self.console.print(drawing(view))
        self.console.print(f"[dim]Step {number + 1} of {len(lesson)}[/]  [bold]{escape(lesson.steps[number].text)}[/]")
        if not lesson.expected(number):
            return self._input("Press Enter to continue (q leaves). ") not in (None, "q")
        labels = {str(move["move"]): str(move["label"]) for move in lesson.face.moves(view)}
        moves = view.legal()
        list_moves(self.console, moves, MOST_LISTED)
        while True:
            answer = self._input("Your move (? shows one that is right, d describes the position, q leaves): ")
            if answer is None or answer == "q":
                return False
            if answer == "l":
                list_moves(self.console, moves, len(moves))
                continue
            if answer == "d":
                self.console.print(described(view))
                continue
            if answer == "?":
                move = str(lesson.expected(number)[0])
                self.console.print(f"  Try '{move}': {labels[move]}.", markup=False)
                continue
            try:
                named = numbered(answer, moves) or next((move for move, label in labels.items() if label.lower() == answer.lower()), answer)
                given = lesson.answer(number, named)
            except (ValueError, TypeError) as problem:
                refuse(self.console, problem)
                continue
            self.console.print(f"  {given.says}", style="green" if given.right else "yellow", markup=False)
            if given.right:
                self.lesson = lesson.after(number, named)
                for shown in given.follows:
                    for line in lesson.face.story(lesson.view(number, shown.match)):
                        self.console.print(f"  {line}", style="italic", markup=False)
                return True

    def _input(self, prompt: str) -> str | None:
        return read(self.console, prompt)


def read(console: Console, prompt: str) -> str | None:
    """What is typed; None when the input has ended."""
    try:
        return console.input(prompt).strip()
    except EOFError:
        return None


def list_moves(console: Console, moves: list[Move], most: int) -> None:
    """Print the legal moves with their numbers. If there are more than `most`, each verb with many moves gets one line."""
    by_verb: dict[str, list[tuple[int, Move]]] = {}
    for number, move in enumerate(moves, 1):
        by_verb.setdefault(move.verb, []).append((number, move))
    short = [entry for entries in by_verb.values() if len(moves) <= most or len(entries) <= 8 for entry in entries]
    console.print(Columns([f"[bold]{number:>3}[/] {escape(str(move))}" for number, move in short], padding=(0, 3)))
    for entries in by_verb.values():
        if len(moves) > most and len(entries) > 8:
            (first, example), (last, _) = entries[0], entries[-1]
            ways = f"{len(entries)} ways to {example.verb}, for example {example} (type l to list them)"
            console.print(f"[bold]{first}-{last}[/] {escape(ways)}")


def numbered(answer: str, moves: list[Move]) -> Move | None:
    """Return the move whose number in the list was typed, or None if it isn't a number. IllegalMove if no move has it."""
    if not answer.isdecimal():
        return None
    if not 0 < int(answer) <= len(moves):
        raise IllegalMove(f"there is no move number {answer}; choose 1..{len(moves)}")
    return moves[int(answer) - 1]


def refuse(console: Console, problem: Exception) -> None:
    """Print why a move isn't possible."""
    wrong = str(problem)
    console.print(f"  {wrong[:1].upper()}{wrong[1:]}", style="red", markup=False)


def drawing(view: Match) -> Table | str:
    """Return a position as the game's scene draws it for terminals, or a table of its fields if the scene has no `text`."""
    draw = getattr(view.game.scene, "text", None)
    return str(draw(view)) if draw else state_table(view)


def state_table(view: Match) -> Table:
    """Return a table of the fields of a position, with their comments from the source."""
    table = Table(box=None, show_header=False)
    for style in ("dim", None, "dim italic"):
        table.add_column(style=style)
    for row in auto.fields(view)[0].rows:
        table.add_row(*row)
    return table


def described(view: Match) -> Group:
    """Return a position in words, as people hear it who can't see the board."""
    said: list[Any] = []
    for part in Face.of(view.game).in_words(view, view.viewer):
        said += [Text(part.title, style="bold"), *(Text(f"  {line}") for line in part.lines)]
        if part.rows:
            table = Table(*part.head, box=None)
            for row in part.rows:
                table.add_row(*map(Text, row))
            said.append(table)
    return Group(*said)

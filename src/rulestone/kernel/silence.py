"""Silence: replacements for the story in playouts, search and environments, where nobody reads it.

`SILENT` maps each rule of `kernel.story` that writes or reads the story to its replacement for records without a story. Nothing else
changes, so the same seeds give the same games.
"""

from typing import Any

from rulestone.kernel import story
from rulestone.kernel.rule import rule


@rule
def tell(s: Any, event: int, a: int = 0, b: int = 0, c: int = 0, d: int = 0) -> None:
    pass


@rule
def tell_only(s: Any, player: int, event: int, a: int = 0, b: int = 0, c: int = 0, d: int = 0) -> None:
    pass


@rule
def tell_more(s: Any, a: int = 0, b: int = 0, c: int = 0, d: int = 0) -> None:
    pass


@rule
def room(s: Any, rows: int = 1) -> bool:
    return False


@rule
def hush(s: Any) -> int:
    return 0


@rule
def speak(s: Any, told: int) -> None:
    pass


@rule
def forget(s: Any, first: int = 0) -> None:
    pass


@rule
def keeps_rows(s: Any) -> bool:
    return False


@rule
def keep_for(s: Any, blind: int) -> None:
    pass


@rule
def veil(s: Any, viewer: int) -> None:
    s.rng = 0


@rule
def veil_kept(s: Any, viewer: int) -> None:
    s.rng = 0


SILENT = {
    getattr(story, made.__name__): made
    for made in (tell, tell_only, tell_more, room, hush, speak, forget, keeps_rows, keep_for, veil, veil_kept)
}

"""The panels beside the board: each has a script in `static/` and, if it needs them, calls of its own.

A panel's script exports `mount(box, studio)`: it fills `box` when the panel is first opened. What `studio` offers is described in
`static/studio.js`.
"""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter

from rulestone.studio import measuring


@dataclass(frozen=True)
class Panel:
    """A panel: the name of its script, its title, its calls, and whether it is open at first."""

    name: str
    title: str
    router: APIRouter | None = None
    open: bool = False


def panels() -> tuple[Panel, ...]:
    """All panels, in order."""
    return (
        Panel("story", "Story", open=True),
        Panel("measure", "What did that change do?", measuring.router),
        Panel("moves", "Moves, and why not"),
        Panel("dice", "New game and dice"),
        Panel("fields", "The record"),
        Panel("copy", "Copy as test, lesson or picture"),
        Panel("taught", "Lesson and pictures"),
    )

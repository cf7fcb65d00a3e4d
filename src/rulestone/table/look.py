"""The look as data: named colours, seat colours with their marks, and the style sheet that defines them.

Scenes use names such as `fill="board"`, never raw colours; the page (or a stand-alone picture) includes the style sheet.

>>> check_colour("board"), check_colour("seat1-soft")
('board', 'seat1-soft')
>>> check_colour("#fff")
Traceback (most recent call last):
...
ValueError: '#fff' is not a colour of the look; choose one of: ink, paper, felt, ...
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

TOKENS: dict[str, tuple[str, str]] = {
    "ink": ("#211D19", "#EFE8DA"),
    "paper": ("#F7F1E5", "#14181E"),
    "felt": ("#EBE1CC", "#1C222B"),
    "board": ("#FFFBF2", "#262E39"),
    "muted": ("#6F675C", "#A49B8C"),
    "line": ("#CDBFA3", "#3A4452"),
    "clay": ("#B4512F", "#E07A55"),
    "sea": ("#1F6E8C", "#5DB4D3"),
    "gold": ("#C98F1B", "#F0BE55"),
    "stone": ("#8E877C", "#777F8A"),
    "on-clay": ("#FFFBF2", "#14181E"),
}
"""Colour names with their light and dark values."""

SEATS: tuple[tuple[str, str, str, str], ...] = (
    ("Red", "#D55E00", "#FFFBF2", "●"),
    ("Blue", "#0072B2", "#FFFBF2", "■"),
    ("Green", "#009E73", "#FFFBF2", "▲"),
    ("Yellow", "#E6A700", "#211D19", "◆"),
    ("Purple", "#A8527F", "#FFFBF2", "✚"),
    ("Orange", "#56B4E9", "#211D19", "★"),
)
"""For each seat hue: its usual name, its colour, the colour of print on it, and its mark (for players who can't tell colours apart)."""

SOFT = ("clay", "sea", "gold", "stone", *(f"seat{hue}" for hue in range(len(SEATS))))
"""Colours that also have a tint, `NAME-soft`, for large areas."""

COLOURS = frozenset(
    [*TOKENS, *SOFT, *(f"{name}-soft" for name in SOFT), *(f"on{hue}" for hue in range(len(SEATS))), "shade", "none"],
)


def check_colour(name: str) -> str:
    """Return the name if it is one of the look's colours; raises ValueError otherwise."""
    if name not in COLOURS:
        raise ValueError(f"{name!r} is not a colour of the look; choose one of: {', '.join([*TOKENS, *sorted(COLOURS - set(TOKENS))])}")
    return name


def hue_of(names: Sequence[str], seat: int) -> int:
    """The number of a seat's colour: the colour it is named after if all seats are named after colours, otherwise its seat number.

    >>> hue_of(("Red", "Yellow", "Green", "Blue"), 1), hue_of(("Hunter", "Prey"), 1)
    (3, 1)
    """
    named = {name: hue for hue, (name, *_) in enumerate(SEATS)}
    return named[names[seat]] if all(name in named for name in names) else seat % len(SEATS)


@cache
def stylesheet() -> str:
    """The style sheet: colours as CSS custom properties for light and dark, classes that use them, and `scene.css`."""

    def theme(index: int) -> str:
        return "".join(f"--{name}:{values[index]};" for name, values in TOKENS.items())

    lines = [f":root{{color-scheme:light dark;{theme(0)}--shade:rgb(33 29 25/.16)}}"]
    lines.append(f"@media(prefers-color-scheme:dark){{:root:not([data-theme=light]){{{theme(1)}--shade:rgb(0 0 0/.4)}}}}")
    lines.append(
        f":root[data-theme=light]{{color-scheme:light}}:root[data-theme=dark]{{color-scheme:dark;{theme(1)}--shade:rgb(0 0 0/.4)}}"
    )
    seats = "".join(f"--seat{hue}:{colour};--on{hue}:{on};" for hue, (_, colour, on, _) in enumerate(SEATS))
    lines.append(f":root{{{seats}}}")
    lines.append(":root{" + "".join(f"--{name}-soft:color-mix(in srgb,var(--{name}) 24%,var(--board));" for name in SOFT) + "}")
    for name in sorted(COLOURS - {"none"}):
        lines.append(f".f-{name}{{fill:var(--{name})}}.s-{name}{{stroke:var(--{name})}}")
    lines.append(".f-none{fill:none}.s-none{stroke:none}")
    return "\n".join(lines) + "\n" + (Path(__file__).parent / "scene.css").read_text()

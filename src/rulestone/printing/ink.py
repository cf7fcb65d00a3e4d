"""How drawings look on paper: colours written out, no shadows, one typeface; and for `--mono` greys that save ink."""

from __future__ import annotations

import re
from functools import cache

from rulestone.table import look
from rulestone.table.draw import light_colours, written_out

SERIF = "Libertinus Serif"
"""A typeface that typst brings along, so that a PDF looks the same everywhere."""
WHITE, BLACK, DARK, GROUND, SEAT = "#ffffff", "#000000", "#333333", "#dedede", "#666666"
SPARED = 0.3
"""By how much a grey is lightened."""
LIGHT = ("on0", "on1", "on2", "on-clay", "board", "paper", "felt")


@cache
def colours(mono: bool) -> dict[str, str]:
    """Every named colour, as it is printed."""
    found = light_colours()
    if not mono:
        return {**found, "paper": WHITE}
    grey = {name: _spared(colour) for name, colour in found.items() if colour.startswith("#")}
    grey |= dict.fromkeys((name for name in found if name.endswith("-soft")), "#f1f1f1")
    grey |= dict.fromkeys(LIGHT, WHITE) | {f"seat{hue}": SEAT for hue in range(len(look.SEATS))}
    return {**found, **grey, "ink": BLACK, "on3": BLACK, "muted": "#444444", "line": "#a8a8a8", "shade": "rgba(0,0,0,0.08)"}


def _spared(colour: str) -> str:
    red, green, blue = bytes.fromhex(colour[1:])
    level = 0.299 * red + 0.587 * green + 0.114 * blue
    return "#" + f"{round(255 - (255 - level) * (1 - SPARED)):02x}" * 3


@cache
def stylesheet(mono: bool) -> str:
    """The style sheet of everything that is printed."""
    text = written_out(colours(mono))
    text = re.sub(r"filter:[^}]*", "", text)
    text = re.sub(r"font-family:[^;}]*", f'font-family:"{SERIF}"', text)
    return text + (_mono() if mono else "")


def _mono() -> str:
    """Words in a colour are dark; the backs are light, with dark signs."""
    hues = [name for name in colours(True) if name.split("-")[0] in ("clay", "sea", "gold", "stone") or re.fullmatch(r"seat\d", name)]
    dark = ",".join(f"text.f-{name}" for name in hues) + f"{{fill:{DARK}}}"
    back = ",".join(f".back .f-{name}" for name in hues) + f"{{fill:{GROUND}}}"
    sign = ",".join(f".back .f-{name}" for name in LIGHT) + f"{{fill:{DARK}}}" + ",".join(f".back .s-{name}" for name in LIGHT)
    return dark + back + sign + f"{{stroke:{DARK}}}"


def ground(name: str, mono: bool) -> str:
    """The colour of a back right up to its edge."""
    look.check_colour(name)
    return GROUND if mono else colours(False)[name]

"""What the Gymnasium-like adapters share: observation spaces, and a clear error if the extra is missing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulestone.envs import MISSING
from rulestone.envs.encoding import Encoding
from rulestone.envs.position import Position

KINDS = ("flat", "dict")

try:
    from gymnasium import spaces
except ModuleNotFoundError as problem:
    raise ModuleNotFoundError(MISSING.format("gymnasium")) from problem


def observation_space(encoding: Encoding, kind: str) -> spaces.Space[Any]:
    """The space of flat observations, or of dictionaries of named fields."""
    if kind == "flat":
        return spaces.Box(encoding.low, encoding.high, dtype=np.int32)
    if kind != "dict":
        raise ValueError(f"there is no observation {kind!r}; possible: {', '.join(KINDS)}")
    record = encoding.named(encoding.game.layout.array(1))
    return spaces.Dict({name: _box(value) for name, value in record.items()})


def _box(value: NDArray[Any]) -> spaces.Box:
    bounds = np.iinfo(value.dtype)
    return spaces.Box(bounds.min, bounds.max, value.shape, value.dtype.type)


def observed(position: Position, kind: str, viewer: int) -> Any:
    """What a viewer can know about a position, as an element of that space."""
    return position.flat(viewer) if kind == "flat" else Encoding.of(position.game).named(position.known(viewer))

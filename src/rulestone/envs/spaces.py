"""What the Gymnasium-like adapters share: observation spaces, and a clear error if the extra is missing."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from numpy.typing import NDArray

from rulestone.envs import MISSING
from rulestone.envs.observations import Observations
from rulestone.envs.position import Position

try:
    from gymnasium import spaces
except ModuleNotFoundError as problem:
    raise ModuleNotFoundError(MISSING.format("gymnasium")) from problem


def observation_space(seen: Observations, without: Collection[str] = ()) -> spaces.Space[Any]:
    """The space of flat observations, or of dictionaries of named fields (without some of them)."""
    if seen.kind != "dict":
        low, high = seen.bounds
        return spaces.Box(low, high, dtype=low.dtype.type)
    record = seen.encoding.named(seen.game.layout.array(1))
    return spaces.Dict({name: _box(seen, name, value) for name, value in record.items() if name not in without})


def _box(seen: Observations, name: str, value: NDArray[Any]) -> spaces.Box:
    low, high = (0, int(seen.high[0])) if name == "ply" else seen.encoding.bounds(name, value.dtype)
    return spaces.Box(low, high, value.shape, value.dtype.type)


def observed(position: Position, seen: Observations, viewer: int) -> Any:
    """What a viewer can know about a position, as an element of that space."""
    if seen.kind == "dict":
        return seen.encoding.named(position.known(viewer))
    return seen(position.flat(viewer), viewer)

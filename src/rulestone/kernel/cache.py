"""Where things are kept that can be made again."""

from __future__ import annotations

import os
from pathlib import Path


def cache_root() -> Path:
    """The user's cache of this program; `RULESTONE_CACHE` names another place."""
    return Path(os.environ.get("RULESTONE_CACHE") or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rulestone")


def last_used(place: Path) -> float:
    """When a folder was last used; 0 if another process has just removed it."""
    try:
        return place.stat().st_mtime
    except OSError:
        return 0.0

"""The cache folder."""

from __future__ import annotations

import os
from pathlib import Path


def cache_root() -> Path:
    """Return Rulestone's cache folder, below the user's. The environment variable `RULESTONE_CACHE` overrides it."""
    return Path(os.environ.get("RULESTONE_CACHE") or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rulestone")


def last_used(place: Path) -> float:
    """Return when a folder was last used, as a timestamp; 0 if it no longer exists."""
    try:
        return place.stat().st_mtime
    except OSError:
        return 0.0

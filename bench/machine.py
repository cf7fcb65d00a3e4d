"""Where the figures come from: the machine (without its name) and the versions of all packages involved."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("rulestone", "numpy", "numba", "llvmlite", "open_spiel", "pettingzoo", "pgx", "jax", "jaxlib", "numba-cuda", "torch")
BUSY = 0.5
"""The load above which the machine is too busy to trust the figures."""


def machine() -> dict[str, str | int | float]:
    """The processor, the cores this process can use, and how busy they are."""
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "system": f"{platform.system()} {platform.machine()}",
        "load": round(os.getloadavg()[0], 2),
    }


def versions() -> dict[str, str]:
    """The versions of Python and of every package involved, or "not installed"."""
    return {"python": platform.python_version(), **{name: _version(name) for name in PACKAGES}}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.processor())

"""Rulestone's games with the interfaces researchers already use, generated from the records alone. See docs/researchers.md.

`vector` needs only Rulestone itself; `pettingzoo`, `gymnasium` and `openspiel` need the extra: pip install 'rulestone[envs]'.
"""

MISSING = "{} is not installed: pip install 'rulestone[envs]'"
"""The error message if the extra is missing."""

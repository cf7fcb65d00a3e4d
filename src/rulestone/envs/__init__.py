"""Rulestone's games behind the interfaces researchers already use, generated from the records alone: see docs/researchers.md.

`vector` needs nothing more than Rulestone itself; `pettingzoo`, `gymnasium` and `openspiel` need the extra: pip install 'rulestone[envs]'.
"""

MISSING = "{} is not installed: pip install 'rulestone[envs]'"
"""What to say where the extra is missing."""

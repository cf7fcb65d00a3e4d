"""Deterministic simulation of the table protocol: see docs/server/promises.md."""

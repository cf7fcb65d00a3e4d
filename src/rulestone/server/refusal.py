"""Refusals: what the server answers when it can't do what was asked."""

from __future__ import annotations

import math

from starlette.responses import JSONResponse

CODES: dict[int, tuple[str, ...]] = {
    401: ("no-token",),
    403: (
        *("hushed", "no-embedding", "no-hints", "not-asked", "not-host", "not-public", "not-seated", "not-your-turn", "not-yours"),
        *("private", "removed", "running", "wrong-origin"),
    ),
    404: (
        *("http", "no-lesson", "no-picture", "no-push", "no-puzzles", "no-reports", "no-step", "no-such-device", "no-such-file"),
        *("no-such-game", "no-such-guest", "no-such-line", "no-such-link", "no-such-move", "no-such-page", "no-such-puzzle"),
        *("no-such-record", "no-such-seat", "no-such-series", "no-such-setting", "no-such-study", "no-such-table"),
    ),
    405: ("http",),
    409: (
        *(
            "asked",
            "key-used",
            "name-taken",
            "no-chat",
            "no-draw",
            "no-games",
            "no-request",
            "no-undo",
            "not-away",
            "not-started",
            "not-your-turn",
        ),
        *("nothing-to-undo", "only-device", "other-rules", "out", "over", "playing", "revealed", "running", "secret", "stale", "taken"),
        *("time-up", "too-early", "too-late", "yourself"),
    ),
    413: ("too-large",),
    421: ("wrong-host",),
    422: (
        *("bad-options", "bad-record", "bad-series", "illegal", "laid", "no-such-aid", "no-such-bot", "no-such-service", "not-understood"),
        *("other-game", "running", "too-many", "too-slow", "words", "wrong-value"),
    ),
    429: ("busy", "too-fast"),
    503: ("full", "not-ready", "storage"),
}
"""All refusals by HTTP status. `tests/test_server_schema.py` finds those in the code and compares."""


class Refused(Exception):
    """A request that can't be carried out: a code for programs, a message for people and an HTTP status."""

    def __init__(self, code: str, text: str, status: int = 409, wait: float | None = None) -> None:
        super().__init__(text)
        self.code, self.text, self.status = code, text, status
        self.wait = None if wait is None else math.ceil(wait)
        """After how many seconds it makes sense to try again, if that is known."""

    def answer(self) -> JSONResponse:
        """The refusal as the answer to a call."""
        headers = None if self.wait is None else {"Retry-After": str(self.wait)}
        return JSONResponse({"code": self.code, "text": self.text}, self.status, headers)


class Away(Refused):
    """The storage is locked, full, read-only or unreachable. The request is not acknowledged and changes nothing at the table."""

    def __init__(self) -> None:
        super().__init__("storage", "The server can't save or load tables right now. Please try again in a moment.", 503, 3)


class Stale(Refused):
    """The request is about a position or a seat that has changed in the meantime."""

    def __init__(self) -> None:
        super().__init__("stale", "The table has changed. Take another look and try again.")


class TooFast(Refused):
    """Too many requests of one person, or from one address, in a short time."""

    def __init__(self, wait: float = 1) -> None:
        super().__init__("too-fast", "Too many requests. Try again in a moment.", 429, wait)


class Full(Refused):
    """Too much for the server, whoever asked for it."""

    def __init__(self, wait: float = 1) -> None:
        super().__init__("full", "The server is very busy right now. Try again in a moment.", 503, wait)

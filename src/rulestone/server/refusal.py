"""Refusals: what the server answers when it can't do what was asked."""

from __future__ import annotations


class Refused(Exception):
    """A request that can't be carried out: a code for programs, a message for people and an HTTP status."""

    def __init__(self, code: str, text: str, status: int = 409) -> None:
        super().__init__(text)
        self.code, self.text, self.status = code, text, status


class Away(Refused):
    """The storage is locked, full, read-only or unreachable. The request is not acknowledged and changes nothing at the table."""

    def __init__(self) -> None:
        super().__init__("storage", "The server can't save or load tables right now. Please try again in a moment.", 503)


class Stale(Refused):
    """The request is about a position or a seat that has changed in the meantime."""

    def __init__(self) -> None:
        super().__init__("stale", "The table has changed. Take another look and try again.")


class TooFast(Refused):
    """Too many requests in a short time."""

    def __init__(self) -> None:
        super().__init__("too-fast", "Too many requests. Try again in a moment.", 429)

"""What the server answers instead of doing something."""

from __future__ import annotations


class Refused(Exception):
    """Something that cannot be done: a code for programs, a sentence for people, an HTTP status."""

    def __init__(self, code: str, text: str, status: int = 409) -> None:
        super().__init__(text)
        self.code, self.text, self.status = code, text, status


class Away(Refused):
    """The storage is locked, full, read-only or out of reach. What was asked for is not acknowledged and changes nothing at the table."""

    def __init__(self) -> None:
        super().__init__("storage", "The server can't save or load tables right now. Please try again in a moment.", 503)

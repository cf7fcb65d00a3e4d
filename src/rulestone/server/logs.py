"""The server's log: one line for each event, as text or as JSON, without secrets.

Whatever is logged passes through `quiet`: tokens, cookies, passwords, hashes of guests and the ids of tables (an id is the link to its
table) are cut short. Chat, names and moves are never logged.
"""

from __future__ import annotations

import json
import logging
import re
import secrets
import sys
import time
from collections import OrderedDict
from collections.abc import Callable
from contextvars import ContextVar

from rulestone.server.limits import Here, Rate

ONE_KIND, ALL_KINDS = Rate(1 / 60, 10), Rate(1, 200)
"""How many warnings are logged: of one kind, and of all kinds together."""
request_id: ContextVar[str] = ContextVar("request_id", default="")
"""Names the request that is being answered, in its log lines and in the header X-Request-ID."""
access = logging.getLogger("rulestone.access")
GOOD_ID = re.compile(r"[A-Za-z0-9-]{8,64}")
SECRETS = (
    (re.compile(r"(://[^\s:/@]*):[^\s@/]+@"), r"\1:…@"),  # the password of a database
    (re.compile(r"(?i)\b(bearer|authorization:|cookie:|set-cookie:)\s+\S.*"), r"\1 …"),
    (re.compile(r"(?i)\b((?:[a-z]+_)?(?:token|secret|seed|password|key|code))(['\"]?\s*[=:]\s*['\"]?)[^\s'\",}&]+"), r"\1\2…"),
    (re.compile(r"\b[0-9a-f]{4}[0-9a-f]{28,}\b"), "…"),  # hashes and seeds
    (re.compile(r"[\w-]{24,}\.[\w-]{20,}"), "…"),  # signed tokens
    (re.compile(r"\b(?=[a-z]*[2-9a-z])([a-hjkmnp-z2-9]{4})[a-hjkmnp-z2-9]{8}\b"), r"\1…"),  # ids of tables, see `rooms.new_id`
)


def quiet(text: str) -> str:
    """A text without what must not be in a log.

    >>> quiet("GET /t/k3mw7xq2hbnp: postgresql://me:hunter2@db/tables, Authorization: Bearer abc.def")
    'GET /t/k3mw…: postgresql://me:…@db/tables, Authorization: …'
    """
    for pattern, instead in SECRETS:
        text = pattern.sub(instead, text)
    return text


def new_request_id(offered: str | None = None) -> str:
    """The name of a request: the one that a proxy gave it if that is harmless, otherwise a new one."""
    return offered if offered and GOOD_ID.fullmatch(offered) else secrets.token_hex(8)


class Text(logging.Formatter):
    """2026-11-18 12:00:00 WARNING rulestone.server.rooms: what happened (request 5f3a…)."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s", "%Y-%m-%d %H:%M:%S")

    def format(self, record: logging.LogRecord) -> str:
        given = getattr(record, "facts", {})
        more = " ".join(f"{name}={value}" for name, value in {**given, "request": request_id.get()}.items() if value != "")
        return quiet(super().format(record)) + (f" ({more})" if more else "")


class Json(logging.Formatter):
    """One JSON object on a line: time, level, logger, text, request, and what else is known."""

    def format(self, record: logging.LogRecord) -> str:
        facts = {
            "time": f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(record.created))}.{int(record.msecs):03}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "text": quiet(record.getMessage()),
            "request": request_id.get() or None,
            "trace": quiet(self.formatException(record.exc_info)) if record.exc_info and record.exc_info[0] else None,
            **getattr(record, "facts", {}),
        }
        return json.dumps({name: value for name, value in facts.items() if value is not None}, ensure_ascii=False)


class Repeats(logging.Filter):
    """Keeps warnings that repeat themselves from filling the log: a few of each kind are logged, then one a minute with their number."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self.here = Here(clock)
        self.left_out: OrderedDict[str, int] = OrderedDict()

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.WARNING:  # an operator has asked for these
            return True
        kind = f"{record.name} {record.levelno} {str(record.msg)[:200]}"
        if self.here.take_from([self.here.bucket(kind, ONE_KIND), self.here.bucket("", ALL_KINDS)]):
            self.left_out[kind] = self.left_out.pop(kind, 0) + 1
            if len(self.left_out) > 1000:
                self.left_out.popitem(last=False)
            return False
        if more := self.left_out.pop(kind, 0):
            record.msg, record.args = f"{record.getMessage()} (and {more} more like this)", ()
        return True


FORMATS: dict[str, type[logging.Formatter]] = {"text": Text, "json": Json}
LEVELS = ("error", "warning", "info", "debug")


def set_up(form: str = "text", level: str = "warning") -> None:
    """Log to stderr in one of the FORMATS. At level `info`, every request gets a line."""
    if form not in FORMATS or level not in LEVELS:
        raise ValueError(f"--log takes {' or '.join(FORMATS)}, and --log-level one of {', '.join(LEVELS)}")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(FORMATS[form]())
    handler.addFilter(Repeats())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    for name in ("rulestone", "uvicorn"):
        logging.getLogger(name).setLevel(level.upper())
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):  # they get the same format
        logging.getLogger(name).handlers.clear()
        logging.getLogger(name).propagate = name != "uvicorn.access"


def served(method: str, route: str, status: int, seconds: float) -> None:
    """Log that a request was answered. The route is the pattern of its address, such as /t/{table}."""
    if access.isEnabledFor(logging.INFO):
        facts = {"method": method, "route": route, "status": status, "ms": round(1000 * seconds, 1)}
        access.info("answered", extra={"facts": facts})

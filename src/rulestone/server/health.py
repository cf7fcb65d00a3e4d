"""What machines ask a server: is it alive (`/healthz`), can it take people (`/readyz`), how is it doing (`/metrics`).

These three answer to any host name and are never limited, because balancers and monitors ask by address and often. They say nothing
about people or tables. `/metrics` is for the machine itself, or for whoever has the operator's token.
"""

from __future__ import annotations

import asyncio
import hmac
import os
import time
from collections.abc import Awaitable, Callable
from typing import Any

from sqlalchemy import text
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rulestone.server import logs, metrics, schema
from rulestone.server.bus import Alone
from rulestone.server.security import LOCAL, host_allowed
from rulestone.server.storage import Storage

LOOPBACK = frozenset(("127.0.0.1", "::1", "testclient"))
PASSED_ON = ("forwarded", "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "x-real-ip", "via")
"""Headers that a proxy adds: a request with one of them didn't start on this machine."""
TOKEN = "RULESTONE_METRICS_TOKEN"
"""The environment variable with the token for `/metrics`."""
PATIENCE = 3.0
"""Seconds that the storage and others get to answer."""
FRESH = 1.0
"""Seconds for which an answer of `/readyz` is good, so that nobody can wear the storage out by asking."""

Check = Callable[[], Awaitable[None]]


class Readiness:
    """Whether a server can take people: its storage is in order, and it isn't on its way out.

    Other troubles are only reported. Tables work without Redis, and if all servers said no at once, nobody could play.
    """

    def __init__(self, draining: Callable[[], bool]) -> None:
        self.draining = draining
        self.checks: dict[str, Check] = {}
        """What should be in order, by name; a check raises an exception if it isn't."""
        self.found: dict[str, str] = {}
        self.when = -FRESH
        self.lock = asyncio.Lock()

    async def look(self) -> dict[str, str]:
        """What each check found: "ok", or in a word what is wrong."""
        async with self.lock:
            if time.monotonic() - self.when >= FRESH:
                names = list(self.checks)
                self.found = dict(zip(names, await asyncio.gather(*(self._try(self.checks[name]) for name in names)), strict=True))
                self.when = time.monotonic()
        return {**self.found, "draining": "yes" if self.draining() else "no"}

    @staticmethod
    async def _try(check: Check) -> str:
        try:
            await asyncio.wait_for(check(), PATIENCE)
        except TimeoutError:
            return "too slow"
        except schema.Outdated:
            return "not up to date"
        except Exception:
            return "no answer"
        return "ok"

    async def answer(self) -> Response:
        found = await self.look()
        ready = found["draining"] == "no" and found["storage"] == "ok"
        return JSONResponse({"ready": ready, **found}, 200 if ready else 503)


def storage_check(storage: Storage) -> Check:
    """The storage answers, and its tables are those of this version."""

    async def check() -> None:
        async with storage.engine.connect() as connection:
            found = (await connection.execute(text("SELECT version_num FROM alembic_version"))).scalar()
        if found != schema.head():
            raise schema.Outdated(str(found))

    return check


def bus_check(bus: Alone) -> Check:
    """The other servers can hear this one."""

    async def check() -> None:
        if not bus.up:
            raise ConnectionError

    return check


def may_read_metrics(scope: Scope, headers: Headers) -> bool:
    """Whether somebody may read the figures: on this machine and not through a proxy, or with the operator's token."""
    token, given = os.environ.get(TOKEN, ""), headers.get("authorization", "")
    if token and hmac.compare_digest(given.encode(), f"Bearer {token}".encode()):
        return True
    near = (scope.get("client") or ("",))[0] in LOOPBACK
    return near and host_allowed(headers, LOCAL) and not any(name in headers for name in PASSED_ON)


class Doors:
    """ASGI middleware, the outermost: answers what machines ask, names each request and logs it."""

    def __init__(self, app: ASGIApp, state: Any) -> None:
        self.app, self.state = app, state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        name = logs.new_request_id(headers.get("x-request-id"))
        token = logs.request_id.set(name)
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            logs.request_id.reset(token)
            return
        began, status = time.perf_counter(), 500

        async def named(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["X-Request-ID"] = name
            await send(message)

        answer = await self._answer(scope, headers)
        await (answer or self.app)(scope, receive, named)
        if answer is None:
            route = getattr(scope.get("route"), "path", None) or "no route"
            logs.served(scope["method"], route, status, time.perf_counter() - began)
        logs.request_id.reset(token)

    async def _answer(self, scope: Scope, headers: Headers) -> Response | None:
        path = scope["path"]
        if scope["method"] not in ("GET", "HEAD") or path not in ("/healthz", "/readyz", "/metrics"):
            return None
        if path == "/healthz":
            answer: Response = PlainTextResponse("ok\n")
        elif path == "/readyz":
            answer = await self.state.readiness.answer()
        elif may_read_metrics(scope, headers):
            body, kind = metrics.exposition()
            answer = Response(body, media_type=kind)
        else:
            answer = PlainTextResponse(f"Metrics are for this machine, or for the token in {TOKEN}.\n", 403)
        answer.headers["Cache-Control"] = "no-store"
        answer.headers["X-Content-Type-Options"] = "nosniff"
        return answer

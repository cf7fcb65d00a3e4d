"""Security: signed cookies, and checks of origins, host names, sizes, rates and headers."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections import OrderedDict
from http.cookies import SimpleCookie
from typing import Any, ClassVar
from urllib.parse import SplitResult, urlsplit

from itsdangerous import BadSignature, URLSafeSerializer
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rulestone.server.refusal import Refused, TooFast

COOKIE = "rulestone"
YEAR = 365 * 24 * 3600
LARGEST_BODY = 64 * 1024
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; manifest-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=()",
}
LOCAL = frozenset(("localhost", "127.0.0.1", "::1", "testserver"))


class Guests:
    """People without accounts: each has an unguessable token in a signed cookie. Tables store only its hash."""

    def __init__(self, secret: str) -> None:
        self.signer = URLSafeSerializer(secret, salt="rulestone guest")

    def issue(self) -> str:
        """A new signed token."""
        return str(self.signer.dumps(secrets.token_urlsafe(24)))

    def known(self, signed: str | None) -> str | None:
        """The guest behind a signed token, or None if the signature is wrong."""
        if not signed or len(signed) > 200:
            return None
        try:
            token = self.signer.loads(signed)
        except BadSignature:
            return None
        return hashlib.sha256(str(token).encode()).hexdigest()

    def of(self, headers: Headers) -> str | None:
        """The guest of a request: by bearer token (programs) or cookie (browsers)."""
        bearer = headers.get("authorization", "")
        if bearer.lower().startswith("bearer "):
            return self.known(bearer[7:].strip())
        return self.known(cookie_of(headers))


def cookie_of(headers: Headers) -> str | None:
    jar: SimpleCookie = SimpleCookie()
    try:
        jar.load(headers.get("cookie", ""))
    except Exception:
        return None
    return jar[COOKIE].value if COOKIE in jar else None


class Bucket:
    """A token bucket: `rate` per second, `burst` at once."""

    __slots__ = ("burst", "level", "rate", "when")

    def __init__(self, rate: float, burst: float) -> None:
        self.rate, self.burst, self.level, self.when = rate, burst, burst, time.monotonic()

    def take(self) -> bool:
        now = time.monotonic()
        self.level, self.when = min(self.burst, self.level + (now - self.when) * self.rate), now
        if self.level < 1:
            return False
        self.level -= 1
        return True


class Limits:
    """Buckets by (what, whom); the least recently used ones are dropped."""

    RATES: ClassVar = {"request": (60.0, 300.0), "create": (0.5, 20.0), "chat": (0.7, 6.0), "think": (1.0, 6.0), "socket": (5.0, 60.0)}

    def __init__(self, on: bool = True) -> None:
        self.on = on
        self.buckets: OrderedDict[tuple[str, str], Bucket] = OrderedDict()

    def allows(self, what: str, whom: str) -> bool:
        if not self.on:
            return True
        key = (what, whom)
        bucket = self.buckets.pop(key, None) or Bucket(*self.RATES[what])
        self.buckets[key] = bucket
        if len(self.buckets) > 20_000:
            self.buckets.popitem(last=False)
        return bucket.take()

    def check(self, what: str, whom: str) -> None:
        if not self.allows(what, whom):
            raise TooFast


def _split(url: str) -> SplitResult:
    """The parts of an address; all empty if it is malformed."""
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")


def same_origin(headers: Headers) -> bool:
    """Whether a request comes from our own pages, or from no page at all."""
    origin = headers.get("origin")
    if origin is not None:
        return _split(origin).netloc == headers.get("host", "")
    return headers.get("sec-fetch-site", "none") in ("same-origin", "none")


def host_allowed(headers: Headers, allowed: frozenset[str] | None) -> bool:
    """Whether to answer to this host name. A local server answers only to local names, which prevents DNS rebinding."""
    return allowed is None or (_split("//" + headers.get("host", "")).hostname or "") in allowed


class Guard:
    """ASGI middleware that checks hosts, origins, sizes and rates, and adds security headers."""

    def __init__(self, app: ASGIApp, limits: Limits, hosts: frozenset[str] | None) -> None:
        self.app, self.limits, self.hosts = app, limits, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        guarded = self._dressed(scope, send)
        if refusal is not None:
            await JSONResponse({"code": refusal.code, "text": refusal.text}, refusal.status)(scope, receive, guarded)
            return
        await self.app(scope, self._limited(receive), guarded)

    def _refusal(self, scope: Scope, headers: Headers) -> Refused | None:
        if not host_allowed(headers, self.hosts):
            return Refused("wrong-host", "Unknown host name. Start the server with `--name` to allow it.", 421)
        if not self.limits.allows("request", scope["client"][0] if scope.get("client") else ""):
            return TooFast()
        if scope["method"] not in ("GET", "HEAD", "OPTIONS"):
            if not same_origin(headers):
                return Refused("wrong-origin", "This request came from another site, so it was blocked.", 403)
            size = headers.get("content-length", "0")
            if not size.isdigit() or int(size) > LARGEST_BODY:
                return Refused("too-large", f"This request is too large. The limit is {LARGEST_BODY} bytes.", 413)
        return None

    @staticmethod
    def _limited(receive: Receive) -> Receive:
        """Cut off a body that exceeds the limit, whatever its header said."""
        taken = 0

        async def limited() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > LARGEST_BODY:
                return {"type": "http.disconnect"}
            return message

        return limited

    @staticmethod
    def _dressed(scope: Scope, send: Send) -> Send:
        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Content-Security-Policy", POLICY)
                path: str = scope["path"]
                headers.setdefault("Cache-Control", "no-cache" if path.startswith(("/static/", "/pictures/")) else "no-store")
            await send(message)

        return dressed


def set_cookie(response: Any, signed: str, secure: bool) -> None:
    response.set_cookie(COOKIE, signed, max_age=YEAR, httponly=True, samesite="lax", secure=secure, path="/")

"""Security: signed cookies, and checks of origins, host names, sizes, rates and headers."""

from __future__ import annotations

import hashlib
import ipaddress
import math
import secrets
import time
from collections.abc import Awaitable, Callable, Sequence
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import SplitResult, urlsplit

from itsdangerous import BadSignature, URLSafeSerializer
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rulestone.server import metrics
from rulestone.server.limits import LARGEST_BODY, Limits
from rulestone.server.refusal import Refused

COOKIE = "rulestone"
DAY = 24 * 3600
GOOD_FOR, RENEWED_AFTER = 400 * DAY, 7 * DAY
"""How long a token is good (no browser keeps a cookie longer), and after how long a page renews it."""
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
    """People without accounts: each device has an unguessable token in a signed cookie. Tables store only its hash.

    A device is its own person until it is linked: then `devices` says whom it plays as ("" if it is signed out).

    A token is dated. It is good for GOOD_FOR seconds, and every page renews one that is older than RENEWED_AFTER, so somebody who comes
    back now and then never loses a seat. Tokens of older servers have no date and are good until `undated_until`.
    """

    def __init__(
        self, secret: str, devices: dict[str, str] | None = None, undated_until: float = math.inf, clock: Callable[[], float] = time.time
    ) -> None:
        self.undated = URLSafeSerializer(secret, salt="rulestone guest")
        self.signer = URLSafeSerializer(secret, salt="rulestone dated guest")
        self.devices, self.undated_until, self.clock = devices or {}, undated_until, clock

    def issue(self) -> str:
        """A new signed token."""
        return self._sign(secrets.token_urlsafe(24))

    def _sign(self, token: str) -> str:
        return str(self.signer.dumps([token, int(self.clock())]))

    def _read(self, signed: str | None) -> tuple[str, float] | None:
        """The token in its signed form, and its age; None if the signature is wrong or its time is over."""
        if not signed or len(signed) > 200:
            return None
        now = self.clock()
        try:
            token, made = self.signer.loads(signed)
            return (token, now - made) if now - made < GOOD_FOR else None
        except BadSignature:
            pass
        try:
            return (str(self.undated.loads(signed)), math.inf) if now < self.undated_until else None
        except BadSignature:
            return None

    @staticmethod
    def _signed(headers: Headers) -> str | None:
        """What a request brings: a bearer token (programs) or a cookie (browsers)."""
        bearer = headers.get("authorization", "")
        return bearer[7:].strip() if bearer.lower().startswith("bearer ") else cookie_of(headers)

    def device(self, headers: Headers) -> str | None:
        """The device of a request, or None if its token is no good."""
        found = self._read(self._signed(headers))
        return None if found is None else device_of(found[0])

    def renewed(self, headers: Headers, at_once: bool = False) -> str | None:
        """A request's token with today's date, if it is due (or `at_once`)."""
        found = self._read(self._signed(headers))
        return self._sign(found[0]) if found is not None and (at_once or found[1] > RENEWED_AFTER) else None

    def of(self, headers: Headers) -> str | None:
        """The guest of a request: the person its device plays as. None if there is no good token, or the device is signed out."""
        device = self.device(headers)
        return None if device is None else self.devices.get(device, device) or None

    def device_of_token(self, signed: str) -> str:
        """The device that a token of ours makes."""
        found = self._read(signed)
        assert found is not None
        return device_of(found[0])


def device_of(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def cookie_of(headers: Headers) -> str | None:
    jar: SimpleCookie = SimpleCookie()
    try:
        jar.load(headers.get("cookie", ""))
    except Exception:
        return None
    return jar[COOKIE].value if COOKIE in jar else None


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


def proxies(named: Sequence[str]) -> list[str] | None:
    """The proxies whose word about addresses is taken; None for the usual one, on this machine (or what FORWARDED_ALLOW_IPS says)."""
    for address in named:
        try:
            ipaddress.ip_network(address)
        except ValueError:
            raise ValueError(f"{address!r} isn't a proxy's address; give --proxy an address or a network, such as 10.0.0.0/8") from None
    return ["127.0.0.1", "::1", *named] if named else None


def address_of(connection: HTTPConnection) -> str:
    """Where a request comes from: behind a proxy that the server trusts, what the proxy says, otherwise the other end of the line."""
    return connection.client.host if connection.client else ""


class Guard:
    """ASGI middleware that checks hosts, origins, sizes and rates, and adds security headers. `refuse` answers what is refused."""

    def __init__(
        self, app: ASGIApp, limits: Limits, hosts: frozenset[str] | None, refuse: Callable[[Request, Exception], Awaitable[Response]]
    ) -> None:
        self.app, self.limits, self.hosts, self.refuse = app, limits, hosts, refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request, guarded = Request(scope), self._dressed(scope, send)
        try:
            self._check(request)
        except Refused as refusal:
            metrics.refused(refusal.code)
            await refusal.answer()(scope, receive, guarded)
            return
        try:
            await self.limits.check("request", address=address_of(request))
            with self.limits.request(address_of(request)):
                await self.app(scope, self._limited(receive), guarded)
        except Refused as refusal:
            await (await self.refuse(request, refusal))(scope, receive, guarded)

    def _check(self, request: Request) -> None:
        headers = request.headers
        if not host_allowed(headers, self.hosts):
            raise Refused("wrong-host", "Unknown host name. Start the server with `--name` to allow it.", 421)
        if request.method not in ("GET", "HEAD", "OPTIONS"):
            if not same_origin(headers):
                raise Refused("wrong-origin", "This request came from another site, so it was blocked.", 403)
            size = headers.get("content-length", "0")
            if not size.isdigit() or int(size) > LARGEST_BODY:
                raise _too_large()

    @staticmethod
    def _limited(receive: Receive) -> Receive:
        """Cut off a body that exceeds the limit, whatever its header said."""
        taken = 0

        async def limited() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > LARGEST_BODY:
                raise _too_large()
            return message

        return limited

    @staticmethod
    def _dressed(scope: Scope, send: Send) -> Send:
        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers, path = MutableHeaders(scope=message), scope["path"]
                if path.startswith("/static/") and message["status"] == 200:  # the other headers are about documents
                    headers.update({name: HEADERS[name] for name in ("X-Content-Type-Options", "Cross-Origin-Resource-Policy")})
                    await send(message)
                    return
                headers.setdefault("Content-Security-Policy", POLICY)
                framed = "frame-ancestors 'none'" not in headers["Content-Security-Policy"]  # older headers know no list of sites
                for name, value in HEADERS.items():
                    if not (framed and name == "X-Frame-Options"):
                        headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-cache" if path.startswith("/pictures/") else "no-store")
            await send(message)

        return dressed


def _too_large() -> Refused:
    return Refused("too-large", f"This request is too large. The limit is {LARGEST_BODY} bytes.", 413)


def set_cookie(response: Any, signed: str, secure: bool) -> None:
    response.set_cookie(COOKIE, signed, max_age=GOOD_FOR, httponly=True, samesite="lax", secure=secure, path="/")

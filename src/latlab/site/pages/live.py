# SPDX-License-Identifier: BSD-3-Clause
"""The pages of a site as they are at the moment, for a browser on the same machine. Read-only: nothing that is asked changes anything.

A page asks once a second whether what it is made of has changed and is loaded again if so.
"""

from __future__ import annotations

import asyncio
import hashlib
import socket
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING

from latlab.core.errors import UsageError, needs_packages
from latlab.core.report.renderers.html import with_policy
from latlab.site.pages.site_pages import SiteFile, SitePage

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response
    from uvicorn import Server

FIRST = "index.html"
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
MOST_KEPT = 64
MOST_CONNECTIONS = 100
REQUEST_S = 5
"""How long a new connection may take until it has asked something."""
HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer"}
HEADERS |= {"Content-Security-Policy": "frame-ancestors 'none'; object-src 'none'; base-uri 'none'"}
FOLLOW = """<script>
(() => {
  let known = null;
  const look = async () => {
    const answer = await fetch("/state" + location.pathname).catch(() => null);
    const now = answer && answer.ok ? await answer.text() : null;
    if (now !== null && known !== null && now !== known) location.reload();
    known = now ?? known;
  };
  setInterval(look, 1000);
  look();
})();
</script>
"""


class Live:
    """`pages` are all pages as they are now, by path; one that is made of the same as before is not made again."""

    def __init__(self, pages: Callable[[], Mapping[str, SitePage | SiteFile]]) -> None:
        self._pages = pages
        self._kept: dict[str, tuple[str, str]] = {}
        self._digests: dict[str, tuple[SitePage | SiteFile, str]] = {}
        self._making = Lock()

    def state(self, path: str) -> str | None:
        """Another text whenever the page would be another one; None where there is none."""
        site_page = self._pages().get(path)
        return self._digest(site_page) if site_page else None

    def document(self, path: str) -> str | None:
        """None where there is no such page. While one thread makes it, others have it as it was: it follows by itself."""
        site_page = self._pages().get(path)
        if site_page is None:
            return None
        state = self._digest(site_page)
        kept_state, text = self._kept.get(path, ("", ""))
        if kept_state == state or not self._making.acquire(blocking=not text):
            return text
        try:
            return self._made(path, state, site_page)
        finally:
            self._making.release()

    def _made(self, path: str, state: str, site_page: SitePage | SiteFile) -> str:
        kept_state, text = self._kept.get(path, ("", ""))
        if kept_state != state:
            text = with_policy(site_page.text().replace("</body>", f"{FOLLOW}</body>"))
            self._keep(path, (state, text))
        return text

    def _digest(self, page: SitePage | SiteFile) -> str:
        """Once for each page as it is made: what it is made of is long for a page that lists a store."""
        known_page, digest = self._digests.get(page.path, (None, ""))
        if known_page is not page:
            digest = hashlib.sha256(f"{page.path} {page.made_of}".encode()).hexdigest()[:16]
            self._digests[page.path] = page, digest
        return digest

    def _keep(self, path: str, entry: tuple[str, str]) -> None:
        self._kept.pop(path, None)
        self._kept[path] = entry
        if len(self._kept) > MOST_KEPT:
            del self._kept[next(iter(self._kept))]


def application(live: Live, names: Sequence[str]) -> Starlette:
    """`names` are the hosts by which it may be asked: a page of somebody else's, under a name of theirs, is told nothing."""
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.middleware.trustedhost import TrustedHostMiddleware
    from starlette.responses import PlainTextResponse, Response
    from starlette.routing import Route

    def page(request: Request) -> Response:
        path = request.path_params["path"] or FIRST
        text = live.document(path)
        if text is None:
            return PlainTextResponse(f"/{path}: no such page; / has all of them\n", 404, HEADERS)
        return Response(text, media_type="application/atom+xml" if path.endswith(".xml") else "text/html", headers=HEADERS)

    def state(request: Request) -> Response:
        page_state = live.state(request.path_params["path"] or FIRST)
        return PlainTextResponse(page_state or "", 200 if page_state else 404, HEADERS)

    routes = [Route("/state/{path:path}", state), Route("/{path:path}", page)]
    return Starlette(routes=routes, middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=list(names), www_redirect=False)])


def bound(address: str, port: int) -> socket.socket:
    """A socket that refuses who connects, until it listens. Port 0 is any that is free. Raises UsageError where it is taken, or where the
    address is none of this machine."""
    unbound = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
    unbound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        unbound.bind((address, port))
    except OSError as error:
        unbound.close()
        raise _unserved(address, port, error) from None
    return unbound


def listen(at: socket.socket) -> None:
    """Raises UsageError where another process has begun to listen there since."""
    try:
        at.listen()
    except OSError as error:
        address, port, *_ = at.getsockname()
        raise _unserved(address, port, error) from None


def _unserved(address: str, port: int, error: OSError) -> UsageError:
    return UsageError(f"{address} port {port} cannot be served: {error.strerror or error}", "use another --listen or --port")


def server(live: Live, names: Sequence[str]) -> Server:
    """What answers when it is run. Raises UsageError without its packages."""
    try:
        import uvicorn

        app, protocol = application(live, names), _limited_protocol()
    except ModuleNotFoundError:
        raise needs_packages("serve", "starlette", "uvicorn") from None
    return uvicorn.Server(uvicorn.Config(app, http=protocol, log_level="warning", server_header=False, lifespan="off"))


def _limited_protocol() -> type[asyncio.Protocol]:
    """HTTP with a limit of connections, each of which has to ask soon: who opens many and asks nothing takes none from others for long."""
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Limited(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            if len(self.connections) > MOST_CONNECTIONS:
                transport.close()
            else:
                self.loop.call_later(REQUEST_S, self._end_unless_asked)

        def _end_unless_asked(self) -> None:
            if self.cycle is None and not self.transport.is_closing():
                self.transport.close()

    return Limited

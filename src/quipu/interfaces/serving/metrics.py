"""Counters of requests, their outcome and duration, for Prometheus."""

from __future__ import annotations

from time import perf_counter
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SECONDS: Final = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 60.0)
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class Metrics:
    """The counters of one application; nothing in them says who asked what."""

    content_type: Final = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.requests = Counter(
            "quipu_requests", "Requests answered.", ["method", "route", "status"], registry=self._registry
        )
        self.seconds = Histogram(
            "quipu_request_seconds", "Seconds to the end of the answer.", ["route"], buckets=_SECONDS,
            registry=self._registry,
        )  # fmt: skip
        self.reads = Counter(
            "quipu_reads", "Reads of a space, where standbys are read.", ["place"], registry=self._registry
        )
        self.now = Gauge("quipu_requests_now", "Requests in hand.", registry=self._registry)

    def text(self) -> bytes:
        """Return the text that Prometheus reads."""
        return generate_latest(self._registry)


class RequestCounter:
    """Counts every request around an application."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 0  # what nobody was left to hear
        begun = perf_counter()

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        self._metrics.now.inc()
        try:
            await self._app(scope, receive, sending)
        finally:
            self._metrics.now.dec()
            method = scope["method"] if scope["method"] in _METHODS else "other"
            route = _route(scope)
            self._metrics.requests.labels(method, route, status).inc()
            self._metrics.seconds.labels(route).observe(perf_counter() - begun)


def _route(scope: Scope) -> str:
    """Return the pattern of the route, never the path: it may hold names, and there is no end of paths."""
    path: object = getattr(scope.get("route"), "path", None)
    if not isinstance(path, str):
        return "other"
    return f"/v1{path}" if scope["path"].startswith("/v1/") and not path.startswith("/v1/") else path

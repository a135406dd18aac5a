"""Counters of requests and jobs, their outcome and duration, for Prometheus."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Any, Final, cast

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, multiprocess
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SECONDS: Final = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 60.0)
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_MOUNTED: Final = ("/mcp", "/compat")  # applications of their own, with routes of theirs


class Metrics:
    """The counters of one application; nothing in them says who asked what.

    With a ``directory`` they are those of all processes that were started with the variable
    PROMETHEUS_MULTIPROC_DIR, which names it.
    """

    content_type: Final = CONTENT_TYPE_LATEST

    def __init__(self, directory: Path | None = None) -> None:
        self._directory = directory
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
        self.now = Gauge(
            "quipu_requests_now", "Requests in hand.", registry=self._registry, multiprocess_mode="livesum"
        )
        self.jobs = Counter(
            "quipu_jobs", "Jobs of the worker beside the server.", ["topic", "outcome"],
            registry=self._registry,
        )  # fmt: skip

    def text(self) -> bytes:
        """Return the text that Prometheus reads."""
        if self._directory is None:
            return generate_latest(self._registry)
        everybody = CollectorRegistry()
        cast(Any, multiprocess).MultiProcessCollector(everybody, path=str(self._directory))
        return generate_latest(everybody)


def drop_gauges(directory: Path, pid: int) -> None:
    """Take a process that has ended out of what is counted now; what it counted stays."""
    cast(Any, multiprocess).mark_process_dead(pid, str(directory))


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
            method = method_of(scope)
            route = route_of(scope)
            self._metrics.requests.labels(method, route, status).inc()
            self._metrics.seconds.labels(route).observe(perf_counter() - begun)


def method_of(scope: Scope) -> str:
    """Return the method of a request, ``other`` where it is none that is known: anybody may make some up."""
    return scope["method"] if scope["method"] in _METHODS else "other"


def route_of(scope: Scope) -> str:
    """Return the pattern of the route, never the path: it may hold names, and there is no end of paths."""
    path: object = getattr(scope.get("route"), "path", None)
    if not isinstance(path, str):
        return next((one for one in _MOUNTED if f"{scope['path']}/".startswith(f"{one}/")), "other")
    return f"/v1{path}" if scope["path"].startswith("/v1/") and not path.startswith("/v1/") else path

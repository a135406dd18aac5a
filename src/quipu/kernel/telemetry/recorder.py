"""Recording by the SDK of OpenTelemetry, and sending by OTLP over HTTP."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from contextvars import Token
from functools import partial
from threading import Event, Thread
from time import perf_counter
from typing import Any, Final, Self

from opentelemetry import context, metrics, trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from requests import PreparedRequest, RequestException, Response, Session

from quipu.errors import ConfigError
from quipu.kernel.telemetry.groups import TOKENS, Attributes, Group

_NAME: Final = "quipu"
_SECONDS: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 60.0)
_CLOSE_SECONDS: Final = 2.0
_W3C: Final = TraceContextTextMapPropagator()
_KINDS: Final = {
    "internal": SpanKind.INTERNAL,
    "server": SpanKind.SERVER,
    "consumer": SpanKind.CONSUMER,
    "client": SpanKind.CLIENT,
}


class Recorder:
    """Records spans and their durations with the providers of the program, if it has set some, or its own.

    Its own are not set as those of the program: what other libraries record is not sent.
    """

    def __init__(self) -> None:
        self._ours: _Providers | None = None
        tracers, meters = trace.get_tracer_provider(), metrics.get_meter_provider()
        if not isinstance(tracers, TracerProvider) and not isinstance(meters, MeterProvider):
            self._ours = _Providers()
            tracers, meters = self._ours.tracers, self._ours.meters
        self.tracer = tracers.get_tracer(_NAME)
        self._meter = meters.get_meter(_NAME)
        self.tokens = self._meter.create_counter(TOKENS, "{token}", "Tokens that models used.")
        self._histograms: dict[str, metrics.Histogram] = {}

    def span(
        self, group: Group, name: str, attributes: Attributes, *, headers: Mapping[str, str] | None = None
    ) -> RecordedSpan:
        """Return a span that is not begun yet."""
        # Not ``tracestate`` and ``baggage``: these are free text of whoever asks.
        header = "" if headers is None else headers.get("traceparent", "")
        parent = _W3C.extract({"traceparent": header}) if header else None
        return RecordedSpan(self, group, name, attributes, parent)

    def note(self, attributes: Attributes) -> None:
        """Add attributes to the current span."""
        trace.get_current_span().set_attributes(attributes)

    def histogram(self, group: Group) -> metrics.Histogram:
        """Return the histogram of a group, made at its first span."""
        if group.histogram not in self._histograms:
            self._histograms[group.histogram] = self._meter.create_histogram(
                group.histogram, "s", explicit_bucket_boundaries_advisory=_SECONDS
            )
        return self._histograms[group.histogram]

    def close(self) -> None:
        """Send what waits, for two seconds at most, where the providers are not the program's."""
        if self._ours is not None:
            self._ours.close()


class RecordedSpan:
    """A span that is recorded: entered, or only begun; its exit ends it."""

    def __init__(
        self, recorder: Recorder, group: Group, name: str, attributes: Attributes, parent: Context | None
    ) -> None:
        self._recorder = recorder
        self._group = group
        self._name = name
        self._attributes = dict(attributes)
        self._parent = parent
        self._span = trace.INVALID_SPAN
        self._entered: Token[Context] | None = None
        self._begun = 0.0

    def begin(self) -> Self:
        """Begin it, unless it is to be within another and there is none."""
        if not self._group.inner or trace.get_current_span(self._parent).is_recording():
            self._span = self._recorder.tracer.start_span(
                self._name, self._parent, _KINDS[self._group.kind], self._attributes
            )
            self._begun = perf_counter()
        return self

    def __enter__(self) -> Self:
        self.begin()
        if self._begun:
            self._entered = context.attach(trace.set_span_in_context(self._span, self._parent))
        return self

    def __exit__(self, kind: object, error: BaseException | None, where: object) -> None:
        if self._entered is not None:
            context.detach(self._entered)
        if self._begun:
            self._end(error)

    def note(self, attributes: Attributes, *, name: str | None = None) -> None:
        """Add attributes; ``name`` renames it."""
        self._attributes |= attributes
        self._span.set_attributes(attributes)
        if name is not None:
            self._span.update_name(name)

    def fail(self, kind: str) -> None:
        """Mark it as failed by the class of an error: its message may hold words of people."""
        self.note({"error.type": kind})
        self._span.set_status(Status(StatusCode.ERROR))

    def _end(self, error: BaseException | None) -> None:
        if error is not None:
            self.fail(type(error).__name__)
        self._span.end()
        kept = {name: self._attributes[name] for name in self._group.kept if name in self._attributes}
        if "error.type" in self._attributes:
            kept["error.type"] = self._attributes["error.type"]
        self._recorder.histogram(self._group).record(perf_counter() - self._begun, kept)
        if isinstance(used := self._attributes.get(TOKENS), int):
            self._recorder.tokens.add(used, kept)


class _Providers:
    """Providers that send to where ``OTEL_EXPORTER_OTLP_*`` say; where nobody answers, nobody is told.

    What could not be sent is dropped: telling of it would be an error in a place that asked for no
    telemetry, such as the answer of a command.
    """

    def __init__(self) -> None:
        resource = _resource()
        self._line = _Line()
        self._give_up: list[Callable[[], object]] = []
        self._is_sent = False
        self.tracers = TracerProvider(resource=resource, shutdown_on_exit=False)
        if _is_wanted("OTEL_TRACES_EXPORTER"):
            spans = OTLPSpanExporter(session=self._line)
            self.tracers.add_span_processor(BatchSpanProcessor(spans))
            self._give_up.append(spans.shutdown)
        readers: list[PeriodicExportingMetricReader] = []
        if _is_wanted("OTEL_METRICS_EXPORTER"):
            measured = OTLPMetricExporter(session=self._line)
            readers.append(PeriodicExportingMetricReader(measured))
            self._give_up.append(partial(measured.shutdown, 0))  # pyright: ignore[reportUnknownMemberType]
        self.meters = MeterProvider(readers, resource, shutdown_on_exit=False)
        self._log = logging.getLogger("opentelemetry")
        self._level = self._log.level
        self._log.setLevel(logging.CRITICAL + 1)

    def close(self) -> None:
        """Send what waits; it is given up where nobody answers, and after two seconds."""
        self._line.over.clear()
        Thread(target=self._send_the_rest, daemon=True).start()
        self._line.over.wait(_CLOSE_SECONDS)
        if not self._is_sent:
            for give_up in self._give_up:
                give_up()

    def _send_the_rest(self) -> None:
        self.tracers.shutdown()
        self.meters.shutdown()
        self._is_sent = True
        self._log.setLevel(self._level)
        self._line.over.set()


class _Line(Session):
    """The connections to a collector. ``over``: two calls in a row reached nobody, or all was sent."""

    def __init__(self) -> None:
        super().__init__()
        self.over = Event()
        self._failures = 0

    def send(self, request: PreparedRequest, **options: Any) -> Response:
        """Send one request."""
        try:
            answer = super().send(request, **options)
        except RequestException:
            self._failures += 1
            if self._failures > 1:
                self.over.set()
            raise
        self._failures = 0
        return answer


def _resource() -> Resource:
    """Return the description of this process without its arguments: they may be the words of a memory."""
    known = Resource.create({} if "OTEL_SERVICE_NAME" in os.environ else {"service.name": _NAME})
    return Resource({k: v for k, v in known.attributes.items() if not k.startswith("process.command")})


def _is_wanted(variable: str) -> bool:
    """Return True unless the variable says ``none``.

    Raises:
        ConfigError: it names an exporter that is not here.
    """
    named = os.environ.get(variable, "").strip() or "otlp"
    if named not in ("otlp", "none"):
        raise ConfigError(f"{variable} can be otlp or none.", hint="Telemetry is sent by OTLP over HTTP.")
    return named == "otlp"

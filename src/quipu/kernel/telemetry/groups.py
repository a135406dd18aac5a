"""The sorts of spans: what is measured of each, beside the span itself. Names are those of OpenTelemetry.

No attribute may be a text, a question, an argument, the name of a space or the id of a person.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

Attributes = Mapping[str, str | bool | int | float]


@dataclass(frozen=True, slots=True)
class Group:
    """Spans of one sort: the histogram of their seconds, and the attributes that stay in it.

    An ``inner`` span is recorded within another one only: what a loop asks while it waits for work is not.
    """

    histogram: str
    kept: tuple[str, ...]
    kind: Literal["internal", "server", "consumer", "client"] = "internal"
    inner: bool = False


REQUEST: Final = Group(
    "http.server.request.duration",
    ("http.request.method", "http.route", "http.response.status_code"),
    "server",
)
TOOL: Final = Group("mcp.server.operation.duration", ("gen_ai.tool.name",), "server")
COMMAND: Final = Group("quipu.command.duration", ("quipu.command",))
STAGE: Final = Group("quipu.stage.duration", ("quipu.stage",))
JOB: Final = Group("quipu.job.duration", ("quipu.topic", "quipu.outcome"), "consumer")
STATEMENT: Final = Group("db.client.operation.duration", ("db.query.summary",), "client", inner=True)
MODEL: Final = Group(
    "gen_ai.client.operation.duration", ("gen_ai.operation.name", "gen_ai.request.model"), "client"
)

TOKENS: Final = "quipu.tokens"
"""Attribute of a span of ``MODEL``: the tokens that it used. A counter of this name adds them up."""

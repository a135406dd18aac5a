"""The keys that every program knows, and the shapes of their values."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidatorFunctionWrapHandler,
    WithJsonSchema,
    WrapValidator,
)

from quipu.kinds.ledger.model import Namespace, Scope


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class BaselineScope(_Shape):
    """``baseline.scope``: all locations, or the one of that label."""

    value: Literal["all", "single"]
    locationLabel: Annotated[str, Field(min_length=1)] | None = None


class BaselineCount(_Shape):
    """``baseline.foh.{locationLabel}.{daypart}``: how many people work at the front of the house."""

    value: Annotated[int, Field(ge=0)]


class Location(BaseModel):
    """A place that was confirmed; whatever else is known of it may stand beside its label."""

    model_config = ConfigDict(extra="allow", strict=True)

    label: Annotated[str, Field(min_length=1)]


def _label_or_location(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    return value if isinstance(value, str) and value else handler(value)


_LABEL: Final = {"type": "string", "minLength": 1}
_LABEL_OR_LOCATION: Final = {
    "anyOf": [_LABEL, {"type": "object", "properties": {"label": _LABEL}, "required": ["label"]}]
}


class ConfirmedLocations(_Shape):
    """``locations.confirmed``: labels, or objects with a label."""

    items: list[Annotated[Location, WrapValidator(_label_or_location), WithJsonSchema(_LABEL_OR_LOCATION)]]


class AssumptionPayload(BaseModel):
    """``assumption.last``: what is assumed; further fields are free."""

    model_config = ConfigDict(extra="allow", strict=True)

    type: Literal["baseline_scope", "baseline_value", "location_mapping", "time_window"] | None = None
    key: str | None = None
    assumption: str | None = None


class ResponseDepth(_Shape):
    """``ui.response_depth``."""

    value: Literal["balanced", "verbose"]


class DefaultScope(_Shape):
    """``baseline.default_scope``."""

    value: Literal["all", "single"]


class DefaultCard(_Shape):
    """``workflow.default_card``."""

    value: Literal["staffing", "risk", "opportunity"]


CANONICAL: Final[tuple[tuple[str, type[BaseModel], Namespace, Scope], ...]] = (
    ("baseline.scope", BaselineScope, "baseline", "session"),
    ("baseline.foh.{locationLabel}.{daypart}", BaselineCount, "baseline", "session"),
    ("locations.confirmed", ConfirmedLocations, "location", "session"),
    ("assumption.last", AssumptionPayload, "system", "session"),
    ("ui.response_depth", ResponseDepth, "preference", "cross_session"),
    ("baseline.default_scope", DefaultScope, "baseline", "cross_session"),
    ("workflow.default_card", DefaultCard, "preference", "cross_session"),
)
"""Pattern, shape, namespace and scope of each."""

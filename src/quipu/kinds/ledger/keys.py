"""Which keys there are, and what shape their values have."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, cast

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PydanticUserError,
    TypeAdapter,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from quipu.errors import BadInput
from quipu.kernel.base.scope import refuse_secret
from quipu.kinds.ledger.model import NAMESPACES, SCOPES, Namespace, Scope

LONGEST_KEY: Final = 200
_SIGNS: Final = frozenset("_.:{}/-' &")
_PLACEHOLDER = re.compile(r"\{\w+\}")
# Beginnings that belong to a namespace: an unknown key that begins so is a slip, or must be registered.
_RESERVED: Final = frozenset({*NAMESPACES, "locations", "assumption", "ui", "workflow"} - {"other"})


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


class ConfirmedLocations(_Shape):
    """``locations.confirmed``: labels, or objects with a label."""

    items: list[Annotated[Location, WrapValidator(_label_or_location)]]


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


@dataclass(frozen=True, slots=True)
class KeyRule:
    """What is settled about the keys of a pattern. ``scope`` None: decided by what the caller gives."""

    pattern: str
    shape: TypeAdapter[Any]
    namespace: Namespace
    scope: Scope | None

    def matches(self, key: str) -> bool:
        """Whether the key is of this pattern: ``{name}`` stands for anything, the last one for no dot."""
        if "{" not in self.pattern:
            return key == self.pattern
        fixed = _PLACEHOLDER.split(self.pattern)
        between = [".+"] * (len(fixed) - 2) + [r"[^.]+"]
        regex = "".join(re.escape(text) + gap for text, gap in zip(fixed, [*between, ""], strict=True))
        return re.fullmatch(regex, key) is not None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a key belongs; ``rule`` is None for keys that nobody registered."""

    key: str
    namespace: Namespace
    rule: KeyRule | None


def _canonical() -> tuple[KeyRule, ...]:
    return (
        KeyRule("baseline.scope", TypeAdapter(BaselineScope), "baseline", "session"),
        KeyRule("baseline.foh.{locationLabel}.{daypart}", TypeAdapter(BaselineCount), "baseline", "session"),
        KeyRule("locations.confirmed", TypeAdapter(ConfirmedLocations), "location", "session"),
        KeyRule("assumption.last", TypeAdapter(AssumptionPayload), "system", "session"),
        KeyRule("ui.response_depth", TypeAdapter(ResponseDepth), "preference", "cross_session"),
        KeyRule("baseline.default_scope", TypeAdapter(DefaultScope), "baseline", "cross_session"),
        KeyRule("workflow.default_card", TypeAdapter(DefaultCard), "preference", "cross_session"),
    )


class Keys:
    """The keys that one ledger knows: the canonical ones, and those that were registered."""

    def __init__(self) -> None:
        self._rules = list(_canonical())

    def register(
        self, pattern: str, shape: object, *, namespace: Namespace = "other", scope: Scope | None = None
    ) -> None:
        """Make keys of ``pattern`` known; ``shape`` is a model, a type or an adapter of pydantic.

        Raises:
            BadInput: the pattern cannot be a key or is known already, or the namespace or scope is none.
        """
        pattern = checked_key(pattern)
        if any(rule.pattern == pattern for rule in self._rules):
            raise BadInput(f"{pattern!r} is registered already.", field="pattern")
        if namespace not in NAMESPACES:
            raise BadInput(f"{namespace!r} is none of {', '.join(NAMESPACES)}.", field="namespace")
        if scope is not None and scope not in SCOPES:
            raise BadInput(f"{scope!r} is none of {', '.join(SCOPES)}.", field="scope")
        self._rules.append(KeyRule(pattern, _adapter(shape), namespace, scope))

    def place(self, key: object, *, namespace: str | None = None, seen: KeyRule | None = None) -> Place:
        """Where a key belongs; ``seen`` is what its events tell, for a key that only others registered.

        Raises:
            BadInput: it is no key, or nobody registered it in that namespace.
        """
        key = checked_key(key)
        if namespace is not None and namespace not in NAMESPACES:
            raise BadInput(f"{namespace!r} is none of {', '.join(NAMESPACES)}.", field="namespace")
        rule = self._rule(key) or seen
        if rule is not None:
            if namespace not in (None, rule.namespace):
                raise BadInput(f"{key!r} belongs to the namespace {rule.namespace!r}.", field="namespace")
            return Place(key, rule.namespace, rule)
        if namespace not in (None, "other") or _reserved(key):
            raise BadInput(
                f"{key!r} is not registered, and such keys are allowed in the namespace 'other' only.",
                field="key",
                hint="Register it with its shape in this program (ledger.register), or choose another name.",
            )
        return Place(key, "other", None)

    def strange(self, key: object) -> bool:
        """Whether a key must be registered, and nobody did so here."""
        key = checked_key(key)
        return _reserved(key) and self._rule(key) is None

    def _rule(self, key: str) -> KeyRule | None:
        found = [rule for rule in self._rules if rule.matches(key)]
        return min(found, key=lambda rule: rule.pattern.count("{"), default=None)


def _reserved(key: str) -> bool:
    return re.split(r"[.:/ ]", key)[0] in _RESERVED


def checked_key(key: object) -> str:
    """The key in composed form (NFC).

    Raises:
        BadInput: it is no text of 1 to 200 letters, digits, spaces and ``_ . : { } / - ' &``.
    """
    if not isinstance(key, str) or not key.strip():
        raise BadInput("a key is needed.", field="key", hint="For example 'baseline.scope'.")
    key = unicodedata.normalize("NFC", key)
    if len(key) > LONGEST_KEY:
        raise BadInput(f"it has {len(key):,} characters; {LONGEST_KEY} are the most.", field="key")
    if key != key.strip() or not all(c in _SIGNS or unicodedata.category(c)[0] in "LMN" for c in key):
        raise BadInput(
            "a key is made of letters, digits, spaces inside and the signs _ . : { } / - ' &.", field="key"
        )
    refuse_secret("key", key)
    return key


def _adapter(shape: Any) -> TypeAdapter[Any]:
    if isinstance(shape, TypeAdapter):
        return cast("TypeAdapter[Any]", shape)
    try:
        return TypeAdapter(shape)
    except PydanticUserError as error:
        hint = "Give a pydantic model, a type such as list[str], or a TypeAdapter."
        raise BadInput("it is no shape that can be checked.", field="shape", hint=hint) from error


def check_shape(rule: KeyRule, value: object) -> None:
    """Nothing, where ``value`` has the shape of the rule.

    Raises:
        BadInput: its field is the path of the fault, such as ``value.items.0.label``.
    """
    try:
        rule.shape.validate_python(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        path = ".".join(["value", *map(str, first["loc"])])
        raise BadInput(f"{first['msg']}.", field=path, hint=f"See the shape of {rule.pattern!r}.") from error

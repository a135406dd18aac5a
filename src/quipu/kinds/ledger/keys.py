"""Keys of the ledger, and the shapes of their values."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache, lru_cache
from typing import Final

from pydantic import TypeAdapter

from quipu.errors import BadInput, Conflict
from quipu.kernel.base.scope import one_of, refuse_secret
from quipu.kinds.ledger.canonical import CANONICAL
from quipu.kinds.ledger.model import NAMESPACES, SCOPES, Namespace, RegisteredKey, Scope
from quipu.kinds.ledger.shapes import TypedShape, ValueShape, covers, shape_of

LONGEST_KEY: Final = 200
_SIGNS: Final = frozenset("_.:{}/-' &")
_PLACEHOLDER = re.compile(r"\{\w+\}")
# Beginnings that belong to a namespace: an unknown key that begins so is a slip, or must be registered.
_RESERVED: Final = frozenset({*NAMESPACES, "locations", "assumption", "ui", "workflow"} - {"other"})
_MOST_SPACES: Final = 1_000
_LONGEST_SHOWN: Final = 500


@dataclass(frozen=True, slots=True)
class KeyRule:
    """Rule for the keys of a pattern. With ``scope`` None, the caller's arguments decide.

    ``registered_at`` is when the database got it; None if it was not read from there. ``replace``: it takes
    the place of an existing one.
    """

    pattern: str
    shape: ValueShape
    namespace: Namespace
    scope: Scope | None
    registered_at: datetime | None = None
    replace: bool = False

    def matches(self, key: str) -> bool:
        """Return True if the key fits: ``{name}`` stands for anything, the last one for no dot."""
        return key == self.pattern if "{" not in self.pattern else bool(_regex(self.pattern).fullmatch(key))

    @property
    def vagueness(self) -> tuple[int, int, str]:
        """Of several patterns that a key is of, the least vague one is meant, in every program."""
        return self.pattern.count("{"), -len(_PLACEHOLDER.sub("", self.pattern)), self.pattern


@lru_cache(maxsize=1_000)
def _regex(pattern: str) -> re.Pattern[str]:
    fixed = _PLACEHOLDER.split(pattern)
    between = [".+"] * (len(fixed) - 2) + [r"[^.]+"]
    return re.compile("".join(re.escape(text) + gap for text, gap in zip(fixed, [*between, ""], strict=True)))


@dataclass(frozen=True, slots=True)
class KeyPlace:
    """Place of a key; ``rule`` is None for keys that nobody registered."""

    key: str
    namespace: Namespace
    rule: KeyRule | None


@dataclass(frozen=True, slots=True)
class KnownKeys:
    """Keys of a space in the database, by pattern; ``version`` is higher after each change.

    ``settled`` are patterns that this program registered and need not write there.
    """

    version: int = 0
    rules: Mapping[str, KeyRule] = field(default_factory=dict[str, KeyRule])
    settled: frozenset[str] = frozenset()


@cache
def _canonical() -> dict[str, KeyRule]:
    return {
        pattern: KeyRule(pattern, TypedShape(TypeAdapter(shape)), namespace, scope)
        for pattern, shape, namespace, scope in CANONICAL
    }


class Keys:
    """The keys that one ledger knows: the canonical ones, those registered in it, and those of each space."""

    def __init__(self) -> None:
        self._rules = dict(_canonical())
        self._known: dict[str, KnownKeys] = {}

    def register(
        self,
        pattern: str,
        shape: object,
        *,
        namespace: Namespace = "other",
        scope: Scope | None = None,
        replace: bool = False,
    ) -> None:
        """Make keys of ``pattern`` known; ``shape`` is a model, a type or an adapter of pydantic.

        Raises:
            BadInput: the pattern cannot be a key or is known already, or the namespace or scope is none, or
                JSON Schema cannot say the shape.
        """
        pattern = checked_key(pattern)
        if pattern in self._rules:
            raise BadInput(f"{pattern!r} is registered already.", field="pattern")
        one_of("namespace", namespace, NAMESPACES)
        if scope is not None:
            one_of("scope", scope, SCOPES)
        self._rules[pattern] = KeyRule(pattern, shape_of(shape), namespace, scope, replace=replace)

    def known(self, space: str) -> KnownKeys:
        """Return the keys that the database was last seen to have for a space."""
        return self._known.get(space) or KnownKeys()

    def learn(self, space: str, keys: KnownKeys) -> KnownKeys:
        """Remember what the database holds of a space."""
        if keys.version == self.known(space).version:
            return self.known(space)
        self._known.pop(space, None)
        if keys.version:
            self._known[space] = keys
        if len(self._known) > _MOST_SPACES:
            del self._known[next(iter(self._known))]
        return keys

    def place(
        self,
        key: object,
        *,
        namespace: str | None = None,
        known: KnownKeys | None = None,
        seen: KeyRule | None = None,
        ends: bool = False,
    ) -> KeyPlace:
        """Return the place of a key, in a space with the ``known`` keys.

        ``seen`` is what its events tell, for a key that is registered nowhere. With ``ends`` it may be in
        'other' too, where it was before somebody registered it.

        Raises:
            BadInput: it is no key, or nobody registered it in that namespace.
        """
        key = checked_key(key)
        if namespace is not None:
            one_of("namespace", namespace, NAMESPACES)
        rule = self._rule(key, known or KnownKeys()) or seen
        if rule is not None:
            if ends and namespace == "other" != rule.namespace and not _reserved(key):
                return KeyPlace(key, "other", None)
            if namespace not in (None, rule.namespace):
                raise BadInput(f"{key!r} belongs to the namespace {rule.namespace!r}.", field="namespace")
            return KeyPlace(key, rule.namespace, rule)
        if namespace not in (None, "other") or _reserved(key):
            raise BadInput(
                f"{key!r} is not registered, and such keys are allowed in the namespace 'other' only.",
                field="key",
                hint="Have a program register it with its shape (ledger.register) and set it in this space;"
                " or choose another name.",
            )
        return KeyPlace(key, "other", None)

    def strange(self, key: object, known: KnownKeys) -> bool:
        """Return True if a key must be registered, and as far as is known nobody did."""
        key = checked_key(key)
        return _reserved(key) and self._rule(key, known) is None

    def due(self, rule: KeyRule | None, space: str, known: KnownKeys) -> KeyRule | None:
        """Return the rule if this program registered it and the database must have it before a value.

        Of two shapes the database has the one that takes more.

        Raises:
            Conflict: another program registered the key, and neither shape takes what the other takes.
        """
        if rule is None or rule.pattern in known.settled or rule.pattern in _canonical():
            return None
        there = known.rules.get(rule.pattern)
        if there is None or rule is there:
            return rule if there is None else None
        alike = (rule.namespace, rule.scope) == (there.namespace, there.scope)
        more = alike and covers(rule.shape.schema, there.shape.schema)
        if alike and (more or not rule.replace) and covers(there.shape.schema, rule.shape.schema):
            self._known[space] = replace(known, settled=known.settled | {rule.pattern})
            return None
        if more or rule.replace:
            return rule
        raise Conflict(
            f"another program registered {rule.pattern!r} otherwise in the space {space!r}: there it is"
            f" {_told(there)}; here {_told(rule)}.",
            field="key",
            hint="Register it as it is there or under another name; or have it replace the other.",
        )

    def kept(self, rule: KeyRule, space: str, known: KnownKeys, version: int) -> None:
        """Note that the database has a rule now, as that version."""
        rules = {**known.rules, rule.pattern: rule}
        self.learn(space, KnownKeys(version, rules, known.settled))

    def listed(self, known: KnownKeys) -> list[RegisteredKey]:
        """Return all keys, by pattern; the database's rule comes before the program's."""
        rules = {**self._rules, **{p: rule for p, rule in known.rules.items() if p not in _canonical()}}
        return [
            RegisteredKey(
                pattern=pattern,
                namespace=rule.namespace,
                scope=rule.scope,
                shape=rule.shape.schema,
                registered_at=rule.registered_at,
            )
            for pattern, rule in sorted(rules.items())
        ]

    def _rule(self, key: str, known: KnownKeys) -> KeyRule | None:
        rules = {**known.rules, **self._rules}.values()
        return min((rule for rule in rules if rule.matches(key)), key=lambda r: r.vagueness, default=None)


def _told(rule: KeyRule) -> str:
    shape = json.dumps(rule.shape.schema, ensure_ascii=False)
    shown = shape if len(shape) <= _LONGEST_SHOWN else shape[:_LONGEST_SHOWN] + "…"
    return f"of {rule.scope or 'session or person'}, in {rule.namespace!r}, {shown}"


def _reserved(key: str) -> bool:
    return re.split(r"[.:/ ]", key)[0] in _RESERVED


def checked_key(key: object) -> str:
    """Return the key in composed form (NFC).

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


def check_shape(rule: KeyRule, value: object) -> None:
    """Raise unless ``value`` has the shape of the rule.

    Raises:
        BadInput: its field is the path of the fault, such as ``value.items.0.label``.
    """
    fault = rule.shape.fault(value)
    if fault is not None:
        raise BadInput(fault.message, field=fault.field, hint=f"See the shape of {rule.pattern!r}.")

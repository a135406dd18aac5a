"""Merging of a session's findings into the existing lessons. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias
from uuid import UUID

import numpy as np

from quipu.kernel.embedding.embedder import Vectors
from quipu.kinds.transcripts.extract.model import Finding
from quipu.kinds.transcripts.extract.sameness import SAME, contradicts, normal_hash

Form: TypeAlias = tuple[bytes, str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownLesson:
    """A memory that is there. ``forms``: what it says now and said before each edit, as hash and category."""

    id: UUID
    fact: str
    category: str | None
    forms: frozenset[Form]
    archived: bool
    happened_at: datetime
    archived_at: datetime


@dataclass(frozen=True, slots=True)
class Merge:
    """By the place of a finding: the memory that says it already, or the first finding that does."""

    known: Mapping[int, UUID]
    fresh: Mapping[int, int]


def merge(
    findings: Sequence[Finding],
    known: Sequence[KnownLesson],
    *,
    near: Mapping[int, UUID],
    twins: Mapping[int, int],
) -> Merge:
    """Decide which findings are known already, and which of the others are one.

    The same normal form and category is the same. So is the nearest neighbour (cosine >= 0.95): ``near`` has
    the lesson next to a finding, ``twins`` the earlier finding; unless the two contradict each other, as
    "port 8080" and "port 9090", which are neighbours.
    """
    archived_first = sorted(known, key=lambda one: not one.archived)
    by_form = {form: one.id for one in archived_first for form in one.forms}
    facts = {one.id: one.fact for one in known}
    says: dict[int, UUID] = {}
    fresh: dict[int, int] = {}
    first: dict[Form, int] = {}
    for place, finding in enumerate(findings):
        form = normal_hash(finding.fact), finding.category
        neighbour, twin = near.get(place), twins.get(place)
        if form in by_form:
            says[place] = by_form[form]
        elif neighbour is not None and not contradicts(finding.fact, facts[neighbour]):
            says[place] = neighbour
        elif twin in fresh and not contradicts(finding.fact, findings[twin].fact):
            fresh[place] = fresh[twin]
        else:
            fresh[place] = first.setdefault(form, place)
    return Merge(says, fresh)


def twins(vectors: Vectors) -> dict[int, int]:
    """Return, by place, the first earlier vector next to each; vectors (n, d) of unit length."""
    alike = vectors @ vectors.T >= SAME
    return {place: int(np.argmax(row[:place])) for place, row in enumerate(alike) if row[:place].any()}


def contradicted(
    fact: str, happened_at: datetime, known: Sequence[KnownLesson]
) -> tuple[list[UUID], list[UUID]]:
    """Return active lessons that a fact contradicts: those said before it, and those said after it."""
    others = [one for one in known if not one.archived and contradicts(fact, one.fact)]
    earlier = [one.id for one in others if one.happened_at <= happened_at]
    return earlier, [one.id for one in others if one.happened_at > happened_at]


def revived(known: KnownLesson, fact: str, happened_at: datetime) -> bool:
    """Return True if an archived lesson comes back: it was said again, unchanged, after it was archived."""
    return known.archived and happened_at > known.archived_at and normal_hash(known.fact) == normal_hash(fact)

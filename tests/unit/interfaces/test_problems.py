"""Each error has an exit code, and is told to programs in one form."""

from __future__ import annotations

import inspect

import pytest

from quipu import errors
from quipu.errors import BadInput, MissingExtra, QuipuError
from quipu.interfaces.problems import exit_code, problem

CODES = {
    "QuipuError": 1,
    "ConfigError": 2,
    "BadInput": 2,
    "TooLarge": 2,
    "NotFound": 3,
    "Conflict": 4,
    "Outdated": 4,
    "DatabaseError": 5,
    "DatabaseUnavailable": 5,
    "NotReplicated": 5,
    "SpaceMoved": 5,
    "DatabaseUnsuitable": 5,
    "MigrationRefused": 5,
    "DiskFull": 5,
    "DataDamaged": 5,
    "LimitReached": 5,
    "ServerError": 5,
    "EmbeddingError": 6,
    "ModelMissing": 6,
    "MissingExtra": 7,
    "LanguageFailed": 8,
    "BudgetSpent": 8,
    "AccessRefused": 9,
    "KeyRefused": 9,
    "TooManyRequests": 1,
    "TookTooLong": 1,
}


def test_every_error_has_the_exit_code_that_is_promised() -> None:
    own = {name: found for name, found in vars(errors).items() if inspect.isclass(found)}
    assert {name: exit_code(found) for name, found in own.items() if issubclass(found, QuipuError)} == CODES


def test_a_problem_names_the_field_that_was_refused() -> None:
    found = problem(BadInput("1 to 1,000, not 0.", field="limit", hint="Ask for more."))
    assert (found.kind, found.field, found.hint) == ("bad-input", "limit", "Ask for more.")
    assert found.message == "limit: 1 to 1,000, not 0."


def test_a_problem_without_a_field_says_so() -> None:
    assert problem(MissingExtra("llm", "A remote model")).field is None


@pytest.mark.parametrize(("error", "kind"), [(QuipuError(), "quipu-error"), (errors.DiskFull(), "disk-full")])
def test_the_kind_of_a_problem_is_the_name_of_its_class(error: QuipuError, kind: str) -> None:
    assert problem(error).kind == kind

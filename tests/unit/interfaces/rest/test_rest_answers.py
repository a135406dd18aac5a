"""Answers by HTTP have every field that the values of the memory have: none is lost on the way."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from importlib import import_module
from inspect import getmembers, isclass

import pytest

from quipu.interfaces.rest.models import Answer

TOLD = "quipu.interfaces.rest"
# Where the values are that a module tells; a value that is told under another name stands beside it.
VALUES = {
    "tables": ["quipu.kinds.tables.model", "quipu.kinds.tables.recreate"],
}
OTHERWISE = {
    "ChangedRowsAnswer": "Changed",
    "StatementAnswer": "Done",
}


@pytest.mark.parametrize("name", sorted(VALUES))
def test_an_answer_has_every_field_of_its_value(name: str) -> None:
    module = import_module(f"{TOLD}.{name}")
    shapes = {
        found: one
        for found, one in getmembers(module, isclass)
        if issubclass(one, Answer) and one.__module__ == module.__name__
    }
    assert shapes
    for found, shape in shapes.items():
        value = next(
            one
            for source in VALUES[name]
            if isclass(
                one := getattr(
                    import_module(source), OTHERWISE.get(found, found.removesuffix("Answer")), None
                )
            )
            and is_dataclass(one)
        )
        told = {field.alias or key for key, field in shape.model_fields.items()}
        assert told - {"confirm"} == {field.name for field in fields(value)} - {"which"}, (
            found
        )  # of a preview

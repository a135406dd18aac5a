"""Answers that tell themselves whether they are undone come whole, with the token of their preview."""

from __future__ import annotations

from dataclasses import fields

import pytest
from fastapi.routing import APIRoute

from quipu.interfaces.rest.routes import ROUTERS
from quipu.kinds.tables.model import Changed, Done
from quipu.kinds.tables.recreate import Recreated

ANSWERS = {
    "/v1/tables/insert": Changed,
    "/v1/tables/update": Changed,
    "/v1/tables/delete": Changed,
    "/v1/tables/execute": Done,
    "/v1/tables/recreate": Recreated,
}


@pytest.mark.parametrize("path", ANSWERS)
def test_an_answer_has_every_field_of_its_value_and_a_token(path: str) -> None:
    every = (one for router in ROUTERS for one in router.routes if isinstance(one, APIRoute))
    (route,) = (one for one in every if one.path == path)
    assert set(route.response_model.model_fields) == {one.name for one in fields(ANSWERS[path])} | {"confirm"}

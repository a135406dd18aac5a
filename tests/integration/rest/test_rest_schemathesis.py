"""What schemathesis makes of the OpenAPI: nothing that it sends breaks the server or its own description."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import httpx
import hypothesis
import pytest
import schemathesis
from anyio.from_thread import BlockingPortal, start_blocking_portal
from fastapi import FastAPI
from hypothesis import HealthCheck, Phase
from long_form import sized
from route_table import OPEN, entries
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from quipu import AsyncMemory
from quipu.interfaces.server import create_app
from quipu.kernel.config import Settings

EXAMPLES = sized(1, long=40)
ROUTES = sized(40, long=1_000)
BASE = "http://localhost"
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    negative_data_rejection,
]
NOT_JSON = {
    "/v1/import",
    "/v1/snapshots/import",
}  # lines of JSON are no document; the tests of the import have their own bad input


@dataclass
class RequestBody:
    """A server in a thread of its own, and who asks it."""

    portal: BlockingPortal
    client: httpx.AsyncClient
    tokens: dict[bool, str]
    app: FastAPI

    def send(self, case: Any, *, of_space: bool) -> httpx.Response:
        """The answer to a case, asked by an administrator of the space or of all."""
        told = case.as_transport_kwargs(base_url=BASE)
        headers = {**dict(told.get("headers") or {}), "authorization": f"Bearer {self.tokens[of_space]}"}
        body = {name: told[key] for name, key in (("json", "json"), ("content", "data")) if key in told}
        request = self.client.build_request(
            told["method"], told["url"], params=told.get("params"), headers=headers, **body
        )
        return self.portal.call(self.client.send, request)


@pytest.fixture(scope="module")
def asked(server_settings: Settings, module_url: str) -> Iterator[RequestBody]:
    """A server over the database of the module."""
    with start_blocking_portal() as portal:
        memory = AsyncMemory(settings=replace(server_settings, database_url=module_url))
        with portal.wrap_async_context_manager(memory):
            app = create_app(memory=memory)
            transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
            client = httpx.AsyncClient(transport=transport)
            tokens = {True: portal.call(_token, memory, "ana"), False: portal.call(_token, memory, None)}
            yield RequestBody(portal, client, tokens, app)
            portal.call(client.aclose)


async def _token(memory: AsyncMemory, space: str | None) -> str:
    most = 1_000_000
    issued = await memory.keys.create("thesis", space=space, level="admin", requests_per_minute=most)
    return issued.token


def document(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI without what the tests of access and of repeated requests are about."""
    found = copy.deepcopy(app.openapi())
    for path in OPEN | NOT_JSON:
        found["paths"].pop(path, None)
    for operation in (one for methods in found["paths"].values() for one in methods.values()):
        operation.pop("security", None)
        given = operation.get("parameters", [])
        operation["parameters"] = [one for one in given if one["name"] not in {"space", "idempotency-key"}]
    return found


def check(asked: RequestBody, operation: Any, *, of_space: bool) -> set[int]:
    """Ask one route so often; the statuses of the answers."""
    statuses: set[int] = set()

    @hypothesis.seed(8)
    @hypothesis.settings(
        max_examples=EXAMPLES,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @hypothesis.given(case=operation.as_strategy())
    def ask(case: Any) -> None:
        answer = asked.send(case, of_space=of_space)
        statuses.add(answer.status_code)
        case.validate_response(answer, checks=CHECKS)

    ask()
    return statuses


@pytest.mark.long
def test_nothing_that_is_made_up_breaks_the_server_or_its_description(asked: RequestBody) -> None:
    of_space = {(one.method, one.path): one.of_space for one in entries(asked.app)}
    schema = schemathesis.openapi.from_dict(document(asked.app))
    operations = [found.ok() for found in schema.get_all_operations()]
    statuses: set[int] = set()
    for operation in random.Random(8).sample(operations, min(ROUTES, len(operations))):
        key = (operation.method.upper(), operation.path)
        statuses |= check(asked, operation, of_space=of_space[key])
    assert statuses >= {200, 422}

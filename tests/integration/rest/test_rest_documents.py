"""Documents by HTTP: one may be larger than what others send, if a key comes with it."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

pytestmark = pytest.mark.anyio

_MB = 2**20


def body_of(megabytes: int) -> dict[str, Any]:
    return {"path": "notes", "key": "large", "body": "x" * (megabytes * _MB), "index": False}


async def test_a_large_document_is_taken_from_whoever_has_a_key(clients: Any) -> None:
    ana: httpx.AsyncClient = await clients("write", space="ana")
    put = await ana.post("/v1/documents", json=body_of(16))
    assert put.status_code in (200, 201), put.text[:200]
    got = await ana.get("/v1/documents/one", params={"path": "notes", "key": "large"})
    assert len(got.json()["body"]) == 16 * _MB
    too_large = await ana.post("/v1/documents", json=body_of(17))
    assert too_large.status_code == 413
    assert "16" in too_large.json()["detail"]
    assert (await ana.post("/v1/observe", json=body_of(5))).status_code == 413


@pytest.mark.parametrize("header", ["", "Bearer quipu_nobody_0123456789abcdef"])
async def test_nobody_else_may_send_so_much(clients: Any, header: str) -> None:
    ana: httpx.AsyncClient = await clients("write", space="ana")
    sent = await ana.post("/v1/documents", json=body_of(5), headers={"Authorization": header})
    assert sent.status_code == 413
    assert "2,000,000" in sent.json()["detail"]


async def test_a_key_without_the_right_is_refused(clients: Any) -> None:
    reader: httpx.AsyncClient = await clients("read", space="ana")
    assert (await reader.post("/v1/documents", json=body_of(5))).status_code == 403

"""Stores of LangGraph's tests that are ours: each has a space to itself."""

from __future__ import annotations

import os
from contextlib import asynccontextmanager, contextmanager
from uuid import uuid4

import pytest

from quipu import AsyncMemory, Memory
from quipu.compat.langgraph import AsyncStore, Store

MEMORY = Memory(os.environ["QUIPU_HOME"])
TTL = {"default_ttl": 6 / 60, "refresh_on_read": True}  # as the tests wait for


def space():
    return f"t{uuid4().hex}"


class InMemoryStore(Store):
    def __init__(self, *, index=None):
        super().__init__(MEMORY, space=space(), index=False if index is None else index)


@pytest.fixture
def store():
    return Store(MEMORY, space=space(), ttl=TTL)


@contextmanager
def vector_store(vector_type, distance_type, fake_embeddings, text_fields=None, enable_ttl=True):
    del vector_type
    index = {"dims": 500, "embed": fake_embeddings, "distance_type": distance_type, "fields": text_fields}
    yield Store(MEMORY, space=space(), index=index, ttl=TTL if enable_ttl else None)


@pytest.fixture
async def async_store():
    async with AsyncMemory(os.environ["QUIPU_HOME"]) as memory:
        yield AsyncStore(memory, space=space(), ttl=TTL)


@asynccontextmanager
async def async_vector_store(vector_type, distance_type, fake_embeddings, text_fields=None):
    del vector_type
    index = {"dims": 500, "embed": fake_embeddings, "distance_type": distance_type, "fields": text_fields}
    async with AsyncMemory(os.environ["QUIPU_HOME"]) as memory:
        yield AsyncStore(memory, space=space(), index=index)

"""The tests that Haystack's package brings for document stores, on ours."""

from __future__ import annotations

import os
from uuid import uuid4

import pytest
from haystack import Document
from haystack.document_stores.errors import DuplicateDocumentError
from haystack.testing import document_store, document_store_async

from quipu import Memory
from quipu.compat.haystack import QuipuDocumentStore

MEMORY = Memory(os.environ["QUIPU_HOME"])


def classes(module, end):
    own = [one for one in vars(module).values() if getattr(one, "__module__", "") == module.__name__]
    tests = [one for one in own if isinstance(one, type) and one.__name__.endswith(end)]
    return tuple(one for one in tests if not any(one in other.__mro__[1:] for other in tests))


class Base:
    @pytest.fixture
    def document_store(self):
        return QuipuDocumentStore(MEMORY, space=f"t{uuid4().hex}")


class TestStore(Base, *classes(document_store, ("Test", "Tests"))):
    # The suite leaves these two to each store.
    def test_write_documents(self, document_store):
        document = Document(content="x", meta={"a": 1}, embedding=[1.0, 0.5])
        assert document_store.write_documents([document]) == 1
        with pytest.raises(DuplicateDocumentError):
            document_store.write_documents([document])
        assert document_store.filter_documents() == [document]


class TestAsyncStore(Base, *classes(document_store_async, "AsyncTest")):
    async def test_write_documents_async(self, document_store):
        assert await document_store.write_documents_async([Document(content="x")]) == 1

"""When the blocking face opens what it stands for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from face.shelf import ShelfError
from patience import PATIENCE_SECONDS

from quipu.errors import QuipuError


@pytest.mark.parametrize(
    "use",
    [
        lambda shelf: shelf.count(),
        lambda shelf: shelf.add("Emma"),
        lambda shelf: shelf.owner,
        lambda shelf: shelf.lent("Emma").__enter__(),
        lambda shelf: list(shelf.books()),
        lambda shelf: shelf.open(),
    ],
)
def test_it_opens_at_its_first_use_and_only_then(blocking: ModuleType, use: Callable[[Any], object]) -> None:
    shelf = blocking.Shelf()
    assert shelf._inner.opened == 0
    use(shelf)
    assert shelf._inner.opened == 1
    assert shelf.open() is shelf
    with shelf, pytest.raises(QuipuError, match=r"This Shelf is already open\."), shelf:
        pytest.fail("it opened twice")
    assert shelf._inner.opened == 1
    with pytest.raises(QuipuError, match=r"This Shelf is closed\."):
        use(shelf)


def test_many_threads_that_use_it_first_open_it_once(blocking: ModuleType) -> None:
    shelf = blocking.Shelf()
    threads = [threading.Thread(target=shelf.add, args=["x"]) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_SECONDS)
    assert (shelf.count(), shelf._inner.opened) == (16, 1)
    shelf.close()


def test_a_first_use_that_fails_may_be_tried_again(blocking: ModuleType) -> None:
    shelf = blocking.Shelf(owner="a ghost")
    for _ in range(2):
        with pytest.raises(ShelfError, match="no one there"):
            shelf.count()
    shelf._inner._owner = "ana"
    assert (shelf.count(), shelf.owner) == (0, "ana")
    shelf.close()


def test_names_that_are_missing_are_answered_alike(blocking: ModuleType) -> None:
    shelf = blocking.Shelf()
    assert not hasattr(shelf, "shelve")
    with pytest.raises(AttributeError, match="Shelf has no shelve: try add"):
        shelf.shelve("Emma")
    assert shelf._inner.opened == 0
    shelf.close()

"""The addresses of ``bench/pages.py``: every page and every GET of REST is asked, or said to be no list."""

from __future__ import annotations

from lists.addresses import NAMED, QUERIES, addresses


def test_every_route_is_asked_and_nothing_is_named_that_is_not_there() -> None:
    asked = list(addresses())
    paths = {one.path.partition("?")[0] for one in asked}
    assert len(asked) > 100
    assert not [path for path in paths if "{" in path]
    assert paths >= QUERIES.keys()
    for path, value in NAMED.items():
        assert any(path.replace(path[path.index("{") :], value) in found for found in paths), path

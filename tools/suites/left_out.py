"""A plugin of pytest: leaves out the tests that QUIPU_LEFT_OUT names, and fails where it names none."""

from __future__ import annotations

import os

import pytest


def pytest_collection_modifyitems(config, items):
    names = set(filter(None, os.environ.get("QUIPU_LEFT_OUT", "").split("\n")))
    out = [one for one in items if _names(one) & names]
    if unknown := names - {name for one in out for name in _names(one)}:
        raise pytest.UsageError(f"no such tests: {', '.join(sorted(unknown))}")
    items[:] = [one for one in items if one not in out]
    config.hook.pytest_deselected(items=out)


def _names(test):
    """Return a test's name with its class, and with and without its parameters."""
    of = f"{test.cls.__name__}." if test.cls else ""
    return {f"{of}{test.name}", f"{of}{test.originalname}", test.name, test.originalname}

"""The suites of peers name what there is: environments and versions that are pinned, files that lie there."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("peer_suites", ROOT / "tools" / "peer_suites.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules["peer_suites"] = made
    sys.path.append(str(ROOT / "tools"))  # where it finds its table
    spec.loader.exec_module(made)
    return made


def test_every_suite_has_a_pinned_package_and_its_files(tool: ModuleType) -> None:
    for suite in tool.SUITES:
        assert re.fullmatch(r"\d+(\.\d+)+", tool._version(suite))
        assert suite.files or suite.own
        for name in ("left_out", *suite.own, *suite.support, *suite.plugins):
            assert (ROOT / "tools" / "suites" / f"{name}.py").is_file()
        assert all(suite.left_out.values())


def test_every_file_of_ours_is_of_a_suite(tool: ModuleType) -> None:
    known = {"left_out"}
    for suite in tool.SUITES:
        known |= {*suite.own, *suite.support, *suite.plugins}
    assert known == {one.stem for one in (ROOT / "tools" / "suites").glob("*.py")}


def test_an_environment_that_is_none_is_refused(tool: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert tool.main(["nowhere"]) == 1
    assert "there are langgraph, haystack" in capsys.readouterr().err

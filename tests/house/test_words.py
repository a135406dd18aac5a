"""What is published names no private place: no path of a builder's machine, no host of a registry."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from tree import ROOT, tracked_files

# Put together here, so that this file does not contain what it forbids.
DIRECTORIES = ("work", "tmp", "opt", "root")
PUBLIC = ("homebrew",)  # a place that every machine with that package manager has
PRIVATE_PATH = re.compile(rf"(?<![\w.~$}})/-])/({'|'.join(DIRECTORIES)})/(?!{'|'.join(PUBLIC)})[\w.-]")
REGISTRY = re.compile(
    r"|".join(
        re.escape(".".join(host)) for host in (("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org"))
    )
)
BINARY = {".onnx", ".png", ".ico", ".gz", ".whl"}
PINNED = re.compile(r"^[a-z0-9][a-z0-9-]*==[0-9][\w.!+]*$")


def texts() -> list[Path]:
    return [path for path in tracked_files() if path.suffix not in BINARY]


@pytest.mark.parametrize("forbidden", [PRIVATE_PATH, REGISTRY], ids=["private paths", "registries"])
def test_no_tracked_file_names_a_private_place(forbidden: re.Pattern[str]) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {match[0]}"
        for path in texts()
        for number, line in enumerate(path.read_text("utf-8", errors="replace").splitlines(), 1)
        if (match := forbidden.search(line))
    ]
    assert not found, "\n".join(found)


def test_the_scan_sees_private_places() -> None:
    for directory in DIRECTORIES:
        assert PRIVATE_PATH.search(f"open('/{directory}/x')")
    assert not PRIVATE_PATH.search("docs/work/list and ~/work/x and https://example.org/work/x")
    assert REGISTRY.search("https://files." + "pythonhosted" + ".org/x")


def test_constraints_hold_names_and_versions_only() -> None:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    assert [line for line in lines if not line.startswith("#") and not PINNED.match(line)] == []
    names = [line.split("==")[0] for line in lines[1:]]
    assert names == sorted(names)


def test_every_required_distribution_is_pinned_within_its_bounds() -> None:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    pinned = dict(line.split("==") for line in lines if not line.startswith("#"))
    data = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    asked = [
        *data["project"]["dependencies"],
        *data["dependency-groups"]["dev"],
        *data["build-system"]["requires"],
    ]
    for requirement in map(Requirement, asked):
        version = pinned.get(canonicalize_name(requirement.name))
        assert version is not None, f"{requirement.name} is not in constraints.txt: make constraints"
        assert requirement.specifier.contains(version), (
            f"{requirement} contradicts {version}: make constraints"
        )


def test_no_file_is_huge_but_the_model() -> None:
    huge = [path for path in tracked_files() if path.stat().st_size > 1_000_000 and path.suffix != ".onnx"]
    assert not huge

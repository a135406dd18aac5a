"""Write constraints.txt: the exact version of every distribution that we and our tools need.

    python tools/make_constraints.py

The versions are those of the environment that runs it, so upgrade there first and test. Names and
versions only: where they come from is the business of whoever installs.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
HEAD = "# The versions that the tests ran with. Written by tools/make_constraints.py; do not edit.\n"


def wanted(pyproject: Path) -> Iterator[Requirement]:
    """What pyproject.toml asks for: to run, to develop, to build, and every extra."""
    data = tomllib.loads(pyproject.read_text("utf-8"))
    project = data["project"]
    groups = [project["dependencies"], data["build-system"]["requires"]]
    groups += [*project.get("optional-dependencies", {}).values(), *data["dependency-groups"].values()]
    yield from (Requirement(line) for group in groups for line in group)


def closure(requirements: Iterable[Requirement]) -> dict[str, str]:
    """Name and installed version of the requirements and of all that they need in turn."""
    found: dict[str, str] = {}
    seen: set[tuple[str, str]] = set()
    waiting = [(requirement, "") for requirement in requirements]
    while waiting:
        requirement, extra = waiting.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
            continue
        name = canonicalize_name(requirement.name)
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # an extra that nobody installed here
        found[name] = distribution.version
        for wanted_extra in ("", *requirement.extras):
            if (name, wanted_extra) not in seen:
                seen.add((name, wanted_extra))
                waiting += [(Requirement(line), wanted_extra) for line in distribution.requires or ()]
    return found


def main() -> int:
    versions = closure(wanted(ROOT / "pyproject.toml"))
    lines = [f"{name}=={version}\n" for name, version in sorted(versions.items())]
    (ROOT / "constraints.txt").write_text(HEAD + "".join(lines), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Run the tests of peers with our class in the place of theirs: ``make test-peers``.

python tools/peer_suites.py [ENVIRONMENT …]      all, or those of some environments of bench/peers.txt

A suite is of the source distribution of a peer, at the version of bench/peers.txt: some of its lines are
changed so that its classes are ours. Or it is our own and lies in tools/suites. Each environment of
bench/peers.txt has a virtual environment in ``.bench/suites``. What is left out is named in tools/peers.py
with its reason, and counted.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from peers import SUITES, Suite

ROOT: Final = Path(__file__).resolve().parent.parent
FOLDER: Final = ROOT / ".bench" / "suites"
OWN: Final = ROOT / "tools" / "suites"
_TESTING: Final = ("pytest", "pytest-asyncio", "pytest-mock", "pytest-timeout")
_SECONDS_OF_A_TEST: Final = 60


def main(environments: Sequence[str]) -> int:
    """Run suites; the exit code is 1 if a test of one fails, or a name is none of an environment.

    A memory for all of them is made and removed again.
    """
    known = list(dict.fromkeys(suite.environment for suite in SUITES))
    if unknown := [name for name in environments if name not in known]:
        print(f"{unknown[0]}: no such environment; there are {', '.join(known)}.", file=sys.stderr)
        return 1
    failed = False
    with tempfile.TemporaryDirectory(prefix="quipu-") as home:
        Path(home).chmod(0o711)
        for environment in environments or known:
            python = _environment(environment)
            for suite in [one for one in SUITES if one.environment == environment]:
                failed = _run(suite, python, home) != 0 or failed
    return int(failed)


@cache
def _peers() -> dict[str, list[str]]:
    """Return the requirements of each environment, as bench/peers.txt has them."""
    found: dict[str, list[str]] = {}
    for line in (ROOT / "bench" / "peers.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            found[line[2:].strip()] = []
        elif line.strip():
            found[list(found)[-1]].append(line.strip())
    return found


def _version(suite: Suite) -> str:
    names = (re.match(r"([\w-]+)(?:\[[^\]]*\])?==(\S+)$", one) for one in _peers()[suite.environment])
    return next(one[2] for one in names if one and one[1] == suite.package)


def _environment(name: str) -> Path:
    """Return the interpreter of an environment, which is made if it is not there as it is wanted."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extra = f"[{name}]" if name in project["optional-dependencies"] else ""
    further = [one for suite in SUITES if suite.environment == name for one in suite.requirements]
    wanted = [*_TESTING, *_peers()[name], *dict.fromkeys(further)]
    text = "\n".join([*wanted, *project["dependencies"], extra])
    place = FOLDER / f"venv-{name}"
    stamp = place / f"made-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    python = place / "bin" / "python"
    if not stamp.exists():
        shutil.rmtree(place, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
        pip = [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
        print(f"Installing the environment {name}", flush=True)
        subprocess.run([*pip, "--editable", f"{ROOT}{extra}", *wanted], check=True)
        stamp.touch()
    return python


def _unpacked(suite: Suite, python: Path) -> tuple[Path, list[str]]:
    """Write the tests with their changes; return where they lie, and which files have tests."""
    place = FOLDER / f"{suite.package}-{_version(suite)}"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    (place / "pytest.ini").write_text("[pytest]\nasyncio_mode=auto\n", encoding="utf-8")
    for name in ("left_out", *suite.support, *suite.plugins):
        shutil.copy(OWN / f"{name}.py", place)
    for name in suite.own:
        shutil.copy(OWN / f"{name}.py", place / f"test_{name}.py")
    if suite.files:
        _extract(suite, python, place)
    tests = [*suite.files, *(f"test_{name}.py" for name in suite.own)]
    return place, [name for name in tests if Path(name).name.startswith("test_")]


def _extract(suite: Suite, python: Path, place: Path) -> None:
    """Write the files of a source distribution, which is fetched first, with their changes."""
    stem = f"{suite.package.replace('-', '_')}-{_version(suite)}"
    archive = FOLDER / f"{stem}.tar.gz"
    if not archive.exists():
        command = [str(python), "-m", "pip", "--quiet", "download", "--no-deps", "--no-binary", suite.package]
        wanted = f"{suite.package}=={_version(suite)}"
        subprocess.run([*command, "--dest", str(FOLDER), wanted], check=True)
    unused = [pattern for pattern, _ in suite.changes]
    with tarfile.open(archive) as files:
        for name in suite.files:
            member = files.extractfile(f"{stem}/{name}")
            text = "" if member is None else member.read().decode()
            for pattern, replacement in suite.changes:
                text, count = re.subn(pattern, lambda _, new=replacement: new, text)
                if count and pattern in unused:
                    unused.remove(pattern)
            target = place / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
    if unused:
        raise LookupError(f"{suite.package}: nothing matches {unused[0]}")


def _run(suite: Suite, python: Path, home: str) -> int:
    print(f"{suite.package} {_version(suite)}", flush=True)
    place, tests = _unpacked(suite, python)
    plugins = [f"-p{name}" for name in ("no:cacheprovider", "left_out", *suite.plugins)]
    command = [str(python), "-m", "pytest", "-q", f"--timeout={_SECONDS_OF_A_TEST}", *plugins, *tests]
    surroundings = {
        "HOME": home,
        "PATH": os.defpath,
        "PYTHONPATH": str(place),
        "QUIPU_HOME": home,
        "QUIPU_ROOT": str(ROOT),
        "QUIPU_LEFT_OUT": "\n".join(suite.left_out),
    }
    done = subprocess.run(command, cwd=place, env=surroundings, check=False)
    for name, reason in suite.left_out.items():
        print(f"  left out: {name}: {reason}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""What pip installs is whole: it runs outside the checkout, with every file that it reads inside."""

from __future__ import annotations

import os
import site
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest
from patience import PATIENCE_SECONDS
from tree import PACKAGE, ROOT, SOURCE


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("dist")
    build = [
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        str(directory),
        str(ROOT),
    ]
    done = subprocess.run(build, capture_output=True, text=True, timeout=PATIENCE_SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr
    return next(directory.glob("*.whl"))


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bare environment with the wheel alone; what it depends on is lent by the environment of the tests.

    So nothing is downloaded. That the dependencies themselves can be installed is what `make demo` shows.
    """
    directory = tmp_path_factory.mktemp("bare")
    venv.create(directory, with_pip=False, symlinks=os.name != "nt")
    place = {"base": str(directory), "platbase": str(directory)}
    scripts, packages = (Path(sysconfig.get_path(name, vars=place)) for name in ("scripts", "purelib"))
    python = scripts / ("python.exe" if os.name == "nt" else "python")
    install = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(python),
        "install",
        "--no-index",
        "--no-deps",
        "--quiet",
    ]
    done = subprocess.run([*install, str(wheel)], capture_output=True, text=True, timeout=PATIENCE_SECONDS)
    assert done.returncode == 0, done.stderr
    (packages / "lent.pth").write_text("\n".join(site.getsitepackages()), "utf-8")
    return scripts


def run(command: list[str], directory: Path) -> str:
    bare = {name: value for name, value in os.environ.items() if not name.startswith(("QUIPU_", "PYTHON"))}
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=directory, env=bare, timeout=PATIENCE_SECONDS
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_every_file_of_the_package_is_inside(wheel: Path) -> None:
    there = {
        path.relative_to(SOURCE).as_posix()
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    with zipfile.ZipFile(wheel) as archive:
        inside = {name for name in archive.namelist() if ".dist-info/" not in name}
    samples = {
        f"quipu/{path.relative_to(ROOT).as_posix()}"
        for path in (ROOT / "samples").rglob("*")
        if path.is_file()
    }
    assert there | samples == inside
    for suffix in (".py", ".sql", ".onnx", ".typed"):
        assert any(name.endswith(suffix) for name in inside), f"no {suffix} file is inside"


def test_the_licences_are_inside(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name.rsplit("/", 1)[-1] for name in archive.namelist() if ".dist-info/licenses/" in name}
    assert {"LICENSE", "NOTICE"} <= names


def test_it_imports_outside_the_checkout(environment: Path, tmp_path: Path) -> None:
    code = "import quipu; print(quipu.__file__); print(quipu.Memory.__name__)"
    file, name = run([str(environment / "python"), "-c", code], tmp_path).splitlines()
    assert Path(file).is_relative_to(environment.parent)
    assert name == "Memory"


def test_the_command_says_its_version(environment: Path, wheel: Path, tmp_path: Path) -> None:
    version = wheel.name.split("-")[1]
    assert version in run([str(environment / "quipu"), "--version"], tmp_path)


def test_it_remembers_and_recalls(environment: Path, home: Path) -> None:
    code = (
        "import sys\n"
        "from quipu import Memory\n"
        "with Memory(home=sys.argv[1]) as memory:\n"
        "    memory.observe([{'content': 'I moved to Lisbon in May.'}], space='ana')\n"
        "    print(memory.recall('Where does Ana live?', space='ana')[0].text)\n"
    )
    assert run([str(environment / "python"), "-c", code, str(home)], home) == "I moved to Lisbon in May."

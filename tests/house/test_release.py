"""A release changes what it should and builds what is whole; the workflows call targets that there are."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from datetime import date
from importlib import util
from pathlib import Path
from types import ModuleType

import pytest
import yaml
from patience import PATIENCE_SECONDS
from tree import ROOT, tracked_files

DAY = date(2026, 3, 1)
CHANGELOG = "# Changelog\n\n## [Unreleased]\n\n### Added\n- A thing.\n\n## [0.1.0] - 2026-01-01\n- First.\n"
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def tool(name: str) -> ModuleType:
    spec = util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


release = tool("release")


def test_what_was_unreleased_gets_a_heading_and_unreleased_is_empty_again() -> None:
    made = release.with_release(CHANGELOG, "0.2.0", DAY)
    assert made == CHANGELOG.replace("[Unreleased]\n", "[Unreleased]\n\n## [0.2.0] - 2026-03-01\n")
    with pytest.raises(release.CannotRelease, match="Nothing stands under Unreleased"):
        release.with_release(made, "0.3.0", DAY)
    with pytest.raises(release.CannotRelease, match="already"):
        release.with_release(CHANGELOG, "0.1.0", DAY)


@pytest.mark.parametrize(
    ("asked", "says"),
    [("0.1.0", "not above"), ("0.0.9", "not above"), ("1.0rc1.x", "no version"), ("", "no")],
)
def test_a_version_goes_up(asked: str, says: str) -> None:
    with pytest.raises(release.CannotRelease, match=says):
        release.checked_version(asked, "0.1.0")
    assert release.checked_version("v0.2", "0.1.0") == "0.2"


def test_a_release_is_previewed_refused_where_something_is_uncommitted_and_built(tmp_path: Path) -> None:
    """On a copy of what is tracked, so that nothing here changes."""
    place = tmp_path / "checkout"
    for path in tracked_files():
        target = place / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)

    def run(*command: str, fails: bool = False) -> str:
        done = subprocess.run(
            command, cwd=place, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False
        )
        assert (done.returncode != 0) == fails, done.stdout + done.stderr
        return done.stdout + done.stderr

    git = ("git", "-c", "user.name=a", "-c", "user.email=a@example.org")
    script = (sys.executable, "tools/release.py", "99.1.0")
    run("git", "init", "-q")
    assert "Nothing was written" in run(*script)
    assert "not committed" in run(*script, "--confirm", fails=True)
    run("git", "add", "-A")
    run(*git, "commit", "-q", "-m", "all")
    said = run(*script, "--confirm")
    assert "dist/quipu_memory-99.1.0-py3-none-any.whl" in said
    assert "dist/quipu_memory-99.1.0.tar.gz" in said
    changed = run("git", "diff", "--name-only").split()
    assert changed == ["CHANGELOG.md", "CITATION.cff", "src/quipu/__init__.py"]
    assert "version: 99.1.0\n" in (place / "CITATION.cff").read_text("utf-8")


def test_the_citation_names_the_present_version() -> None:
    version = re.search(r'__version__ = "(.+)"', (ROOT / "src/quipu/__init__.py").read_text("utf-8"))
    assert version
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))["version"] == version[1]


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_call_targets_and_scripts_that_there_are(workflow: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    jobs = yaml.safe_load(workflow.read_text("utf-8"))["jobs"]
    lines = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    called = {name for line in lines for name in re.findall(r"^make ([a-z-]+)", line, re.MULTILINE)}
    assert called
    assert called <= targets
    assert all(
        (ROOT / name).is_file() for line in lines for name in re.findall(r"^\.ci/\w+", line, re.MULTILINE)
    )


def test_hooks_before_a_commit_call_targets_that_there_are() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
    entries = [hook["entry"].split() for repo in config["repos"] for hook in repo["hooks"]]
    made = [name for command, *names in entries if command == "make" for name in names]
    assert made
    assert set(made) <= targets


@pytest.mark.parametrize(
    ("subject", "fine"),
    [
        ("recall: link statements that replace earlier ones", True),
        ("tables, ledger: keep more", True),
        ("Merge branch 'x'", True),
        ("Fixed the thing", False),
        ("recall: Fixed", False),
        ("wip", False),
        ("recall: " + "x" * 100, False),
    ],
)
def test_a_subject_has_a_scope_and_an_imperative(tmp_path: Path, subject: str, fine: bool) -> None:
    message = tmp_path / "message"
    message.write_text(subject + "\n\n# a comment\n", "utf-8")
    done = subprocess.run(
        [ROOT / "tools" / "check_subject.sh", message], capture_output=True, text=True, check=False
    )
    assert (done.returncode == 0) == fine, done.stderr


def test_only_commits_that_the_remote_lacks_are_judged_by_their_subjects(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        who = ("-c", "user.name=Ana", "-c", "user.email=ana@example.org")
        subprocess.run(["git", *who, *arguments], cwd=tmp_path, check=True, capture_output=True)

    def commit(subject: str) -> None:
        git("commit", "--quiet", "--allow-empty", "--message", subject)

    def passes() -> bool:
        command = [ROOT / "tools" / "check_subject.sh", "--ahead-of", "origin/main"]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode == 0

    git("init", "--quiet")
    commit("wip")
    assert passes(), "without a remote nothing is judged"
    git("update-ref", "refs/remotes/origin/main", "HEAD")
    commit("recall: keep more")
    assert passes()
    commit("more of it")
    assert not passes()


def test_coverage_is_told_by_package() -> None:
    coverage = tool("coverage_by_package")

    def file(lines: int, of: int) -> dict[str, dict[str, int]]:
        return {"summary": {"covered_lines": lines, "num_statements": of}}

    report = {
        "files": {
            "src/quipu/__init__.py": file(3, 3),
            "src/quipu/kinds/ledger/store.py": file(5, 10),
            "src/quipu/kinds/ledger/deep/er.py": file(10, 10),
            "src/quipu/kernel/db/__init__.py": file(0, 0),
        }
    }
    assert coverage.by_package(report) == [("quipu.kinds.ledger", 15, 20), ("quipu", 3, 3)]

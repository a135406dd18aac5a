"""Show what a release would change, or make it: version, changelog, wheel and sdist, both checked.

    python tools/release.py 0.2.0              # what would be changed; nothing is written
    python tools/release.py --confirm 0.2.0    # write it, build dist/, check what was built

Nothing is committed, tagged or uploaded: that is for whoever has looked at the result. The last lines say
how.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import zipfile
from datetime import UTC, date, datetime
from email.parser import Parser
from pathlib import Path

import click
from packaging.version import InvalidVersion, Version

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
INIT = ROOT / "src" / "quipu" / "__init__.py"
CHANGELOG = ROOT / "CHANGELOG.md"
CITATION = ROOT / "CITATION.cff"
UNRELEASED = "## [Unreleased]\n"
IN_SDIST = (
    "README.md",
    "LICENSE",
    "NOTICE",
    "CHANGELOG.md",
    "Makefile",
    "tests/conftest.py",
    "docs/tutorial.md",
)


class CannotRelease(click.ClickException):
    """The release cannot be made as it was asked for."""


def checked_version(asked: str, now: str) -> str:
    """Return the version in its normal form.

    Raises:
        CannotRelease: it is no version, or not above the present one.
    """
    try:
        version = Version(asked)
    except InvalidVersion as error:
        raise CannotRelease(f"{asked} is no version. Write one such as 0.2.0 or 1.0.0rc1.") from error
    if version <= Version(now):
        raise CannotRelease(f"{version} is not above {now}, the present version.")
    return str(version)


def with_release(changelog: str, version: str, day: date) -> str:
    """Return the changelog with everything that was unreleased under a heading of its own.

    Raises:
        CannotRelease: nothing is unreleased, or that version has its heading.
    """
    if f"## [{version}]" in changelog:
        raise CannotRelease(f"CHANGELOG.md has a heading for {version} already.")
    before, heading, after = changelog.partition(UNRELEASED)
    if not heading:
        raise CannotRelease(f"CHANGELOG.md has no line {UNRELEASED.strip()}.")
    if not after.partition("\n## [")[0].strip():
        raise CannotRelease("Nothing stands under Unreleased in CHANGELOG.md: say what changes for users.")
    return f"{before}{heading}\n## [{version}] - {day.isoformat()}\n{after}"


def replaced(text: str, pattern: str, value: str) -> str:
    """Return the text with the one group of the pattern replaced by the value."""
    match = re.search(pattern, text, re.MULTILINE)
    if match is None:
        raise CannotRelease(f"No line matches {pattern}.")
    return text[: match.start(1)] + value + text[match.end(1) :]


def run(*command: str) -> str:
    """Return what the command printed; end with what it said where it fails."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotRelease(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def check_built(version: str, directory: Path = DIST) -> list[str]:
    """Return the names of wheel and sdist, both of that version and whole.

    Raises:
        CannotRelease: one is missing or lacks files, or the wheel names another version.
    """
    wheels, sdists = sorted(directory.glob("*.whl")), sorted(directory.glob("*.tar.gz"))
    if len(wheels) != 1 or len(sdists) != 1:
        raise CannotRelease(
            f"{directory} has {len(wheels)} wheels and {len(sdists)} sdists instead of one each."
        )
    with zipfile.ZipFile(wheels[0]) as archive:
        in_wheel = set(archive.namelist())
        metadata = next(name for name in in_wheel if name.endswith(".dist-info/METADATA"))
        head = Parser().parsestr(archive.read(metadata).decode())
    if head["Version"] != version:
        raise CannotRelease(f"{wheels[0].name} is of version {head['Version']}, not {version}.")
    with tarfile.open(sdists[0]) as archive:
        in_sdist = {name.partition("/")[2] for name in archive.getnames()}
    package = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src" / "quipu").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    lacking = sorted(package - in_wheel) + sorted(
        {*IN_SDIST, *(f"src/{name}" for name in package)} - in_sdist
    )
    if lacking:
        raise CannotRelease("What was built lacks " + ", ".join(lacking[:10]))
    return [wheels[0].name, sdists[0].name]


@click.command(help=(__doc__ or "").partition("\n")[0])
@click.argument("version")
@click.option("--confirm", is_flag=True, help="Write the version and the changelog, and build.")
def main(version: str, confirm: bool) -> None:
    """Show or make a release."""
    now = INIT.read_text("utf-8")
    present = re.search(r'^__version__ = "(.+)"$', now, re.MULTILINE)
    version = checked_version(version, present[1] if present else "0")
    changelog = with_release(CHANGELOG.read_text("utf-8"), version, datetime.now(UTC).date())
    entries = changelog.partition(f"## [{version}]")[2].partition("\n## [")[0].count("\n- ")
    if not confirm:
        click.echo(
            f"{version} would be released with {entries} entries of the changelog. Nothing was written."
        )
        click.echo(f"To write and build it: make release VERSION={version} CONFIRM=1")
        return
    if changed := run("git", "status", "--porcelain"):
        raise CannotRelease(f"There are changes that are not committed:\n{changed}")
    INIT.write_text(replaced(now, r'^__version__ = "(.+)"$', version), "utf-8")
    CITATION.write_text(replaced(CITATION.read_text("utf-8"), r"^version: (.+)$", version), "utf-8")
    CHANGELOG.write_text(changelog, "utf-8")
    for old in [*DIST.glob("*.whl"), *DIST.glob("*.tar.gz")]:
        old.unlink()
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(DIST), str(ROOT))
    for name in check_built(version):
        click.echo(f"Built and checked dist/{name}")
    click.echo("Look at `git diff`, run `make check`, then:")
    click.echo(f"  git commit -am 'release: {version}' && git tag v{version}")


if __name__ == "__main__":
    main()

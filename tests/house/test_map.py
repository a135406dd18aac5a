"""The pages of ``docs/map`` are the contract: a line for each demanding sentence of a seed."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from demands import ITEM, demands
from tree import ROOT, syntax

SEEDS = ROOT / "tests" / "fixtures" / "seeds"
MAP = ROOT / "docs" / "map"
PAGES = sorted(path.stem for path in SEEDS.glob("*.md"))
HEADER = "| the seed says | state | shown by |\n|---|---|---|\n"
STATE = re.compile(
    r"(holds|missing|not shown|\[differs\]\((?P<decision>[^)#]+)(?:#(?P<heading>[^)]+))?\))(: .+)?"
)
TEST = re.compile(r"`([\w/]+\.py)::(\w+)`")
SMALL = """
# A seed

Nobody reads this sentence. Every knot must be tied twice, and
each cord kept. See [there](x).

- The colour is `red|green`
1. Count to ten:
   - `app/Knots.php`

| Column | Type |
|---|---|
| `cord` | TEXT |

```sql
-- Knots are never untied
create table knots (
  id uuid primary key, -- of each
  kind text not null
    check (kind in ('single', 'long')),
  unique (kind, id)
);
create index idx_knots on knots (kind);
```

```json
{
  "cord": "long"
}
```
"""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page: how the sentence begins, how it stands with it, and what shows that."""

    begins: str
    state: str
    shown_by: str


def lines(page: str) -> list[Line]:
    _, *tables = (MAP / f"{page}.md").read_text("utf-8").split(HEADER)
    rows = [row for table in tables for row in table.split("\n\n")[0].splitlines()]
    return [Line(*(cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1])) for row in rows]


def plain(text: str) -> str:
    """A sentence without what marks it as code or as a cell."""
    return text.replace("\\|", "|").replace("`", "")


def compared(sentences: list[str], cited: list[Line]) -> tuple[list[str], list[str]]:
    """Sentences that have no line, and what lines quote that is no sentence in their place."""
    waiting = [plain(line.begins) for line in cited]
    without = []
    for sentence in sentences:
        if waiting and _quotes(waiting[0], plain(sentence)):
            waiting.pop(0)
        else:
            without.append(sentence)
    return without, [quoted.removesuffix(" …") for quoted in waiting]


def _quotes(quoted: str, sentence: str) -> bool:
    """Whether a line quotes the sentence: all of it, or its beginning before " …"."""
    begins = quoted.removesuffix(" …")
    return sentence == quoted if begins == quoted else sentence.startswith(begins)


@cache
def functions(path: Path) -> frozenset[str]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(node.name for node in ast.walk(syntax(path)) if isinstance(node, kinds))


@cache
def headings(page: Path) -> frozenset[str]:
    """The headings of a page as links name them."""
    found = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return frozenset(re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in found)


def test_the_reader_finds_what_demands_something() -> None:
    assert demands(SMALL) == [
        "Every knot must be tied twice, and each cord kept.",
        "The colour is `red|green`",
        "`cord` | TEXT",
        "Knots are never untied",
        "create table knots (",
        "id uuid primary key, -- of each",
        "kind text not null check (kind in ('single', 'long')),",
        "unique (kind, id)",
        "create index idx_knots on knots (kind);",
        '"cord": "long"',
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "Confidence is one of low, medium, high.",
        "The kind is `a`, `b` or `c`.",
        "Colours are red, green or blue.",
        "Salience = 0.5 * novelty.",
        "Freshness lies in 0..1.",
        "At least three facts count.",
        "Ids are unique.",
        "The default is medium.",
        "Users may delete it.",
        "Ids have to be UUIDs.",
        "A worker needs to lock the row.",
        "Ensure that it is idempotent.",
        "It doesn't block.",
        "+ a thing in a list",
        "2) the second thing",
    ],
)
def test_a_sentence_demands_by_its_words_its_formula_or_its_enumeration(sentence: str) -> None:
    text = f"# A seed\n\nNobody reads this.\n\n{sentence}\n"
    assert demands(text) == [ITEM.sub(r"\g<text>", sentence)]


def test_a_sentence_without_a_line_and_a_line_without_a_sentence_are_seen() -> None:
    cited = [Line("`knots` must …", "holds", ""), Line("Cords shall", "holds", "")]
    assert compared(["knots must be tied", "cords are never cut"], cited) == (
        ["cords are never cut"],
        ["Cords shall"],
    )
    assert compared(["Cords shall hold"], [Line("Cords shall", "holds", "")])[0] == ["Cords shall hold"]


@pytest.mark.parametrize("page", PAGES)
def test_every_demanding_sentence_of_the_seed_has_its_line_in_its_place(page: str) -> None:
    sentences = demands((SEEDS / f"{page}.md").read_text("utf-8"))
    assert len(sentences) > 30
    assert compared(sentences, lines(page)) == ([], [])


@pytest.mark.parametrize("page", PAGES)
def test_every_line_says_how_it_stands_and_what_shows_it(page: str) -> None:
    for line in lines(page):
        state = STATE.fullmatch(line.state)
        assert state, line
        assert bool(TEST.search(line.shown_by)) or state[1] != "holds", line
        if state["decision"]:
            decision = (MAP / state["decision"]).resolve()
            assert not state["heading"] or state["heading"] in headings(decision), line
        for file, name in TEST.findall(line.shown_by):
            assert name in functions(ROOT / "tests" / file), line


def test_there_is_a_page_for_the_foundation_and_for_each_seed() -> None:
    assert {path.stem for path in MAP.glob("*.md")} == {*PAGES, "foundation"}

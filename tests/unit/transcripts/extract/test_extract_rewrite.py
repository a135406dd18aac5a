"""A fact can be understood without the session that it is from."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.kernel.prose.verbs import third_person
from quipu.kinds.transcripts.extract.rewrite import rewrite


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("I prefer tabs", "The user prefers tabs."),
        ("ok, i really don't like mocks please", "The user really does not like mocks."),
        ("I'd rather have loops", "The user would rather have loops."),
        ("I'm on an M2 mac", "The user is on an M2 mac."),
        (
            "we usually rebase and we push my branch",
            "The team usually rebases and the team pushes the user's branch.",
        ),
        ("we've decided against graphql", "The team has decided against graphql."),
        ("our tests need 4 GB", "The team's tests need 4 GB."),
        ("you keep using the old api", "The agent keeps using the old api."),
        ("the API runs on port 8080", "The API runs on port 8080."),
        ("src/app.py is the entry", "src/app.py is the entry."),
        ("TODO: drop the table", "Drop the table."),
        ("fyi: I hate default exports, switch this to a named one", "The user hates default exports."),
        ("I never use `I am we` in code", "The user never uses `I am we` in code."),
        ("I/O and we-ird stay", "I/O and we-ird stay."),
    ],
)
def test_persons_are_named_and_the_rest_stays(said: str, fact: str) -> None:
    assert rewrite(said) == fact


def test_an_order_keeps_its_you() -> None:
    assert (
        rewrite("when you edit a proto, run make gen", order=True) == "When you edit a proto, run make gen."
    )


def test_a_correction_loses_its_no() -> None:
    assert rewrite("No, that's wrong, we use fastapi, not flask", correction=True) == (
        "The team uses fastapi, not flask."
    )
    assert rewrite("no more mocks", correction=True) == "No more mocks."


def test_this_repo_has_the_name_of_the_project_where_it_is_known() -> None:
    assert rewrite("this repo is a monorepo", project="acme") == "The acme repo is a monorepo."
    assert rewrite("this repo is a monorepo") == "This repo is a monorepo."


@pytest.mark.parametrize(
    ("verb", "third"),
    [("use", "uses"), ("try", "tries"), ("play", "plays"), ("push", "pushes"), ("go", "goes"),
     ("need", "needs"), ("agreed", "agreed"), ("must", "must"), ("have", "has"), ("chose", "chose")],
)  # fmt: skip
def test_verbs_take_the_third_person(verb: str, third: str) -> None:
    assert third_person(verb) == third


@settings(max_examples=50)
@given(st.text(alphabet="Iweyou' m.`\"/x", min_size=1, max_size=80))
def test_code_and_quotations_are_never_changed(text: str) -> None:
    fact = rewrite(f"we use `{text.replace('`', '')}` and stop")
    hidden = " ".join(f"`{text.replace('`', '')}`".split())
    assert hidden in fact or len(hidden) <= 2


def test_what_is_no_longer_done_keeps_its_verb() -> None:
    assert rewrite("we no longer use yarn") == "The team no longer uses yarn."

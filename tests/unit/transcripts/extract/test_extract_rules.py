"""What lasts is told from what was said for now, asked, imagined, quoted or said of others."""

from __future__ import annotations

import pytest

from quipu.kinds.transcripts.extract.rules import is_open, judge, patterns


@pytest.mark.parametrize(
    ("category", "said"),
    [
        ("preferences", "I prefer tabs over spaces"),
        ("preferences", "ok, but never force push"),
        ("preferences", "use pnpm, not npm"),
        ("preferences", "from now on answer in English"),
        ("corrections", "No, the config is in settings.yml"),
        ("corrections", "you keep importing the old module"),
        ("corrections", "that's not what I asked for"),
        ("patterns", "Every time you change the schema run make gen"),
        ("patterns", "we usually rebase before merging"),
        ("knowledge", "the api runs on port 8080"),
        ("knowledge", "tokens expire after 15 minutes"),
        ("context", "We decided to go with postgres"),
        ("context", "the frontend is Next.js"),
        ("todo", "we still need to add rate limiting"),
        ("todo", "TODO: drop the old table"),
    ],
)
def test_what_lasts_is_told_by_its_words(category: str, said: str) -> None:
    assert judge(said).category == category


@pytest.mark.parametrize(
    "said",
    [
        "should we always use postgres?",
        "why does the API run on port 8080",
        "what if we used redis",
        "maybe we should never cache",
        "now run the tests",
        "use a dict here",
        "don't run the linter this time",
        "he prefers tabs",
        "the docs say that you must never do this",
        "I don't mind either way",
        "we haven't decided yet",
        "every time I run this it hangs",
        "the build is failing",
        "thanks, that worked",
        "no wait, look at the second error",
    ],
)
def test_what_does_not_last_is_left(said: str) -> None:
    assert judge(said).category is None


def test_misspelt_and_without_apostrophes_it_means_the_same() -> None:
    assert judge("i dont want mocks").category == judge("I don't want mocks").category == "preferences"
    assert judge("plz nver push to main").category == "preferences"


def test_who_is_not_sure_is_noted() -> None:
    assert judge("I think the api runs on port 8080").hedged
    assert not judge("the api runs on port 8080").hedged


def test_a_guarded_sentence_is_closed_and_a_mere_statement_is_open() -> None:
    assert not is_open("is this right?")
    assert is_open("the moon over the bay was lovely")


def test_every_guard_is_named_by_a_family_or_closes_a_sentence() -> None:
    known = patterns()
    assert {guard for family in known.families for guard in family.guards} == set(known.guards)


@pytest.mark.parametrize(
    "evil", ["we ", "if ", "every time you ", "a", "the user's ", "not ", "still need to "]
)
def test_the_longest_sentence_is_judged(evil: str) -> None:
    sentence = (evil * 400)[:400]
    assert judge(sentence) == judge(sentence)

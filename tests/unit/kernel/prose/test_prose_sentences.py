"""Prose is told from what was pasted, and cut into sentences; the rest is neither cut nor judged."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from long_form import sized

from quipu.kernel.prose.sentences import LONGEST, sentences


def texts(message: str) -> list[str]:
    return [one.text for one in sentences(message)]


def test_sentences_end_at_marks_and_lines() -> None:
    assert texts("I prefer tabs. Use pnpm!\nok? no") == ["I prefer tabs.", "Use pnpm!", "ok?", "no"]


def test_abbreviations_numbers_and_names_of_files_end_no_sentence() -> None:
    message = "Use pnpm, e.g. for web. We are on 3.11 and src/app.py is the entry."
    assert texts(message) == ["Use pnpm, e.g. for web.", "We are on 3.11 and src/app.py is the entry."]


def test_a_day_of_a_german_month_ends_no_sentence() -> None:
    assert texts("Sie wird am 2. April siebzig. Ich bin 41. Im Mai auch.") == [
        "Sie wird am 2. April siebzig.",
        "Ich bin 41.",
        "Im Mai auch.",
    ]


def test_a_mail_is_not_read_from_its_head_on() -> None:
    mail = "look what came\n\n{}\n\nI have bought a condo. You must always pay."
    for head in ("From: Gord P\nSubject: flat", "Von: G\nGesendet: heute", "De: Ana\n\nAsunto: piso"):
        assert texts(mail.format(head)) == ["look what came"]
    assert texts("From: here on use tabs.\nok") == ["From: here on use tabs.", "ok"]


def test_a_line_that_was_broken_for_want_of_room_goes_on() -> None:
    wrapped = "We decided to keep the old endpoints until the end of the year and to\nremove them then."
    assert texts(wrapped) == [wrapped]
    assert texts("first line\nsecond line") == ["first line", "second line"]


def test_items_of_a_list_stand_alone_without_their_marks() -> None:
    assert texts("Rules:\n- never push\n2. use uv") == ["Rules:", "never push", "use uv"]


@pytest.mark.parametrize(
    "pasted",
    [
        "```\nI prefer tabs\n```",
        "~~~python\nuse pnpm\n~~~",
        "> always use spaces",
        "code:\n\n    x = 1  # I prefer tabs\n",
        "2024-05-01 10:00:00 WARN we always retry",
        "[10:00:00] we use port 80",
        "ERROR: we never return",
        "npm WARN you should never do this",
        'Traceback (most recent call last):\n  File "a.py", line 1\nValueError: you must always pass x',
        "$ make always",
        "diff --git a/x b/x\n-  we never retry\n+  we always retry",
        "<!-- TODO: replace -->",
        "const x = 'we use cookies';",
        "SELECT * FROM preferences",
    ],
)
def test_what_a_machine_wrote_is_no_prose(pasted: str) -> None:
    assert [one for one in texts(f"look\n{pasted}\n") if one not in ("look", "code:")] == []


def test_prose_after_code_is_read_again() -> None:
    assert texts("```\nx\n```\nI prefer tabs.") == ["I prefer tabs."]


@pytest.mark.parametrize(
    "introduction",
    ["Translate this to French:", "here's the email from the client:", "Below is the requirements document."],
)
def test_what_is_announced_as_another_text_is_not_read(introduction: str) -> None:
    assert texts(f"{introduction}\n\nWe always use blue. We need it in May.") == [introduction]


def test_a_document_is_not_something_said() -> None:
    assert texts("# A\n" + "We always do it. " * 100 + "\n# B\nWe never do it.") == []
    assert texts("We always do it.\n" * 500) == []


def test_code_quotations_and_addresses_are_kept_but_hidden() -> None:
    (one,) = sentences(
        'Never use `eval. Never` or "I prefer tabs. Always" from https://a.example/never.html now.'
    )
    assert one.text.startswith("Never use `eval. Never`")
    assert "eval" not in one.seen
    assert "tabs" not in one.seen
    assert "example" not in one.seen
    assert len(one.seen) == len(one.text)


@settings(max_examples=50)
@given(st.text(alphabet='ab .!?\n`"> -\t#1é😀', max_size=300))
def test_sentences_are_parts_of_the_message_in_order_and_short(message: str) -> None:
    end = 0
    for one in sentences(message):
        assert end <= one.start < one.end
        assert one.text == message[one.start : one.end]
        assert one.text == one.text.strip()
        assert len(one.text) <= LONGEST
        assert len(one.seen) == len(one.text)
        end = one.end


@pytest.mark.long
@pytest.mark.parametrize(
    "evil", ["a ", "`", '"', "> ", "\n", "[", "(((", "no, ", "every time you ", "x" * 399 + ". ", "- ", "'"]
)
def test_a_long_text_of_anything_is_split(evil: str) -> None:
    message = evil * (sized(250_000, long=1_000_000) // len(evil))
    assert all(len(one.text) <= LONGEST for one in sentences(message))

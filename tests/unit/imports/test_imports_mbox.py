"""Mail: threads, people, charsets, HTML, attachments, what was deleted, and what is spoiled."""

from __future__ import annotations

import mailbox
import random
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importing import EXPORTS, imported, imported_or_refused, recognised_as, written

from quipu.app.imports.fields import Account
from quipu.app.imports.found import Said
from quipu.app.imports.sources.mbox import SOURCE
from quipu.app.imports.sources.mbox_text import seen
from quipu.errors import BadInput

EXPORT = EXPORTS / "mbox" / "mail.mbox"
FROM = b"From MAILER-DAEMON Sun Nov 22 11:20:45 2026\n"


def read(path: Path) -> tuple[list[Said], Account]:
    found, account = imported(SOURCE, path)
    return [one for one in found if isinstance(one, Said)], account


def mail(id: str | None, text: str = "Hello.", **headers: str) -> EmailMessage:
    made = EmailMessage()
    headers = {"From": "Ana <ana@example.org>", "Date": "Sun, 03 May 2026 10:00:00 +0000", **headers}
    for name, value in headers.items():
        made[name.replace("_", "-")] = value
    if id is not None:
        made["Message-ID"] = id
    made.set_content(text)
    return made


def box(path: Path, *mails: EmailMessage) -> Path:
    kept = mailbox.mbox(path)
    for one in mails:
        kept.add(one)
    kept.close()
    return path


def test_mails_are_found_by_thread_with_people_and_times() -> None:
    (first, second), account = read(EXPORT)
    assert (first.id, first.content, first.speaker) == (
        "<1@example.org>",
        "I moved to Lisbon.\n\n> old text",
        "Ana <ana@example.org>",
    )
    assert first.time == datetime(2026, 5, 3, 10, tzinfo=UTC)
    assert (second.id, second.content, second.speaker) == ("<2@example.org>", "Nice!", "ben@example.org")
    assert first.session == second.session == "<1@example.org>"
    assert second.metadata == {"title": "Re: Lisbon", "to": ["ana@example.org"]}
    assert not account.dropped
    assert recognised_as(EXPORT) == "mbox"


def test_threads_hold_whatever_the_order_and_however_they_are_named(tmp_path: Path) -> None:
    mails = [
        mail("<1@x>"),
        mail("<2@x>", In_Reply_To="<1@x>"),
        mail("<3@x>", References="<1@x> <2@x>", In_Reply_To="<2@x>"),
        mail("<4@x>", In_Reply_To="<3@x>"),
        mail("<5@x>", References="<gone@x>"),
        mail("<6@x>", In_Reply_To="<7@x>"),
        mail("<7@x>", In_Reply_To="<6@x>"),
        mail(None, "Nobody's."),
    ]
    random.shuffle(mails)
    said, _ = read(box(tmp_path / "m.mbox", *mails))
    threads = {one.id: one.session for one in said if one.content == "Hello."}
    assert {threads[f"<{number}@x>"] for number in range(1, 5)} == {"<1@x>"}
    assert threads["<5@x>"] == "<gone@x>"
    assert threads["<6@x>"] == threads["<7@x>"] == "<6@x>"
    assert len(said) == 8


def test_long_threads_are_followed_in_a_line(tmp_path: Path) -> None:
    mails = b"".join(
        FROM + f"Message-ID: <{number}@x>\nIn-Reply-To: <{number - 1}@x>\n\nx\n\n".encode()
        for number in range(2_000)
    )
    said, _ = read(written(tmp_path / "m.mbox", mails))
    assert {one.session for one in said} == {"<-1@x>"}


def test_what_was_deleted_or_never_sent_is_left_out(tmp_path: Path) -> None:
    marks = [
        {"X_Gmail_Labels": "Inbox,Trash"},
        {"X_Gmail_Labels": "Spam"},
        {"X_Gmail_Labels": "Drafts"},
        {"X_Mozilla_Status": "0009"},
        {"X_Status": "AD"},
        {"X_Gmail_Labels": "Inbox,Opened", "X_Mozilla_Status": "0001", "Status": "RO"},
    ]
    mails = [mail(f"<{number}@x>", **mark) for number, mark in enumerate(marks)]
    said, account = read(box(tmp_path / "m.mbox", *mails))
    assert [one.id for one in said] == ["<5@x>"]
    assert account.left_out == {"deleted at the source": 3, "spam": 1, "draft that was not sent": 1}


def test_words_are_decoded_whatever_is_wrong_with_them(tmp_path: Path) -> None:
    raw = (
        FROM + b"From: =?utf-8?q?J=C3=BCrgen?= <j@example.org>\nSubject: =?latin-1?q?gr=FCn?=\n"
        b"Message-ID: <1@x>\nContent-Type: text/plain; charset=nonsense\n\ngr\xc3\xbcn\n\n"
        + FROM + "From: Jürgen <j@example.org>\n".encode()
        + b"Message-ID: <2@x>\nSubject: =?utf-8?b?broken\nContent-Type: text/plain; charset=utf-8\n\n"
        b"caf\xe9\n>From here\n\nFrom here on it is the same mail.\n"
    )  # fmt: skip
    (first, second), _ = read(written(tmp_path / "m.mbox", raw))
    assert (first.speaker, first.content, first.metadata["title"]) == (
        "Jürgen <j@example.org>",
        "grün",
        "grün",
    )
    assert second.speaker == "Jürgen <j@example.org>"
    assert second.content == "café\nFrom here\n\nFrom here on it is the same mail."


def test_a_name_with_a_comma_is_one_person(tmp_path: Path) -> None:
    raw = (
        FROM
        + b'From: =?utf-8?q?D=C3=B6e=2C_Ana?= <a@x>\nTo: "Roe, Ben" <b@x>, c@x\nMessage-ID: <1@x>\n\nHi.\n'
    )
    (said,), _ = read(written(tmp_path / "m.mbox", raw))
    assert said.speaker == "Döe, Ana <a@x>"
    assert said.metadata["to"] == ["Roe, Ben <b@x>", "c@x"]


def test_html_is_read_where_there_is_no_plain_text(tmp_path: Path) -> None:
    only = mail("<1@x>")
    only.set_content(
        "<head><title>t</title><style>p{}</style></head><p>Hello <b>Ben</b> &amp; all</p>"
        "<blockquote><div>I live in Berlin.</div></blockquote>",
        subtype="html",
    )
    both = mail("<2@x>", "Plain.")
    both.add_alternative("<p>Marked.</p>", subtype="html")
    said, _ = read(box(tmp_path / "m.mbox", only, both))
    assert [one.content for one in said] == ["Hello Ben & all\n> I live in Berlin.", "Plain."]


def test_attachments_are_pointers(tmp_path: Path) -> None:
    made = mail("<1@x>")
    made.add_attachment(b"SECRET", maintype="image", subtype="png", filename="bøat.png")
    alone = mail("<2@x>", "")
    alone.add_attachment("text", filename="notes.txt")
    (first, second), account = read(box(tmp_path / "m.mbox", made, alone))
    assert first.content == "Hello."
    assert first.item == {"text": "Hello.", "attachments": [{"name": "bøat.png", "type": "image/png"}]}
    assert second.content == "[file: notes.txt]"
    assert account.dropped["bytes of image"] == account.dropped["bytes of file"] == 1
    assert "SECRET" not in repr(first.raw)


def test_a_mail_that_lies_in_two_boxes_counts_once(tmp_path: Path) -> None:
    for name in ("Inbox", "Sent.mbox"):
        box(tmp_path / name, mail("<1@x>"))
    said, account = read(tmp_path)
    assert len(said) == 1
    assert account.left_out == {"message that was there before": 1}


def test_dates_that_are_none_are_taken_from_the_receipt(tmp_path: Path) -> None:
    received = "from a by b; Sun, 03 May 2026 10:00:05 +0000"
    said, account = read(
        box(tmp_path / "m.mbox", mail("<1@x>", Date="yesterday", Received=received), mail("<2@x>", Date=""))
    )
    assert [one.time for one in said] == [datetime(2026, 5, 3, 10, 0, 5, tzinfo=UTC), None]
    assert len(account.assumed) == 1


def test_parts_in_parts_without_end_are_refused_and_the_rest_goes_on(tmp_path: Path) -> None:
    deep = b"".join(
        f'Content-Type: multipart/mixed; boundary="{level}"\n\n--{level}\n'.encode() for level in range(3_000)
    )
    raw = FROM + b"Message-ID: <1@x>\n" + deep + b"\nx\n\n" + FROM + b"Message-ID: <2@x>\n\nHello.\n"
    said, account = read(written(tmp_path / "m.mbox", raw))
    assert [one.id for one in said] == ["<2@x>"]
    assert account.unreadable == 1


@pytest.mark.parametrize("content", [b"", b"Hello\n", b"From me\n", b"From a b\n\nx", b"\0" * 100])
def test_a_file_that_is_no_mailbox_is_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(BadInput, match="no file of mbox"):
        imported(SOURCE, written(tmp_path / "m.mbox", content))


@given(st.lists(st.tuples(st.integers(0, 10**6), st.binary(max_size=30)), max_size=4))
def test_bytes_in_any_place_break_no_mailbox(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[int, bytes]]
) -> None:
    data = bytearray(EXPORT.read_bytes())
    for place, new in changes:
        at = place % len(data)
        data[at : at + len(new)] = new
    path = written(tmp_path_factory.mktemp("spoiled") / "m.mbox", bytes(data))
    imported_or_refused(SOURCE, path, name="m.mbox")


@given(
    st.sampled_from(["From", "Date", "Subject", "Message-ID", "References", "Content-Type", "To", "Received",
                     "Content-Transfer-Encoding", "X-Mozilla-Status", "Content-Disposition"]),
    st.text(alphabet=st.characters(blacklist_characters="\r\n"), max_size=40)
    | st.text(alphabet="=?utf-8bq\"<>@;:/*'% ,0()[]", max_size=40),
)  # fmt: skip
def test_any_header_is_read(tmp_path_factory: pytest.TempPathFactory, name: str, value: str) -> None:
    raw = FROM + f"{name}: {value}\n".encode("utf-8", "surrogatepass") + b"X-A: b\n\nHello.\n"
    path = written(tmp_path_factory.mktemp("spoiled") / "m.mbox", raw)
    imported_or_refused(SOURCE, path, name="m.mbox")


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<head><title>t</title><body>a<br/>b<svg/>c", "a\nbc"),
        ("<!-- x --><p>a<script>b</script> <!-- open", "a"),
        ("<!--[if mso]>x<![endif]-->a &lt; b 1 < 2", "a < b 1 < 2"),
        ("<blockquote>a<blockquote>b</blockquote></blockquote></blockquote>c", "> a\n>> b\nc"),
        ("<ul><li>a<li>b</ul>", "a\nb"),
    ],
)
def test_html_is_read_as_it_is_seen(html: str, text: str) -> None:
    assert seen(html) == text


@given(st.text(alphabet="<>/!-[]& abpdiv\"'=;#x0\n", max_size=80))
def test_any_html_is_read(html: str) -> None:
    assert isinstance(seen(html), str)

"""Plan of a sync: files and the documents that stand, compared without a database."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from quipu.kinds.documents.files.plan import Address, FileDocument, Found, Plan, plan

FILES = st.dictionaries(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz")), st.sampled_from("123"))


def planned(found: dict[Address, str], standing: dict[Address, str], **more: object) -> Plan:
    given_ = {"kept": (), "user": None, "verbatim": False, **more}
    documents = {
        at: FileDocument(file=at[1], sha256=digest, user=None, redacted=0, verbatim=False)
        for at, digest in standing.items()
    }
    files = {at: Found(file=at[1], sha256=digest) for at, digest in found.items()}
    return plan(files, documents, **given_)  # pyright: ignore[reportArgumentType]


@given(found=FILES, standing=FILES)
def test_each_file_and_each_document_has_one_fate(
    found: dict[Address, str], standing: dict[Address, str]
) -> None:
    done = planned(found, standing)
    was, now = {old for old, _ in done.renamed}, {new for _, new in done.renamed}
    assert len(was) == len(now) == len(done.renamed)
    assert len(done.written) + done.unchanged + len(now) == len(found)
    assert was | set(done.removed) == {at for at in standing if at not in found}
    assert not was & set(done.removed)
    assert all(standing[old] == found[new] for old, new in done.renamed)


@given(found=FILES, standing=FILES)
def test_a_second_pass_changes_nothing(found: dict[Address, str], standing: dict[Address, str]) -> None:
    assert planned(found, found) == Plan(unchanged=len(found))
    kept = planned({}, standing, kept=list(standing))
    assert kept == Plan()


def test_of_two_with_the_same_bytes_the_same_name_is_the_renamed_one() -> None:
    done = planned({("b", "x"): "1"}, {("a", "y"): "1", ("a", "x"): "1"})
    assert done == Plan(renamed=[(("a", "x"), ("b", "x"))], removed=[("a", "y")])


def test_another_owner_or_another_way_with_secrets_is_a_change() -> None:
    assert planned({("a", "x"): "1"}, {("a", "x"): "1"}, user="ana").written == [("a", "x")]
    assert planned({("a", "x"): "1"}, {("a", "x"): "1"}, verbatim=True).written == []

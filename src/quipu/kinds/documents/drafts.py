"""Documents that are to be written: checked, without secrets, cut into passages."""

from __future__ import annotations

from anyio import to_thread

from quipu.errors import BadInput
from quipu.kernel.base import scope
from quipu.kernel.base.parameters import LAST_VERSION
from quipu.kernel.base.scope import optional_name, own_user
from quipu.kinds.documents import rules
from quipu.kinds.documents.model import JSON, DocumentDraft, Passage
from quipu.kinds.documents.passages import passages
from quipu.record.items import checked_metadata

_LARGE_CHARACTERS = 100_000


async def drafted(
    path: object,
    key: object,
    value: JSON,
    *,
    secrets: bool,
    body: object = None,
    metadata: object = None,
    user: object = None,
    index: object = True,
    ttl_seconds: object = None,
    actor: object = None,
    verbatim: object = False,
    vectors: object = None,
    expected_version: object = None,
    expected_sha256: object = None,
) -> DocumentDraft:
    """Return a document that is to be written, checked and cut into passages.

    ``secrets``: whether to cut secrets out. The rest is as of `AsyncDocuments.put`, not yet checked.

    Raises:
        BadInput: an argument is invalid; the error names it.
        TooLarge: value and body have more than 16 MB together.
    """
    place, name = rules.address(path, key)
    kept = bool(verbatim)
    said = rules.text("body", body)
    if value is None and said is None:
        raise BadInput("a value or a body is needed.", field="value", hint="To take it away, use delete.")
    dumped = None if value is None else rules.dumped("value", value)
    rules.check_size(dumped, said)
    paths, about = rules.index_paths(index), checked_metadata(metadata, secrets=secrets and not kept)
    cuts = 0

    def cut() -> tuple[Passage, ...]:
        nonlocal value, dumped, said, cuts
        if secrets and not kept:
            value, said, cuts = rules.without_secrets(value, said)
            dumped = rules.dumped("value", value) if cuts and value is not None else dumped
        return passages(value, said, key=name, index=paths, secrets=secrets and kept)

    is_small = len(dumped or "") + len(said or "") < _LARGE_CHARACTERS
    pieces = cut() if is_small else await to_thread.run_sync(cut)
    return DocumentDraft(
        path=place[:-1].split(rules.SEPARATOR),
        place=place,
        key=name,
        value=value,
        dumped=dumped,
        body=said,
        metadata=about,
        user=own_user(optional_name("user", user)),
        index=paths,
        ttl_seconds=rules.ttl(ttl_seconds),
        passages=pieces,
        redacted=cuts,
        vectors=rules.vectors(vectors),
        written_by=optional_name("actor", actor),
        expected_version=version_of(expected_version),
        expected_sha256=None if expected_sha256 is None else str(expected_sha256),
    )


def version_of(version: object) -> int | None:
    """Return a version that is expected, if any.

    Raises:
        BadInput: it is no number of a version.
    """
    if version is None:
        return None
    return scope.whole("expected_version", version, least=0, most=LAST_VERSION)

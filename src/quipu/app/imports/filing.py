"""Writing documents that another system had, with their times and the versions that they had before."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from quipu.app.imports.found import Earlier, Filed
from quipu.app.imports.origins import SQL, Origins, Tallied
from quipu.app.imports.parcels import storable_value
from quipu.errors import QuipuError
from quipu.kernel.db.database import SpaceTransaction
from quipu.kinds.documents.drafts import drafted
from quipu.kinds.documents.model import DocumentDraft
from quipu.kinds.documents.work import Work, done
from quipu.record.items import without_secrets


class Filing:
    """Writes the documents of one import."""

    def __init__(self, origins: Origins, written: Tallied) -> None:
        self._origins = origins
        self._means, self._place, self._account = origins.means, origins.place, origins.account
        self._written = written

    async def file(self, filed: Sequence[Filed], *, new: bool) -> None:
        """Write documents: new ones where nothing stands, or a new version of those that came before."""
        drafts = await self._drafts(filed, new=new)
        if not drafts:
            return
        now = self._means.clock.now()
        async with self._means.database.write(self._place.space) as tx:
            if new:
                drafts = await self._free(tx, drafts)
            result = await done(tx, Work(written=[draft for _, draft in drafts]), now=now)
            ids = [result.written[draft.place, draft.key].id for _, draft in drafts]
            filed = [one for one, _ in drafts]
            if new:
                dates = [_dates(one, id_, now=now) for one, id_ in zip(filed, ids, strict=True)]
                versions = [
                    row
                    for one, id_ in zip(filed, ids, strict=True)
                    for row in _versions(one, id_, now=now, secrets=self._means.settings.redact)
                ]
                await tx.execute(SQL["date_documents"], documents=json.dumps(dates))
                await tx.execute(SQL["date_passages"], ids=ids)
                await tx.execute(SQL["bring_versions"], versions=json.dumps(versions))
            await self._origins.begin(tx)
            origins = [self._origins.origin(one, id_) for one, id_ in zip(filed, ids, strict=True)]
            await self._origins.note(tx, "note_origins" if new else "note_change", origins)
        if new:
            self._written.records["document"] += len(ids)

    async def _drafts(self, filed: Sequence[Filed], *, new: bool) -> list[tuple[Filed, DocumentDraft]]:
        now, drafts = self._means.clock.now(), dict[tuple[str, str], tuple[Filed, DocumentDraft]]()
        for one in filed:
            if one.expires_at is not None and one.expires_at <= now:
                self._account.leave_out("expired at the source")
                continue
            try:
                draft = await drafted(
                    one.path,
                    one.key,
                    one.value,
                    body=one.body,
                    metadata=one.metadata,
                    user=one.user,
                    index=one.index,
                    actor=self._place.source,
                    secrets=self._means.settings.redact,
                    expected_version=0 if new else None,
                )
            except QuipuError as error:
                self._account.refuse(f"document {one.id}", str(error))
                continue
            if draft.redacted:
                self._written.redacted["in documents"] += draft.redacted
            drafts[draft.place, draft.key] = (one, draft)
        return list(drafts.values())

    async def _free(
        self, tx: SpaceTransaction, drafts: Sequence[tuple[Filed, DocumentDraft]]
    ) -> list[tuple[Filed, DocumentDraft]]:
        """Return the documents at whose places nothing stands; the rest is refused."""
        places, keys = [draft.place for _, draft in drafts], [draft.key for _, draft in drafts]
        taken = set(await tx.rows(SQL["standing_documents"], places=places, keys=keys))
        for one, draft in drafts:
            if (draft.place, draft.key) in taken:
                self._account.refuse(f"document {one.id}", "another document stands there.")
        return [(one, draft) for one, draft in drafts if (draft.place, draft.key) not in taken]


def _dates(one: Filed, id_: str, *, now: datetime) -> dict[str, Any]:
    created = one.created_at or one.updated_at or now
    updated = max(created, one.updated_at or created)
    ttl = one.ttl_seconds
    if one.expires_at is not None and ttl is None:
        ttl = max((one.expires_at - updated).total_seconds(), 1.0)
    return {
        "id": id_,
        "created_at": created.isoformat(),
        "updated_at": updated.isoformat(),
        "expires_at": moment_text(one.expires_at) if ttl is not None else None,
        "ttl_seconds": None if one.expires_at is None else ttl,
        "version": 1 + len(one.earlier),
    }


def _versions(one: Filed, id_: str, *, now: datetime, secrets: bool) -> list[dict[str, Any]]:
    begun = one.created_at or one.updated_at or now
    times = [earlier.time or begun for earlier in one.earlier]
    ends = [*times[1:], one.updated_at or now][: len(times)]
    return [
        {
            "id": id_,
            "version": number,
            **_wording(earlier, secrets=secrets),
            "written_at": begins.isoformat(),
            "ended_at": max(begins, ends_at).isoformat(),
        }
        for number, (earlier, begins, ends_at) in enumerate(
            zip(one.earlier, times, ends, strict=True), start=1
        )
    ]


def _wording(earlier: Earlier, *, secrets: bool) -> dict[str, Any]:
    """Return the wording of an earlier version as it can be stored; with ``secrets``, they are cut out."""
    said = {"value": earlier.value, "body": earlier.body, "metadata": dict(earlier.metadata)}
    clean = storable_value(said)
    return without_secrets(clean)[0] if secrets else clean


def moment_text(at: datetime | None) -> str | None:
    """Return a time as JSON has it."""
    return None if at is None else at.isoformat()

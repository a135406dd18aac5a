"""Claude.ai beside its conversations: accounts, projects with their documents, memories and memory files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from quipu.app.imports.fields import Account
from quipu.app.imports.files import SourceFiles
from quipu.app.imports.found import JSON, Filed, Metadata, Stated

ROOT: Final = "claude-ai"
USERS: Final = r"(?:.*/)?users(?:-\d+)?\.json"
PROJECTS: Final = r"(?:.*/)?projects(?:-\d+)?\.json|(?:.*/)?projects/[^/]+\.json"
MEMORIES: Final = r"(?:.*/)?memories(?:-\d+)?\.json|(?:.*/)?memories/[^/]+\.json"
MEMORY_TEXTS: Final = r"(?:.*/)?(?:memories-\d+(?:\.zip)?|memory_files)/.+\.(?:md|txt)"
_INSTRUCTIONS: Final = "instructions"


@dataclass(slots=True)
class Export:
    """Names that records of one export share: of accounts and projects by their ids, and of documents."""

    accounts: dict[str, str] = field(default_factory=dict[str, str])
    projects: dict[str, str] = field(default_factory=dict[str, str])
    taken: set[tuple[str, ...]] = field(default_factory=set[tuple[str, ...]])

    def user(self, account: str | None) -> str | None:
        """Return the name of an account's person; None if the export does not say."""
        return self.accounts.get(account or "")

    def filed(
        self,
        id: str,
        path: tuple[str, ...],
        key: str,
        body: str,
        *,
        metadata: Metadata,
        user: str | None,
        raw: JSON,
        created_at: datetime | None = None,
        updated_at: datetime | None = None,
        index: bool = True,
    ) -> Filed:
        """Return a document at a place of its own: another of its name there has its id in the name."""
        if (*path, key) in self.taken:
            key = f"{key} ({id})"
        self.taken.add((*path, key))
        return Filed(
            id=id,
            path=(ROOT, *path),
            key=key,
            body=body,
            metadata=metadata,
            user=user,
            created_at=created_at,
            updated_at=updated_at,
            index=index,
            raw=raw,
        )


def each(files: SourceFiles, pattern: str) -> Iterator[tuple[str, JSON]]:
    """Yield what files of JSON hold, with where it stands: the elements of an array, or the one object."""
    for name in files.like(pattern):
        if files.begin(name, 64).removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"[":
            for number, raw in enumerate(files.each(name), start=1):
                yield f"{name}, element {number:,}", raw
        else:
            yield name, files.json(name)


def read_accounts(files: SourceFiles, account: Account, export: Export) -> None:
    """Take the names of the accounts."""
    for where, raw in each(files, USERS):
        with account.reading(where), account.fields(raw, "user") as one:
            if name := one.text("full_name") or one.text("email_address"):
                export.accounts[one.words("uuid")] = name


def projects(files: SourceFiles, account: Account, export: Export) -> Iterator[Filed]:
    """Yield the documents of the projects, and their instructions, which are kept out of recall."""
    for where, raw in each(files, PROJECTS):
        with account.reading(where), account.fields(raw, "project") as one:
            id = one.words("uuid")
            name = export.projects[id] = one.text("name") or id
            creator = one.part("creator").text("uuid")
            path, user = ("projects", name), export.user(creator)
            about: Metadata = {"project": name, "project_id": id}
            created, updated = one.time("created_at"), one.time("updated_at")
            if instructions := one.text("prompt_template"):
                yield export.filed(
                    f"{id}/{_INSTRUCTIONS}",
                    path,
                    _INSTRUCTIONS,
                    instructions,
                    metadata=about,
                    user=user,
                    created_at=created,
                    updated_at=updated,
                    index=False,
                    raw={"uuid": id, "name": name, "prompt_template": instructions},
                )
            for number, doc in enumerate(one.list("docs"), start=1):
                with (
                    account.reading(f"{where}, document {number:,}"),
                    account.fields(doc, "document") as given,
                ):
                    file = given.text("filename") or given.text("file_name")
                    doc_id = given.text("uuid") or f"{id}/{file or number}"
                    if body := given.text("content"):
                        yield export.filed(
                            doc_id,
                            path,
                            file or doc_id,
                            body,
                            metadata=about,
                            user=user,
                            created_at=given.time("created_at"),
                            raw=doc,
                        )
                    else:
                        account.leave_out("document without text")


def memories(files: SourceFiles, account: Account, export: Export) -> Iterator[Stated | Filed]:
    """Yield what Claude wrote down of an account and of its projects, and its files of memory."""
    first: str | None = None
    for where, raw in each(files, MEMORIES):
        with account.reading(where), account.fields(raw, "memories") as one:
            owner = one.text("account_uuid")
            first = first or owner
            before = "" if owner == first else f"{owner}/"  # ids of one account alone need no prefix
            user = export.user(owner)
            if text := one.text("conversations_memory"):
                yield Stated(
                    id=f"{before}conversations",
                    text=text,
                    user=user,
                    raw={"account_uuid": owner, "conversations_memory": text},
                )
            for project, said in one.object("project_memories").items():
                if not isinstance(said, str) or not said.strip():
                    account.leave_out("memory without text")
                    continue
                yield Stated(
                    id=f"{before}{project}",
                    text=said,
                    user=user,
                    metadata={"project": export.projects.get(project, project), "project_id": project},
                    raw={"account_uuid": owner, "project_memories": {project: said}},
                )
            for number, given in enumerate(one.list("memory_files"), start=1):
                with account.reading(f"{where}, file {number:,}"):
                    yield from _memory_file(given, account, export, before=before, user=user)
    yield from _memory_texts(files, export)


def _memory_file(
    raw: JSON, account: Account, export: Export, *, before: str, user: str | None
) -> Iterator[Filed]:
    with account.fields(raw, "memory_file") as one:
        path, body, changed = one.words("path"), one.text("content"), one.time("updated_at")
    if body is None:
        account.leave_out("memory file without text")
        return
    yield _memory(
        path, body, export, id=f"{before}memory_files/{path.strip('/')}", user=user, at=changed, raw=raw
    )


def _memory_texts(files: SourceFiles, export: Export) -> Iterator[Filed]:
    """Yield memory files that lie in the export as files, at a path below the folder they came in."""
    for name in files.like(MEMORY_TEXTS):
        folder = name.replace("memory_files/", "\0").partition("\0")[2] or name.partition("/memories/")[2]
        path = folder or name.rpartition("/")[2]
        body = files.text(name)
        if body.strip():
            yield _memory(
                path, body, export, id=f"memory_files/{path}", user=None, at=None, raw={"path": path}
            )


def _memory(
    path: str, body: str, export: Export, *, id: str, user: str | None, at: datetime | None, raw: JSON
) -> Filed:
    *folders, key = [part for part in path.split("/") if part] or [path]
    names = [export.projects.get(folder, folder) for folder in folders]
    return export.filed(
        id, ("memory", *names), key, body, metadata={"path": path}, user=user, updated_at=at, raw=raw
    )

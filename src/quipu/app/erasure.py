"""Forgetting, and looking again at what an erasure left."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from quipu.app.forget import ForgetRequest
from quipu.app.rooms import AsyncRooms
from quipu.errors import BadInput, NotFound
from quipu.kernel.base.scope import check_known_name, everybody_only
from quipu.upkeep.erasure import forgotten
from quipu.upkeep.erasure.forgotten import ErasedSpace
from quipu.upkeep.erasure.limits import Limit, OnRead
from quipu.upkeep.erasure.model import Checked, Erasure, Receipt, What
from quipu.upkeep.erasure.rewrite import Rewritten


class AsyncErasures(AsyncRooms):
    """Methods of a memory that forget, and that prove it."""

    async def forget(
        self,
        *,
        space: str,
        session: str | None = None,
        user: str | None = None,
        message: str | None = None,
        names: Sequence[str] = (),
        everywhere: bool = False,
        confirm: bool = False,
    ) -> Erasure:
        """Forget a session, a person, a message, or the whole space if none is named.

        Without ``confirm`` it is a preview: how many rows of what would go. With it, everything goes at
        once, from every table and index, and the receipt that comes back is kept without any content.

        Where a person is forgotten, their names are looked for in the tables of agents and in what others
        said, and ``left`` says where they stand: their id, the names that only their messages carry, and
        ``names`` that you add (other spellings, numbers, addresses). With ``everywhere`` they are taken out
        there: rows of agents' tables of which a value is a name go, and memories that have a name in them;
        elsewhere ``[erased]`` takes its place, and what was made of such words is made again.

        Raises BadInput where an argument cannot be taken.
        """
        everybody_only("Erasures concern")
        named = {"session": session, "user": user, "message": message}
        # What an earlier version took in may be called by a secret: it must be possible to forget it.
        given = {name: value for name, value in named.items() if value is not None}
        what = What(**{name: check_known_name(name, value) for name, value in given.items()})
        name, now = check_known_name("space", space), self._clock.now()
        asked = ForgetRequest(self._ready, self._settings, self.snapshots, space=name, now=now)
        return await asked.forget(what, names=names, everywhere=everywhere, confirm=confirm)

    async def rewrite_freed(self, receipt: str, *, space: str, confirm: bool = False) -> Rewritten:
        """Rewrite tables after an erasure, so that the data files no longer hold what was taken out.

        Without ``confirm`` it says how much that is. All our tables, the agents' tables of the space and the
        statistics are rewritten, each locked meanwhile, for rows that ordinary work freed before the
        erasure hold words as well; then the write-ahead log is written over. It takes once more the size of
        the largest table on the disk. A signed note to the receipt says that it was done, and `check_erasure`
        reads it.

        Raises:
            Conflict: transactions are open that still see what was erased.
            NotFound: there is no such receipt in the space.
        """
        from quipu.app.after_erasure import rewrite_freed  # noqa: PLC0415 - few ever do it

        everybody_only("Erasures concern")
        receipts, known = await self._erased(receipt, check_known_name("space", space))
        now = self._clock.now()
        return await rewrite_freed(self._ready, receipts[0].id, known, now=now, confirm=confirm)

    async def check_erasure(
        self,
        receipt: str,
        strings: Sequence[str] = (),
        *,
        space: str,
        exports: Sequence[str | PathLike[str]] = (),
        after: str | None = None,
        seconds: float | None = None,
        most_bytes: int | None = None,
        of_all: bool = True,
        progress: OnRead | None = None,
    ) -> Checked:
        """Look again at the places that a receipt and its note name: what is still there, what is gone, what
        cannot be reached, and until when; with ``strings``, whether these stand there: no receipt holds them.

        Searched are the tables, the index and the agents' tables of the space as they read now; the snapshots
        of the space; of an embedded database also its data files, log and archive, the base backups and the
        rest of the home, as bytes; and ``exports``, files or directories that you name, in which files that
        were handed out are recognised under any name. What is packed (gzip, bzip2, xz, zstd, tar, zip) is
        unpacked. Long texts are compressed in the files of the database: there they are not found as bytes.

        ``seconds`` and ``most_bytes`` are limits, at which the answer says where to go on: ``after``.
        ``of_all=False`` leaves out the files that belong to all spaces together. ``progress`` is told how
        many bytes more were read. A space that was forgotten whole is named as it was.

        Raises:
            BadInput: a string has less than 3 characters, they are too many, or a limit is not above 0.
            NotFound: there is no such receipt in the space.
        """
        from quipu.app.after_erasure import Checking  # noqa: PLC0415 - few ever check

        everybody_only("Erasures concern")
        name = check_known_name("space", space)
        for field, given in (("seconds", seconds), ("most_bytes", most_bytes)):
            if given is not None and not given > 0:
                raise BadInput("more than 0.", field=field)
        receipts, known = await self._erased(receipt, name)
        limit = Limit(seconds=seconds, most_bytes=most_bytes, progress=progress)
        return await Checking(self._ready, self._settings, known).check(
            receipts,
            strings,
            limit,
            exports=[Path(one) for one in exports],
            after=after,
            of_all=of_all,
        )

    async def _erased(self, receipt: str, space: str) -> tuple[Sequence[Receipt], ErasedSpace]:
        """Return the receipt of an erasure with the notes to it, and its space as it was."""
        receipts = await self.receipts.get(receipt, space=space)
        if receipts and receipts[0].document.get("type") == "erasure":
            known = await forgotten.find(self._ready.database, space, receipts[0].id)
            if known is not None:
                return receipts, known
        raise NotFound(f"{receipt!r} is no receipt of an erasure.", hint="The list of receipts shows them.")

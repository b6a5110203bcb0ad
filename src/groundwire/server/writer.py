"""Write the records of many requests in few transactions; nobody is answered before the commit."""

import asyncio
import queue
import threading
from typing import Any, Final

from groundwire.server.trail import Receipt, Trail

_MOST: Final = 256  # records of one transaction


class TrailWriter:
    """One thread in front of the trail, so that requests that end together share one write to the disk."""

    def __init__(self, trail: Trail) -> None:
        self._trail = trail
        self._waiting: queue.SimpleQueue[_Entry | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="groundwire-trail", daemon=True)
        self._thread.start()

    async def append(self, payload: dict[str, Any]) -> Receipt:
        """Return when the record is safe; raise when it could not be written."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Receipt] = loop.create_future()
        self._waiting.put(_Entry(payload, future, loop))
        return await future

    def close(self) -> None:
        """Write what is waiting and end."""
        self._waiting.put(None)
        self._thread.join()
        self._trail.close()

    def _run(self) -> None:
        while True:
            entry = self._waiting.get()
            entries = []
            while entry is not None:
                entries.append(entry)
                if len(entries) == _MOST or self._waiting.empty():
                    break
                entry = self._waiting.get()
            if entries:
                self._write(entries)
            if entry is None:
                return

    def _write(self, entries: "list[_Entry]") -> None:
        # The edge of the service: whatever goes wrong here, the request is told, and no thread dies of it.
        try:
            receipts = self._trail.append([entry.payload for entry in entries])
        except Exception as error:
            for entry in entries:
                entry.settle(None, error)
        else:
            for entry, receipt in zip(entries, receipts, strict=True):
                entry.settle(receipt, None)


class _Entry:
    __slots__ = ("future", "loop", "payload")

    def __init__(
        self, payload: dict[str, Any], future: "asyncio.Future[Receipt]", loop: asyncio.AbstractEventLoop
    ) -> None:
        self.payload, self.future, self.loop = payload, future, loop

    def settle(self, receipt: Receipt | None, error: Exception | None) -> None:
        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self._set, receipt, error)

    def _set(self, receipt: Receipt | None, error: Exception | None) -> None:
        if self.future.done():
            return
        if receipt is None:
            self.future.set_exception(error or RuntimeError("no receipt"))
        else:
            self.future.set_result(receipt)

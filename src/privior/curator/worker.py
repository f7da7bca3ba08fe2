"""The process that reads the rows of a file: it alone sees them, and says nothing but noisy statistics.

(Where the curator looks at her own table, it says shapes of cells instead; `looking`.)

Started by `own_process` with pipes as standard input and output. One table, one order to go, one draw, one
answer (T29). If whoever started it is gone, it removes its temporary folder and ends at once, also in the
middle of a query (T27).
"""

from __future__ import annotations

import os
import queue
import select
import shutil
import threading
from pathlib import Path

from privior.curator.channel import FOLDER, Channel, ChannelError, Message, refusal
from privior.curator.incidents import Incident
from privior.curator.progress import COUNTING
from privior.curator.rows import Rows, ShapedRows
from privior.curator.silence import be_silent, take_streams
from privior.errors import PriviorError, TableError
from privior.plans import Plan
from privior.registry import import_extension
from privior.schema import Schema
from privior.stand_in import take_in_part
from privior.tables import without_secrets
from privior.tables.light_duckdb import load_lightly

#: seconds between two looks at whether the parent still lives
_LOOK = 1.0
#: how often removing is tried while the engine still writes
_TRIES = 200

Orders = queue.SimpleQueue[Message]


def main() -> None:
    """Serve one release and end."""
    incoming, outgoing = take_streams()
    be_silent()
    load_lightly()
    take_in_part("flint")
    channel, orders = Channel(incoming, outgoing), Orders()
    threading.Thread(target=_watch, args=(channel, orders, os.getppid()), daemon=True).start()
    try:
        ready = _prepared(orders.get(), channel)
        if ready is not None:
            channel.send({"prepared": True})
            _answer(ready, str(orders.get()["go"]), channel)
    finally:
        _leave()


def _prepared(order: Message, channel: Channel) -> Rows | ShapedRows | None:
    """Open the table, or say why not; what nobody foresaw is told without its cause."""

    def tell(step: str) -> None:
        if step == COUNTING:
            channel.send({"step": step})

    try:
        if "look" in order:
            return ShapedRows.opened(Schema.from_document(order["look"]), order["columns"], order["table"])
        for extension in order["extensions"] if isinstance(order["extensions"], list) else ():
            import_extension(str(extension))  # as the program that asked has it; no file names one
        sent = order["plans"]
        plans = [Plan.from_document(document) for document in (sent if isinstance(sent, list) else ())]
        if [plan.digest for plan in plans] != order["digests"]:
            raise ValueError("the plans did not arrive as they were sent")
        return Rows.opened(plans, order["table"], tell)
    except PriviorError as error:
        said = error
    except Exception as error:
        Incident("none", "preparing").record(error)
        said = TableError("the table cannot be opened", where=without_secrets(str(order["table"])))
    channel.send({"refused": refusal(said)})
    return None


def _answer(rows: Rows | ShapedRows, number: str, channel: Channel) -> None:
    incident = Incident(number, tell=lambda step: channel.send({"step": step}))
    try:
        answer: Message = rows.answer(incident)
    except BaseException as error:  # whatever it is, it may depend on the data
        incident.record(error)
        answer = {"failed": True}
    channel.send(answer)


def _watch(channel: Channel, orders: Orders, parent: int) -> None:
    """Pass on what is ordered; end this process when nobody can order anything any more.

    A thread: it gets its turn during queries and between any two steps of Python, though not during a single
    native call that lets no other thread run.
    """
    try:
        while os.getppid() == parent:
            if select.select([channel.incoming], [], [], _LOOK)[0]:
                orders.put(channel.receive())
    except ChannelError:
        pass
    finally:
        _leave()


def _leave() -> None:
    """Remove the temporary folder and end, whatever the other threads are doing."""
    try:
        _wipe(Path(os.environ.get("TMPDIR", "")))
    finally:
        os._exit(0)


def _wipe(folder: Path) -> None:
    for _ in range(_TRIES):
        if not folder.name.startswith(FOLDER) or not folder.exists():
            return
        shutil.rmtree(folder, ignore_errors=True)

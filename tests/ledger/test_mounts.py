"""Where a ledger's file lies, and who may write it: mounts, file systems, locks. T51."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from fractions import Fraction
from pathlib import Path

import pytest
from ledger_places import fruit_plan
from namespaces import beforehand, bind, forked, in_namespace, mount

import privior as pv
from privior.ledger import file_locks, file_systems, sqlite

OLD = Path(__file__).parents[1] / "compat"


@pytest.fixture
def small(tmp_path: Path) -> pv.Ledger:
    return pv.Ledger.create(tmp_path / "small.ledger", population="orchard", epsilon=1)


def _refusal(act: Callable[[], object]) -> str:
    with pytest.raises(pv.LedgerError) as refusal:
        act()
    return str(refusal.value)


def test_a_mounted_file_can_be_read_and_not_be_spent_from(small: pv.Ledger, schema: pv.Schema) -> None:
    plan = fruit_plan(schema, "0.1")
    entry = small.spend(plan, key="march")
    small.finish(entry, "what was released")
    path = Path(small.where)

    def look() -> list[str]:
        inside = path.parent / "a space\tand more" / "data.ledger"
        inside.parent.mkdir()
        inside.touch()
        bind(path, inside)
        link = path.parent / "link.ledger"
        link.symlink_to(inside)
        for place in (inside, link):
            book = pv.Ledger.open(place)
            assert "epsilon 0.1, delta 0 by 1 release" in str(book)
            assert book.verify() == entry
            assert book.replay(plan, key="march") == ("what was released",)
            assert len(book.history().entries) == 2
        acts = (
            lambda: book.spend(plan),
            lambda: book.check(plan),
            lambda: book.allow("ann", 1),
            book.reconcile,
        )
        pv.Ledger.open(path).spend(plan)  # under its own name all is well
        return [_refusal(act) for act in acts]

    for refusal in in_namespace(look):
        assert "mounted by itself" in refusal
        assert "in a container mount that folder, or a named volume" in refusal
        assert "postgresql://" in refusal
    assert small.spent == pv.Budget.of("0.2")


def test_a_folder_that_is_mounted_twice_is_one_budget(small: pv.Ledger, schema: pv.Schema) -> None:
    plan, path = fruit_plan(schema, "0.05"), Path(small.where)

    def spend_often(place: Path) -> int:
        granted = 0
        try:
            for _ in range(8):
                pv.Ledger.open(place).spend(plan)
                granted += 1
        except pv.BudgetExceededError:
            pass
        return granted

    def storm() -> list[int]:
        places = [Path(f"{path.parent}-{number}") for number in (1, 2)]
        for place in places:
            place.mkdir()
            bind(path.parent, place)
        return forked([lambda place=place: spend_often(place / path.name) for place in places * 2])  # type: ignore[misc]

    assert sum(in_namespace(storm)) == 20
    assert small.verify().spent == pv.Budget.of(1)


def test_kinds_are_told_of_the_mount_that_is_seen(tmp_path: Path) -> None:
    """A mount that another one hides says nothing about what lies there."""

    def look() -> list[str | None]:
        outer = tmp_path / "outer"
        (outer / "inner").mkdir(parents=True)
        mount("ramfs", outer / "inner")
        first = file_systems.kind_of(outer / "inner")
        mount("tmpfs", outer)
        (outer / "inner").mkdir()
        return [first, file_systems.kind_of(outer / "inner")]

    assert in_namespace(look) == ["ramfs", "tmpfs"]


@pytest.mark.parametrize("kind", ["9p", "virtiofs", "fuse", "fuse.sshfs", "fuse.osxfs", "nfs4", "proc", None])
def test_file_systems_that_are_not_known_are_refused(
    kind: str | None, small: pv.Ledger, schema: pv.Schema, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = fruit_plan(schema, "0.1")
    small.spend(plan)
    monkeypatch.setattr(file_systems, "kind_of", lambda place: kind)
    book = pv.Ledger.open(small.where)
    assert book.verify().spent == pv.Budget.of("0.1")
    for act in (
        lambda: book.spend(plan),
        lambda: pv.Ledger.create(f"{small.where}.new", population="p", epsilon=1),
    ):
        refusal = _refusal(act)
        assert "on this file system" in refusal
        assert (kind or "does not tell") in refusal
        assert "ext4" in refusal
    monkeypatch.setattr(file_systems, "kind_of", lambda place: "xfs")
    book.spend(plan)


def test_a_system_that_tells_nothing_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert file_systems.kind_of(tmp_path) in file_systems.LOCAL

    def silent(place: Path) -> str:
        raise OSError("no /proc")

    monkeypatch.setattr(file_systems, "_mount_of", silent)
    assert file_systems.kind_of(tmp_path) is None
    assert file_systems._is_mounted_itself(tmp_path / "x")
    assert "on this file system" in _refusal(lambda: file_systems.refuse_unsafe(tmp_path))


def _close_another_descriptor(ledger: pv.Ledger) -> None:
    """Do what a backup does, by which a process loses the locks that SQLite has."""
    Path(ledger.where).read_bytes()


def _append(ledger: pv.Ledger, plan: pv.Plan, meanwhile: Callable[[], None]) -> None:
    from privior.ledger.request import Request
    from privior.ledger.rules import next_entry

    with ledger._store.writing() as page:
        page.append(next_entry(page, Request(plan)))
        meanwhile()


def test_who_writes_is_alone_though_the_file_is_opened_and_closed_meanwhile(
    small: pv.Ledger, schema: pv.Schema, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = fruit_plan(schema, "0.1")
    monkeypatch.setattr(sqlite, "_WAIT", 0.3)

    def another() -> str:
        assert small.last().number == 0
        return _refusal(lambda: _append(small, plan, lambda: None))

    answer = beforehand(another)

    def meanwhile() -> None:
        _close_another_descriptor(small)
        assert "another process holds it" in answer()

    _append(small, plan, meanwhile)
    assert small.verify().number == 1


def test_without_the_lock_on_the_file_two_write_at_once(
    small: pv.Ledger, schema: pv.Schema, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin of the test above: SQLite's own locks are gone."""
    plan = fruit_plan(schema, "0.1")
    monkeypatch.setattr(file_locks, "_locked_now", lambda descriptor: True)

    def another() -> int:
        _append(small, plan, lambda: None)
        return small.last().number

    answer = beforehand(another)

    def meanwhile() -> None:
        _close_another_descriptor(small)
        assert answer() == 1

    try:
        _append(small, plan, meanwhile)
        assert small.last().number == 1  # and the other was granted it too
    except pv.LedgerError:
        pass  # the journal of one was that of the other


def test_threads_wait_for_each_other_and_leave_no_descriptor(small: pv.Ledger, schema: pv.Schema) -> None:
    plan = fruit_plan(schema, "0.01")
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    threads = [threading.Thread(target=small.spend, args=(plan,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert small.verify().number == 8
    assert file_locks._open_files._files == {}
    if before:
        assert len(os.listdir("/proc/self/fd")) == before


def test_a_child_does_not_inherit_the_lock(small: pv.Ledger, schema: pv.Schema) -> None:
    """A descriptor that a child has from its parent would let both write."""
    plan = fruit_plan(schema, "0.1")

    def child() -> str:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sqlite, "_WAIT", 0.2)
            return _refusal(lambda: small.spend(plan))

    path = Path(small.where)
    with file_locks.opened(path) as file, file.locked(path, 1):
        assert "another process holds it" in forked([child])[0]
    assert small.last().number == 0


@contextmanager
def _another_thread_writes(small: pv.Ledger, plan: pv.Plan) -> Iterator[None]:
    """Let another thread be in the middle of a spend, which it ends with the context."""
    begun, end = threading.Event(), threading.Event()

    def spend() -> None:
        def meanwhile() -> None:
            begun.set()
            end.wait(30)

        _append(small, plan, meanwhile)

    thread = threading.Thread(target=spend)
    thread.start()
    begun.wait(30)
    try:
        yield
    finally:
        end.set()
        thread.join()


def test_a_child_forked_while_a_thread_writes_is_told_so_at_once(small: pv.Ledger, schema: pv.Schema) -> None:
    """What SQLite remembers of the thread's locks is never forgotten in the child."""
    plan = fruit_plan(schema, "0.1")
    with _another_thread_writes(small, plan):
        answer = beforehand(lambda: [_refusal(act) for act in (lambda: small.spend(plan), small.last)])
    began = time.monotonic()
    for refusal in answer():
        assert "this process was forked while its parent had the ledger open" in refusal
        assert "Start processes anew" in refusal
    assert time.monotonic() - began < 20  # of the 60 seconds that one waits for another
    small.spend(plan)
    assert small.verify().number == 2


def test_without_that_the_child_waits_in_vain_and_all_others_with_it(
    small: pv.Ledger, schema: pv.Schema, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin of the test above."""
    plan = fruit_plan(schema, "0.1")
    monkeypatch.setattr(file_locks.OpenFile, "connected", lambda file: nullcontext())
    monkeypatch.setattr(sqlite, "_WAIT", 0.3)
    with _another_thread_writes(small, plan):
        answer = beforehand(lambda: _refusal(lambda: small.spend(plan)))
    assert "database is locked" in answer()


def _cut_off(path: Path) -> None:
    """Leave a write that was cut off, with its journal."""
    child = os.fork()
    if child == 0:
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("PRAGMA cache_size=1")  # so that pages reach the file before the end
        connection.execute("BEGIN IMMEDIATE")
        for number in range(2, 400):
            row = (number, "x" * 500, "y")
            connection.execute("INSERT INTO entries (number, body, hash) VALUES (?, ?, ?)", row)
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    assert Path(f"{path}-journal").stat().st_size > 4096


def _files(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


def test_a_write_that_was_cut_off_is_no_hindrance_to_reading_where_nothing_can_be_changed(
    small: pv.Ledger,
    schema: pv.Schema,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A folder of its own: other programs of this machine come and go in the usual one.
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path_factory.mktemp("copies")))
    plan = fruit_plan(schema, "0.1")
    entry = small.spend(plan, key="march")
    small.finish(entry, "what was released")
    _cut_off(Path(small.where))
    before = _files(tmp_path)

    def look() -> list[str]:
        inside = tmp_path / "fixed"
        inside.mkdir()
        bind(tmp_path, inside, read_only=True)
        book = pv.Ledger.open(inside / "small.ledger")
        assert "epsilon 0.1, delta 0 by 1 release" in str(book)
        assert book.verify() == entry
        assert book.replay(plan, key="march") == ("what was released",)
        assert len(book.history().entries) == 2
        return [_refusal(lambda: book.spend(plan)), str(len(os.listdir(tempfile.gettempdir())))]

    refusal, temporary = in_namespace(look)
    assert "the ledger, or its folder, is read-only" in refusal
    assert int(temporary) == len(os.listdir(tempfile.gettempdir()))  # the copies are gone
    assert _files(tmp_path) == before
    assert small.last() == entry  # and here it is undone
    assert not Path(f"{small.where}-journal").exists()


@pytest.mark.parametrize("why", ["a file without rights", "an unknown file system"])
def test_likewise_where_it_may_not_be_changed(
    why: str, small: pv.Ledger, schema: pv.Schema, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry, path = small.spend(fruit_plan(schema, "0.1")), Path(small.where)
    _cut_off(path)
    if why == "a file without rights":
        path.chmod(0o444)
    else:
        monkeypatch.setattr(file_systems, "kind_of", lambda place: "9p")
    before = _files(tmp_path)
    assert small.verify() == entry
    assert _files(tmp_path) == before
    monkeypatch.setattr(sqlite, "must_be_copied", lambda path: False)  # the twin
    assert "nothing can be spent" in _refusal(small.last) or "read-only" in _refusal(small.last)


def test_the_copy_is_made_while_nobody_writes(
    small: pv.Ledger, schema: pv.Schema, monkeypatch: pytest.MonkeyPatch
) -> None:
    small.spend(fruit_plan(schema, "0.1"))
    path = Path(small.where)
    _cut_off(path)
    path.chmod(0o444)
    monkeypatch.setattr(sqlite, "_WAIT", 0.2)
    answer = beforehand(lambda: _refusal(small.last))
    with file_locks.opened(path) as file, file.locked(path, 1):
        assert "another process holds it" in answer()


@pytest.mark.parametrize("name", ["0.1/orchard.ledger", "0.2/orchard.ledger"])
def test_a_ledger_of_older_versions_is_read_in_a_folder_that_is_read_only(name: str, tmp_path: Path) -> None:
    path = Path(shutil.copy(OLD / name, tmp_path))
    last = pv.Ledger.open(path).last()

    def look() -> str:
        inside = tmp_path / "fixed"
        inside.mkdir()
        bind(tmp_path, inside, read_only=True)
        return pv.Ledger.open(inside / path.name).verify().hash

    assert in_namespace(look) == last.hash


def test_a_write_that_was_cut_off_is_undone_once_nobody_writes(
    small: pv.Ledger, schema: pv.Schema, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The journal of one who writes still, and lost SQLite's locks, looks the same."""
    monkeypatch.setattr(sqlite, "_WAIT", 0.2)
    small.spend(fruit_plan(schema, "0.1"))
    before, path = small.last(), Path(small.where)
    _cut_off(path)
    answer = beforehand(lambda: _refusal(small.last))
    with file_locks.opened(path) as file, file.locked(path, 1):
        assert "another process holds it" in answer()
        assert Path(f"{path}-journal").stat().st_size > 4096
    assert small.last() == before
    assert not Path(f"{path}-journal").exists()
    assert small.verify() == before


@pytest.mark.parametrize("name", ["0.1/orchard.ledger", "0.2/orchard.ledger", "kinds/garden.ledger"])
def test_reading_a_ledger_of_older_versions_leaves_it_as_it_is(name: str, tmp_path: Path) -> None:
    path = Path(shutil.copy(OLD / name, tmp_path))
    before = hashlib.sha256(path.read_bytes()).digest()
    book = pv.Ledger.open(path)
    last = book.verify()
    assert ("epsilon 13/6" if path.stem == "orchard" else str(book.spent)) in str(book)
    assert book.history().entries[-1] == last
    assert hashlib.sha256(path.read_bytes()).digest() == before
    book.allow("somebody", Fraction(1, 100))
    assert book.verify().number == last.number + 1
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    connection.close()
    assert sorted(tmp_path.iterdir()) == [path]

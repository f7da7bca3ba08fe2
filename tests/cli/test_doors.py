"""T40: whatever somebody names as a file is read only if it is one, and not too large; nothing waits."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from program import inside, run_here

import privior as pv
from privior import whole_files
from privior.whole_files import LARGEST_FILE, read_whole


def _fifo(place: Path) -> Path:
    os.mkfifo(place)
    return place


def _socket(place: Path) -> Path:
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(place))
    return place


def _large(place: Path) -> Path:
    with place.open("wb") as file:
        file.truncate(LARGEST_FILE + 1)
    return place


def _folder(place: Path) -> Path:
    place.mkdir()
    return place


def _link(place: Path) -> Path:
    place.symlink_to("/dev/zero")
    return place


NO_FILES: dict[str, tuple[Callable[[Path], Path], str]] = {
    "zeros": (lambda _: Path("/dev/zero"), "not a regular file"),
    "full device": (lambda _: Path("/dev/full"), "not a regular file"),
    "link to zeros": (_link, "not a regular file"),
    "pipe": (_fifo, "not a regular file"),
    "folder": (_folder, "not a regular file"),
    "socket": (_socket, "cannot read the file"),
    "too large": (_large, "too large"),
    "kernel log": (lambda _: Path("/proc/self/mem"), "cannot read the file"),
}
COMMANDS = {
    "plan": (["plan", "FILE"], 3),
    "analyse": (["analyse", "FILE"], 3),
    "release": (["release", "FILE", "fruit.csv", "-y", "-l", "orchard.ledger"], 3),
    "ask": (["ask", "FILE", "counts()"], 8),
    "decide": (["decide", "FILE", "P(fruit=apple)", "--utility", "absolute-error"], 8),
    "report": (["report", "FILE"], 8),
    "review": (["review", "FILE"], 8),
    "verify": (["verify", "FILE"], 8),
}


@pytest.fixture(autouse=True)
def _at_once() -> Iterator[None]:
    """Whatever waits is ended."""
    before = signal.signal(signal.SIGALRM, lambda *_: pytest.fail("it waits"))
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("kind", NO_FILES)
def test_what_is_no_file_is_refused_at_once_by_every_command(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    make, says = NO_FILES[kind]
    place = make(Path("x"))
    for arguments, code in COMMANDS.values():
        assert inside([str(place) if one == "FILE" else one for one in arguments], monkeypatch) == code
        told = capsys.readouterr().err
        assert says in told.replace("\n  ", " ")
        assert str(place) in told


def test_the_largest_file_is_read_and_the_next_is_not(tmp_path: Path) -> None:
    place = tmp_path / "x"
    place.write_bytes(b"12345")
    assert read_whole(place, 5) == b"12345"
    with pytest.raises(OSError, match="too large"):
        read_whole(place, 4)
    status = Path("/proc/self/status")  # says that it has no bytes
    if status.exists():
        assert len(read_whole(status)) > 100
        with pytest.raises(OSError, match="too large"):
            read_whole(status, 100)


def test_a_door_that_asks_before_it_opens_would_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: without O_NONBLOCK a pipe keeps whoever opens it."""
    pipe = _fifo(tmp_path / "pipe")
    with pytest.raises(pv.ReleaseError, match="not a regular file"):
        pv.Release.read(pipe)
    monkeypatch.setattr(whole_files, "_READING", os.O_RDONLY)

    class WaitedError(Exception):
        pass

    def waited(*_: object) -> None:
        raise WaitedError

    signal.signal(signal.SIGALRM, waited)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    with pytest.raises(WaitedError):
        pv.Release.read(pipe)


def test_an_extension_is_named_before_the_command(tmp_path: Path) -> None:
    """It was taken for a misspelt --epsilon."""
    ended = run_here(["plan", "--extension", "own.py", "a.toml"], tmp_path)
    assert ended.code == 2
    assert "privior --extension FILE COMMAND" in ended.errors
    assert "--epsilon" not in ended.errors

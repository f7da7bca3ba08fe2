"""Mount namespaces: acts in a process that sees mounts of its own, as containers do."""

from __future__ import annotations

import ctypes
import json
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

_NEW_MOUNTS, _NEW_USERS = 0x00020000, 0x10000000
_BIND, _PRIVATE, _READ_ONLY = 4096, 0x4000 | (1 << 18), 1 | 32  # a mount that is there, read-only


class NotAllowedError(Exception):
    """The system does not let this user have mounts of her own."""


def in_namespace(act: Callable[[], object]) -> Any:
    """Do something in a process with mounts of its own, and return what it returned, by way of JSON.

    Skips the test where the system does not allow it.
    """

    def enter() -> object:
        _enter()
        return act()

    (found,) = forked([enter])
    if isinstance(found, dict) and "not allowed" in found:
        pytest.skip(f"no mount namespaces here: {found['not allowed']}")
    return found


def forked(acts: Sequence[Callable[[], object]]) -> list[Any]:
    """Do each in a process of its own, all at once, and return what they returned, by way of JSON."""
    pipes = []
    for act in acts:
        reader, writer = os.pipe()
        if os.fork() == 0:
            _answer(act, writer)
        os.close(writer)
        pipes.append(reader)
    answers = []
    for reader in pipes:
        with open(reader, encoding="utf-8") as pipe:
            answers.append(json.loads(pipe.read()))
    for _ in acts:
        os.wait()
    failures = [found["failed"] for found in answers if isinstance(found, dict) and "failed" in found]
    assert not failures, "\n".join(failures)
    return answers


def beforehand(act: Callable[[], object]) -> Callable[[], Any]:
    """Start a process now that does something later: it knows nothing of what this one opens meanwhile."""
    waits, go = os.pipe()
    reader, writer = os.pipe()

    def wait() -> object:
        os.close(go)
        os.read(waits, 1)
        return act()

    if os.fork() == 0:
        _answer(wait, writer)
    os.close(writer)
    os.close(waits)

    def answer() -> Any:
        os.write(go, b".")
        os.close(go)
        with open(reader, encoding="utf-8") as pipe:
            found = json.loads(pipe.read())
        os.wait()
        assert not isinstance(found, dict), found
        return found

    return answer


def _answer(act: Callable[[], object], writer: int) -> None:
    try:
        found = json.dumps(act())
    except NotAllowedError as error:
        found = json.dumps({"not allowed": str(error)})
    except BaseException:
        found = json.dumps({"failed": traceback.format_exc()})
    try:
        os.write(writer, found.encode())
    finally:
        os._exit(0)


def bind(source: Path, target: Path, *, read_only: bool = False) -> None:
    """Mount a file or a folder a second time."""
    _call("mount", os.fsencode(source), os.fsencode(target), None, _BIND, None)
    if read_only:
        _call("mount", b"none", os.fsencode(target), None, _BIND | _READ_ONLY, None)


def mount(kind: str, target: Path) -> None:
    """Mount a file system that needs no disk."""
    _call("mount", b"none", os.fsencode(target), kind.encode(), 0, None)


def _enter() -> None:
    if sys.platform != "linux":
        raise NotAllowedError(sys.platform)
    user = os.getuid()
    _call("unshare", _NEW_MOUNTS if user == 0 else _NEW_MOUNTS | _NEW_USERS)
    if user != 0:
        try:
            Path("/proc/self/uid_map").write_text(f"0 {user} 1\n")
        except OSError as error:
            raise NotAllowedError(str(error)) from None
    _call("mount", b"none", b"/", None, _PRIVATE, None)


def _call(name: str, *given: object) -> None:
    call = getattr(ctypes.CDLL(None, use_errno=True), name)
    if call(*(ctypes.c_ulong(value) if isinstance(value, int) else value for value in given)) != 0:
        raise NotAllowedError(f"{name}: {os.strerror(ctypes.get_errno())}")

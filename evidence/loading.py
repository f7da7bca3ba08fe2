"""Which modules a measurement has loaded, in this process and in its workers: no others can have had a say.

A program that is started in the same environment may load anything; nothing is left out then.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar

Item = TypeVar("Item")
Found = TypeVar("Found")

_in_workers = set[str]()
_started = list[str]()


def _notice(event: str, arguments: tuple[object, ...]) -> None:
    """Notice programs of this environment, and copies of this process. A hook for `sys.addaudithook`."""
    if event in {"os.fork", "os.forkpty", "os.system", "os.posix_spawn", "os.exec"}:
        _started.append(event)
    elif event == "subprocess.Popen":
        program = os.fspath(arguments[0])  # type: ignore[call-overload]
        if not Path(program).is_absolute() or Path(program).is_relative_to(sys.prefix):
            _started.append(program)


sys.addaudithook(_notice)


def loaded() -> frozenset[Path] | None:
    """Return the files of all modules loaded so far; None if a program was started, which does not tell."""
    if _started:
        return None
    return frozenset(Path(file) for file in _in_workers | _files())


def in_workers(work: Callable[[Item], Found], items: Iterable[Item], workers: int = 2) -> list[Found]:
    """Do some work in processes of their own, which tell what they have loaded."""
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        told = list(pool.map(partial(_with_files, work), items))
    _in_workers.update(*(files for _, files, _ in told))
    _started.extend(program for *_, programs in told for program in programs)
    return [found for found, *_ in told]


def _with_files(work: Callable[[Item], Found], item: Item) -> tuple[Found, set[str], list[str]]:
    found = work(item)
    return found, _files(), _started


def _files() -> set[str]:
    return {file for module in list(sys.modules.values()) if (file := getattr(module, "__file__", None))}

"""Programs for the process that reads rows, with something planted in it; used instead of the real one.

The real one runs in all of them, from beginning to end: `planted` only runs some code first, and `at` is code
that does something before or after one function of it is called.
"""

from __future__ import annotations

import sys

PROGRAM = "privior.curator.own_process._program"
#: how a program begins that changes a function wherever it is known already, so that privior may be imported
EVERYWHERE = "# changes functions wherever they are known\n"


def planted(code: str) -> list[str]:
    """Return the program of a process that runs some code before it serves."""
    start = f"import sys; sys.path[:] = sys.argv[1:]\n{code}\nfrom privior.curator.worker import main; main()"
    if code.startswith(EVERYWHERE):
        start = EVERYWHERE + start
    return [sys.executable, "-I", "-c", start, *filter(None, sys.path)]


def at(place: str, act: str, when: str = "before", count: int = 1) -> str:
    """Return code that acts before or after the n-th call of a function, named as `module:function`."""
    return f"""{EVERYWHERE}
def plant(place, when, count):
    import os, signal, sys, time
    module, _, name = place.rpartition(":")
    owner = __import__(module, fromlist=["_"])
    for part in name.split(".")[:-1]:
        owner = getattr(owner, part)
    last = name.split(".")[-1]
    real = getattr(owner, last)
    calls = 0
    def act():
        {act}
    def wrapped(*given, **named):
        nonlocal calls
        calls += 1
        this = calls == count
        if this and when == "before":
            act()
        result = real(*given, **named)
        if this and when == "after":
            act()
        return result
    setattr(owner, last, wrapped)
    taken = getattr(real, "__module__", "") == getattr(owner, "__name__", None)  # from where it is defined
    for module in [module for name, module in sys.modules.items() if taken and name.startswith("privior.")]:
        for known in [known for known, value in vars(module).items() if value is real]:
            setattr(module, known, wrapped)
plant({place!r}, {when!r}, {count!r})
"""


#: the process ends itself as if it had run out of memory
KILLED = "os.kill(os.getpid(), signal.SIGKILL)"
#: a real Ctrl-C reaches the program that asked, while this process stays where it is
INTERRUPTS_PARENT = "os.kill(os.getppid(), signal.SIGINT); time.sleep(60)"

"""The command line: parses, calls, shows. No mathematics, and heavy imports only where they are needed."""

import atexit
import gc
import os
import signal
import sys

from privior.interrupts import single_interrupt
from privior.light_scipy import load_lightly
from privior.stand_in import take_in_part

#: new objects between two searches for cycles: loading makes as many, and nearly all of them stay
_OBJECTS = 100_000


def main() -> None:
    """Run the program. Ctrl-C ends it once: what is then told cannot be interrupted."""
    gc.set_threshold(_OBJECTS)
    # threads of linear algebra wait for each other longer than sums of this size take
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # when all is said nothing is left to interrupt, and a late Ctrl-C must not change the exit code
    atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)
    load_lightly()
    take_in_part("flint")
    with single_interrupt():
        try:
            from privior.cli.app import run

            run()
        except KeyboardInterrupt:
            print("privior: interrupted. Nothing was spent.", file=sys.stderr)
            sys.exit(130)
        finally:
            gc.freeze()  # what is in memory goes with the program, without a search for cycles

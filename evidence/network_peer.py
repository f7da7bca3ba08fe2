"""What mbi makes of the same noisy tables, if a Python that has it is named."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
from network_trials import Floats

import privior as pv
from privior.models import Network

#: mbi's own default
ITERATIONS = 1000
#: a Python with mbi
PYTHON = os.environ.get("PRIVIOR_MBI_PYTHON")


@dataclass(frozen=True)
class Peer:
    """A running process that fits models."""

    asked: IO[str]
    answers: IO[str]

    def tables(
        self,
        model: Network,
        schema: pv.Schema,
        noisy: Floats,
        stddevs: list[float],
        also: list[list[str]] | None = None,
    ) -> Floats:
        """Return the counts of all tables, and of some columns, as the fitted model says; n is estimated."""
        sizes = model.sizes(schema)
        order = [list(names) for names in model.tables]
        document = {
            "sizes": {name: schema.column(name).size for name in model.columns},
            "tables": order,
            "noisy": [
                one.tolist() for one in np.split(np.asarray(noisy, dtype=float), np.cumsum(sizes)[:-1])
            ],
            "stddevs": stddevs,
            "total": None,
            "iterations": ITERATIONS,
            "also": also or [],
        }
        self.asked.write(json.dumps(document) + "\n")
        self.asked.flush()
        return np.concatenate([np.array(one) for one in json.loads(self.answers.readline())])


@contextmanager
def peer() -> Iterator[Peer | None]:
    """Start mbi; None if there is none."""
    if PYTHON is None:
        yield None
        return
    program = [PYTHON, str(Path(__file__).parent / "mbi_peer.py")]
    one = {**os.environ, "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"}
    with subprocess.Popen(
        program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=one
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        yield Peer(running.stdin, running.stdout)
        running.stdin.close()

"""The posterior of a Markov chain: its transition matrix, where it is in the long run and after some steps.

The table of transitions has the posterior of any table; a transition matrix is a function of the cell
probabilities, so every number here comes from draws of all cells, which include what the noise hides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, final

import numpy as np

from privior.arrays import Floats
from privior.checks import whole_number
from privior.errors import InferenceError
from privior.models import MarkovChain
from privior.posterior.contract import posterior_for
from privior.posterior.events import quoted
from privior.posterior.findings import Finding, Table
from privior.posterior.quantity import Quantity, check_level, check_number, generator, quantiles
from privior.posterior.tables.table_posterior import TablePosterior

#: more steps than this are the long run
MOST_STEPS = 10**9
#: states that are shown as a matrix of text
_MOST_SHOWN = 12


@final
@posterior_for(MarkovChain)
@dataclass(frozen=True, repr=False)
class MarkovPosterior(TablePosterior):
    """The posterior of the transition chances; of single cells (from, to) it knows what any table's does."""

    model: MarkovChain

    understands: ClassVar[Mapping[str, str]] = {
        **TablePosterior.understands,
        "stationary": "stationary",
        "after": "after",
    }

    @property
    def states(self) -> tuple[str, ...]:
        """The states, in order."""
        return self.schema.column(self.model.state).labels

    def matrix(self) -> Floats:
        """Return the expected transition chances, (from, to)."""
        return np.asarray(self._matrices.mean(axis=0))

    def matrix_interval(self, level: float = 0.9) -> Floats:
        """Return the equal-tailed interval of each transition chance, (from, to, 2)."""
        return quantiles(self._matrices, check_level(level))

    def matrices(self, n: int, seed: int | None = None) -> Floats:
        """Return n draws of the transition matrix, as (n, from, to)."""
        number = check_number(n, "n", len(self.prior))
        return self._rows_of(self._drawn.log_draws(number, generator(seed)))

    def transition(self, start: object, state: object) -> Quantity:
        """Return the chance of going from one state to another in one step."""
        return Quantity.of(f"P({self._to(state)} | {self._from(start)})", self._between(start, state, 1))

    def after(self, steps: int, state: object, start: object) -> Quantity:
        """Return the chance of being in a state so many steps after another one."""
        whole_number(steps, "steps", 1, MOST_STEPS, what="not a number of steps", error=InferenceError)
        name = f"after({steps}, {quoted(self._label(state))} | {quoted(self._label(start))})"
        return Quantity.of(name, self._between(start, state, steps))

    def stationary(self, state: object) -> Quantity:
        """Return the share of time that the chain spends in a state in the long run."""
        name = f"stationary({quoted(self._label(state))})"
        return Quantity.of(name, self._long_run[:, self._code(state)])

    def stationary_draws(self, n: int, seed: int | None = None) -> Floats:
        """Return n draws of the stationary distribution, as (n, states)."""
        return stationary(self.matrices(n, seed))

    def to_document(self, level: float = 0.9) -> dict[str, object]:
        """Write what is known of each cell and of each transition as plain values, for JSON."""
        mean, ends, long_run = self.matrix(), self.matrix_interval(level), self._long_run
        spans = quantiles(long_run, level)
        return {
            **super().to_document(level),
            "family": self.model.family,
            "transitions": [
                {
                    "from": start,
                    "to": state,
                    "mean": float(mean[i, j]),
                    "low": float(ends[i, j, 0]),
                    "high": float(ends[i, j, 1]),
                }
                for i, start in enumerate(self.states)
                for j, state in enumerate(self.states)
            ],
            "stationary": [
                {
                    "state": state,
                    "mean": float(long_run[:, i].mean()),
                    "low": float(spans[i, 0]),
                    "high": float(spans[i, 1]),
                }
                for i, state in enumerate(self.states)
            ],
        }

    def _transitions(self, level: float) -> Table:
        """Return the transition matrix, and the long run as the last row."""
        mean, ends, long_run = self.matrix(), self.matrix_interval(level), self._long_run
        spans, shown_states = quantiles(long_run, level), range(min(len(self.states), _MOST_SHOWN))

        def cell(middle: float, span: Floats) -> str:
            return f"{middle:.3f} ({span[0]:.3f} to {span[1]:.3f})"

        rows = [[self.states[i], *(cell(mean[i, j], ends[i, j]) for j in shown_states)] for i in shown_states]
        last = ["(long run)", *(cell(float(long_run[:, j].mean()), spans[j]) for j in shown_states)]
        return Table(["from \\ to", *self.states[:_MOST_SHOWN]], [*rows, last])

    def findings(self, level: float = 0.9) -> list[Finding]:
        """Return the chances of transitions, then what is known of the table."""
        title = f"Chances of each transition, and in the long run, with {100 * level:g}% intervals"
        return [Finding(title, self._transitions(level)), *self._of_cells(level)]

    @cached_property
    def _matrices(self) -> Floats:
        return self._rows_of(self._drawn.kept_logs)

    @cached_property
    def _long_run(self) -> Floats:
        return stationary(self._matrices)

    def _rows_of(self, logs: Floats) -> Floats:
        """Normalise log weights of all cells row by row: as logarithms, so that no row underflows."""
        size = len(self.states)
        cells = logs.reshape(-1, size, size)
        rows = np.exp(cells - cells.max(axis=2, keepdims=True))
        return np.asarray(rows / rows.sum(axis=2, keepdims=True))

    def _between(self, start: object, state: object, steps: int) -> Floats:
        powers = self._matrices if steps == 1 else np.linalg.matrix_power(self._matrices, steps)
        return np.asarray(powers[:, self._code(start), self._code(state)])

    def _code(self, state: object) -> int:
        return int(np.flatnonzero(self.numbers.events.cells({self.model.state: state}))[0]) // len(
            self.states
        )

    def _label(self, state: object) -> str:
        return self.states[self._code(state)]

    def _from(self, state: object) -> str:
        return self.numbers.events.name({self.model.state: state})

    def _to(self, state: object) -> str:
        return self.numbers.events.name({self.model.following: state})


def stationary(matrices: Floats) -> Floats:
    """Return the stationary distribution of each transition matrix, as (n, states).

    Elimination of states one by one without any subtraction (Grassmann, Taksar, Heyman 1985): as exact for
    chains that hardly ever leave a state as for others.
    """
    work = np.maximum(matrices, 1e-300)
    size = work.shape[1]
    for last in range(size - 1, 0, -1):
        leaves = work[:, last, :last].sum(axis=1, keepdims=True)
        work[:, :last, last] /= leaves
        work[:, :last, :last] += work[:, :last, last, np.newaxis] * work[:, np.newaxis, last, :last]
    found = np.zeros(work.shape[:2])
    found[:, 0] = 1
    for state in range(1, size):
        found[:, state] = (found[:, :state] * work[:, :state, state]).sum(axis=1)
    return np.asarray(found / found.sum(axis=1, keepdims=True))

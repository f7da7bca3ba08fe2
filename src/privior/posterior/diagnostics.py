"""What the computation of a posterior can say about itself: exact, or how well the chains agree."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from privior.arrays import Floats
from privior.posterior.kept import kept

#: above this split R-hat the chains have not mixed, and the posterior carries a warning
WORST_R_HAT = 1.05


def r_hat_in_words(r_hat: float) -> str:
    """Write a split R-hat that is too large with as many digits as tell it from what it should be below.

    >>> r_hat_in_words(1.3), r_hat_in_words(1.0504), r_hat_in_words(math.nan)
    ('1.30', '1.0504', 'nan')
    """
    written = (f"{r_hat:.{digits}f}" for digits in range(2, 17))
    return next((one for one in written if not float(one) <= WORST_R_HAT), repr(r_hat))


@kept
@dataclass(frozen=True)
class Diagnostics:
    """How a posterior was computed and how far it can be trusted.

    Attributes:
        method: in words
        exact: whether everything was summed, nothing sampled
        cost: the arithmetic it took, in multiply-adds; for chains the number of proposed moves
        error: exact: a bound of the total variation distance to the true posterior of any cell
        misfit: the posterior mean of ((observed − count) / sd)² over all released cells: about 1 or
            below if the releases fit the model
        r_hat: chains: the largest split R-hat of any cell, and of the total; near 1 if they agree
        acceptance: chains: the share of accepted moves
        chains: how many ran
        sweeps: chains: how many sweeps each ran, half of them to forget its start
        warning: what the reader must know before trusting the result, if anything
    """

    method: str
    exact: bool
    cost: float = 0.0
    error: float = 0.0
    misfit: float | None = None
    r_hat: float | None = None
    acceptance: float | None = None
    chains: int = 0
    sweeps: int = 0
    warning: str | None = None

    @classmethod
    def of_exact(
        cls, method: str, cost: float, *, error: float = 0.0, misfit: float | None = None
    ) -> Diagnostics:
        """Return the diagnostics of a posterior that was summed."""
        return cls(method, exact=True, cost=cost, error=error, misfit=misfit)

    @classmethod
    def of_draws(cls, method: str, misfit: float) -> Diagnostics:
        """Return the diagnostics of a posterior of which independent draws were made."""
        return cls(method, exact=False, misfit=misfit)

    @classmethod
    def of_chains(
        cls,
        *,
        r_hat: float,
        acceptance: float,
        chains: int,
        sweeps: int,
        moves: float,
        misfit: float | None,
        method: str = "Markov chains over tables",
    ) -> Diagnostics:
        """Return the diagnostics of a posterior that was sampled, with a warning if the chains disagree."""
        warning = None
        if not r_hat <= WORST_R_HAT:
            warning = (
                f"the chains disagree (split R-hat {r_hat_in_words(r_hat)}, should be below {WORST_R_HAT}):"
                " some means and intervals are unreliable"
            )
        return cls(
            method,
            exact=False,
            cost=moves,
            misfit=misfit,
            r_hat=r_hat,
            acceptance=acceptance,
            chains=chains,
            sweeps=sweeps,
            warning=warning,
        )

    def __str__(self) -> str:
        if self.exact:
            return f"{self.method} (exact, error below {self.error:.0e})" if self.error else self.method
        if self.r_hat is None:
            return self.method
        return f"{self.method}: {self.chains} x {self.sweeps} sweeps, R-hat {self.r_hat:.3f}"


def split_r_hat(chains: Floats) -> float:
    """Return the largest split R-hat of any column of (chain, state, column)."""
    return float(split_r_hats(chains).max())


def split_r_hats(chains: Floats, more: Floats | float = 0.0) -> Floats:
    """Return the split R-hat of each column of (chain, state, column).

    Where a column is the mean of a number given each state, `more` is the mean of the variance that the
    number has beside it: R-hat is that of the number itself, without the noise that draws of it would add.

    Each chain is cut in half; R-hat² = ((m−1)/m · W + B) / W with W the mean variance within the 2C
    halves of m states and B the variance of their means (Gelman et al., Bayesian Data Analysis, 11.4).
    A column that never changes anywhere has R-hat 1; one that is constant within halves but differs
    between them has not moved at all, and has R-hat infinity.
    """
    half = chains.shape[1] // 2
    if half < 2:
        return np.full(chains.shape[2], math.inf)
    parts = np.concatenate([chains[:, :half], chains[:, -half:]])
    within = parts.var(axis=1, ddof=1).mean(axis=0) + more
    between = parts.mean(axis=1).var(axis=0, ddof=1)
    ratio = np.divide(between, within, out=np.where(between > 0, np.inf, 0.0), where=within > 0)
    squares = np.where(within + between > 0, (half - 1) / half + ratio, 1.0)
    return np.sqrt(squares)

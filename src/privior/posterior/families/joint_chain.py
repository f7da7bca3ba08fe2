"""Markov chains over the parameters of a family and the unknown sums that were released with noise.

A state is (u, theta): theta the parameters, u the sums in whole units, real numbers of which the nearest
whole ones are the sums; where the number of records is private it is the first of them. The target is

    prior(theta) * density of the sums given theta at u * probability of the releases given the nearest sums

Three kinds of moves, none of which needs tuning:
- theta is drawn given u, which conjugacy allows; a draw outside of where the prior is cut is refused
- u moves by a multiple of the difference of two other states, theta staying: right where the noise is narrow
- theta, and the innovations w that make the sums from it, move so: right where the noise is wide

Differences of two states of the ensemble have the shape of the target, whatever its scales and correlations
(differential evolution, ter Braak 2006). One half of an ensemble moves by differences of the other half, so
that all its states can move at once. Four ensembles run apart from each other, and are compared.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privior.arrays import Floats, Integers
from privior.models import JointFamily
from privior.models.families import JointLikelihood
from privior.posterior.diagnostics import WORST_R_HAT, Diagnostics, r_hat_in_words, split_r_hat
from privior.posterior.families.latent_sums import Evidence
from privior.posterior.seeds import drawing
from privior.schema import Schema

#: sweeps of a round, of which the second half is kept; while ensembles disagree, twice as many follow
_GROUPS, _WALKERS, _SWEEPS, _KEPT = 4, 96, 400, 50
_ROUNDS, _AGREED = 4, 1.01
#: candidates for where chains start, for each that is taken
_TRIED = 16
_SEED = 20_261_116


@dataclass(frozen=True, eq=False)
class JointDraws:
    """Draws from the posterior of parameters and sums.

    Attributes:
        theta: one draw a row
        records: the number of records of each
        totals: the sums of each
        diagnostics: how far they can be trusted
    """

    theta: Floats
    records: Floats
    totals: Floats
    diagnostics: Diagnostics


@dataclass(frozen=True, eq=False)
class JointTarget:
    """What chains are run for.

    Attributes:
        model: the family
        likelihood: in floating point
        schema: the public facts of its columns
        most: the number of values if that is public, else the largest possible one
        public: whether it is
        evidence: the releases of this table
    """

    model: JointFamily
    likelihood: JointLikelihood
    schema: Schema
    most: int
    public: bool
    evidence: Sequence[Evidence]

    @cached_property
    def ends(self) -> Floats:
        """The least and the largest that one record adds to each sum."""
        sums = self.model.sums(self.schema)
        return np.array([one.bounds(self.schema) for one in sums], dtype=np.float64)

    def records(self, u: Floats) -> Floats:
        """Return the number of records of each state."""
        return np.full(len(u), float(self.most)) if self.public else np.rint(u[:, 0])

    def totals(self, u: Floats) -> Floats:
        """Return T of each state."""
        return np.asarray((u if self.public else u[:, 1:]) * self.likelihood.units)

    def states(self, records: Floats, totals: Floats) -> Floats:
        """Return u: the sums in their units, with the number of records where it is private."""
        sums = totals / self.likelihood.units
        return sums if self.public else np.column_stack([records, sums])

    def log_evidence(self, u: Floats) -> Floats:
        """Return the log probability of the releases given the nearest sums; -inf for impossible ones."""
        whole = np.rint(u)
        n, sums = self.records(u), whole if self.public else whole[:, 1:]
        low, high = self.ends.T
        fine = (n >= self.model.least_records) & (n <= self.most)
        fine &= ((sums >= n[:, None] * low) & (sums <= n[:, None] * high)).all(axis=1)
        found = np.full(len(u), -np.inf)
        if fine.any():
            columns = whole[fine].T.astype(np.int64)
            found[fine] = sum(law.log_likelihoods(observed, columns) for law, observed in self.evidence)
        return found

    def draws(self) -> JointDraws:
        """Run the chains: the same releases always give the same draws."""
        rng = drawing(_SEED)
        return _Ensembles(self, *self._started(rng), rng).run()

    def _started(self, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Take the likeliest of many states: those near what was released, and those the prior expects."""
        number = _GROUPS * _WALKERS * _TRIED
        noisy = [(law, seen) for law, seen in self.evidence if hasattr(law, "variances")]
        n = np.full(number, float(self.most))
        near = None
        if noisy:
            law, seen = noisy[0]
            spread = np.sqrt(np.array(law.variances))
            near = seen.amounts.astype(np.float64) + spread * rng.standard_normal((number, spread.size))
            if not self.public:
                n = np.clip(np.rint(near[:, 0]), self.model.least_records, self.most)
                near[:, 0] = n
        nothing = np.zeros((number, self.likelihood.units.size))
        prior = self.likelihood.clipped(self.likelihood.conjugate(np.zeros(number), nothing, rng))
        expected = self.likelihood.coloured(n, prior, self.likelihood.white(n, rng))
        u, theta = self.states(n, expected), prior
        if near is not None:
            low, high = self.ends.T
            sums = near if self.public else near[:, 1:]
            sums = np.clip(sums, n[:, None] * low, n[:, None] * high)
            totals = self.likelihood.possible(n, sums * self.likelihood.units)
            given = self.likelihood.clipped(self.likelihood.conjugate(n, totals, rng))
            u = np.concatenate([u, self.states(n, totals)])
            theta = np.concatenate([theta, given])
        with np.errstate(all="ignore"):
            scores = self.scores(u, theta)
        best = np.argsort(-np.nan_to_num(scores, nan=-np.inf), kind="stable")[: _GROUPS * _WALKERS]
        best = rng.permutation(best)
        return u[best], theta[best]

    def scores(self, u: Floats, theta: Floats) -> Floats:
        """Return the log target in the coordinates of theta and w."""
        free, n = self.likelihood.free(theta), self.records(u)
        white = self.likelihood.whiten(n, self.totals(u), theta)
        logs = self.likelihood.log_prior(theta) + self.likelihood.log_slope(free)
        return np.asarray(logs + self.likelihood.log_white(n, white) + self.log_evidence(u))


class _Ensembles:
    """All ensembles, one state a row, those of one ensemble after those of the one before."""

    def __init__(self, target: JointTarget, u: Floats, theta: Floats, rng: np.random.Generator) -> None:
        self.target, self.rng = target, rng
        self.likelihood = target.likelihood
        self.u, self.theta = u, theta
        self.evidence = target.log_evidence(u)
        self.accepted = self.proposed = 0

    def run(self) -> JointDraws:
        sweeps, total = _SWEEPS, 0
        for _ in range(_ROUNDS):
            u, theta = self._round(sweeps)
            total += sweeps
            chains = theta.reshape(_KEPT, _GROUPS, _WALKERS, -1).transpose(1, 0, 2, 3)
            r_hat = split_r_hat(chains.reshape(_GROUPS, _KEPT * _WALKERS, -1))
            if r_hat <= _AGREED:
                break
            sweeps *= 2
        target = self.target
        return JointDraws(theta, target.records(u), target.totals(u), self._diagnostics(r_hat, total))

    def _round(self, sweeps: int) -> tuple[Floats, Floats]:
        """Run so many sweeps and return the states of some of the second half."""
        kept_u, kept_theta = [], []
        every = sweeps // 2 // _KEPT
        with np.errstate(all="ignore"):
            for sweep in range(1, sweeps + 1):
                for half in (0, 1):
                    self._move_sums(half)
                    self._move_all(half)
                self._refresh()
                if sweep > sweeps // 2 and sweep % every == 0:
                    kept_u.append(self.u.copy())
                    kept_theta.append(self.theta.copy())
        return np.concatenate(kept_u), np.concatenate(kept_theta)

    def _diagnostics(self, r_hat: float, sweeps: int) -> Diagnostics:
        warning = None
        if not r_hat <= WORST_R_HAT:
            warning = (
                f"the chains disagree (split R-hat {r_hat_in_words(r_hat)}, should be below {WORST_R_HAT}):"
                " means and intervals are unreliable"
            )
        return Diagnostics(
            "Markov chains over the parameters and the sums",
            exact=False,
            cost=float(self.proposed),
            r_hat=r_hat,
            acceptance=self.accepted / self.proposed,
            chains=_GROUPS * _WALKERS,
            sweeps=sweeps,
            warning=warning,
        )

    def _halves(self, half: int) -> tuple[Integers, Integers, Integers]:
        """Return the states that move, and two others of the other half of the ensemble for each."""
        every = np.arange(_GROUPS * _WALKERS).reshape(_GROUPS, 2, _WALKERS // 2)
        moving, still = every[:, half], every[:, 1 - half]
        size = _WALKERS // 2
        first = self.rng.integers(size, size=moving.shape)
        second = (first + self.rng.integers(1, size, size=moving.shape)) % size
        return (
            moving.ravel(),
            np.take_along_axis(still, first, axis=1).ravel(),
            np.take_along_axis(still, second, axis=1).ravel(),
        )

    def _factor(self, number: int, dimension: int) -> Floats:
        """Return the multiples: about the best for a Normal target, some much smaller."""
        scale = 2.38 / math.sqrt(2 * dimension)
        return scale * np.where(self.rng.uniform(size=number) < 0.3, 0.3, 1.0)[:, None]

    def _taken(self, gain: Floats) -> NDArray[np.bool_]:
        taken = np.log(self.rng.uniform(size=gain.size)) < gain
        self.accepted += int(taken.sum())
        self.proposed += gain.size
        return np.asarray(taken)

    def _move_sums(self, half: int) -> None:
        moving, one, other = self._halves(half)
        u, theta, target = self.u[moving], self.theta[moving], self.target
        proposal = u + self._factor(len(u), u.shape[1]) * (self.u[one] - self.u[other])
        evidence = target.log_evidence(proposal)
        gain = evidence - self.evidence[moving]
        gain = gain + self.likelihood.log_density(target.records(proposal), target.totals(proposal), theta)
        gain = gain - self.likelihood.log_density(target.records(u), target.totals(u), theta)
        self._keep(moving, self._taken(gain), proposal, theta, evidence)

    def _coordinates(self) -> Floats:
        """Return the coordinates of theta, the innovations and the number of records if that is private."""
        u, theta = self.u, self.theta
        white = self.likelihood.whiten(self.target.records(u), self.target.totals(u), theta)
        parts = [self.likelihood.free(theta), white]
        return np.column_stack(parts if self.target.public else [*parts, u[:, 0]])

    def _move_all(self, half: int) -> None:
        moving, one, other = self._halves(half)
        every, target, size = self._coordinates(), self.target, self.theta.shape[1]
        here, away = every[moving], every[one] - every[other]
        there = here + self._factor(len(here), here.shape[1]) * away
        count = self.likelihood.units.size
        raw = np.full(len(here), float(target.most)) if target.public else there[:, -1]
        n = np.maximum(np.rint(raw), target.model.least_records)  # others are refused by the evidence
        theta = self.likelihood.bound(there[:, :size])
        white = there[:, size : size + count]
        totals = self.likelihood.coloured(n, theta, white)
        proposal = target.states(raw, totals)
        proposal = np.where(np.abs(proposal) < 2.0**61, proposal, np.inf)
        fine = np.isfinite(proposal).all(axis=1)
        proposal[~fine] = self.u[moving][~fine]
        evidence = np.where(fine, target.log_evidence(proposal), -np.inf)
        gain = evidence - self.evidence[moving]
        gain = gain + self._log_coordinates(n, there[:, :size], white)
        gain = gain - self._log_coordinates(
            target.records(self.u[moving]), here[:, :size], here[:, size : size + count]
        )
        self._keep(moving, self._taken(np.nan_to_num(gain, nan=-np.inf)), proposal, theta, evidence)

    def _log_coordinates(self, records: Floats, free: Floats, white: Floats) -> Floats:
        logs = self.likelihood.log_prior(self.likelihood.bound(free)) + self.likelihood.log_slope(free)
        return np.asarray(logs + self.likelihood.log_white(records, white))

    def _keep(
        self, moving: Integers, taken: NDArray[np.bool_], u: Floats, theta: Floats, evidence: Floats
    ) -> None:
        rows = moving[taken]
        self.u[rows], self.theta[rows], self.evidence[rows] = u[taken], theta[taken], evidence[taken]

    def _refresh(self) -> None:
        """Draw theta given the sums; where the prior is cut, a draw outside is refused."""
        target = self.target
        fresh = self.likelihood.conjugate(target.records(self.u), target.totals(self.u), self.rng)
        inside = np.isfinite(self.likelihood.log_prior(fresh))
        self.theta[inside] = fresh[inside]

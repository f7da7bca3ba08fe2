"""Simulated errors of releases, to compare forecasts with: numpy's noise, the posterior of `infer`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

import privior as pv
from kinds import COMPARED
from privior.errors import PlanError
from privior.forecasting import Expect, TableForecast
from privior.mechanisms import (
    DirichletDraw,
    GaussianCounts,
    HellingerMechanism,
    KNorm,
    Mechanism,
    PosteriorRelease,
    PublicFacts,
    PublishedLaplace,
    VirtualRecords,
)
from privior.models import ExactStatistics, Observed
from privior.posterior.counts.evidence import CellEvidence, Total
from privior.posterior.counts.latent import latent_counts
from privior.privacy.hellinger import all_tables, number_of_tables

Counts = NDArray[np.int64]
#: noise must have changed so many tables for their errors to tell anything
TOUCHED = 20
#: a simulation tells nothing if its relative standard error is above this
SPREAD = 0.1
#: forecasts are to be within this factor, but for twice the standard error of the simulation
NEAR = 1.2
RELATIONS = ("replace-one", "add-or-remove-one")
MEASURES = ("l2", "total_variation", "hellinger", "kl")


@dataclass(frozen=True)
class Case:
    """Public facts of one release, drawn at run time."""

    prior: tuple[str, ...]
    records: int
    epsilon: str
    delta: str
    neighbours: str
    expect: Expect
    draws: int = 1

    @staticmethod
    def drawn(rng: np.random.Generator, most_cells: int, most_records: int) -> Case:
        levels = int(np.round(np.exp(rng.uniform(np.log(2), np.log(most_cells)))))
        records = int(np.exp(rng.uniform(np.log(10), np.log(most_records))))
        one = 10 ** rng.uniform(-1, 1)
        prior = np.full(levels, one) if rng.random() < 0.6 else one * rng.gamma(2, 0.5, levels) + 0.02
        return Case(
            tuple(f"{a:.3f}" for a in prior),
            records,
            f"{10 ** rng.uniform(-2, 1):.3g}",
            str(rng.choice(["0", "1e-9", "1e-6", "1e-3"])),
            str(rng.choice(RELATIONS)),
            list(Expect)[rng.integers(3)],
        )

    @staticmethod
    def planned(
        rng: np.random.Generator, kind: type[Mechanism], most_cells: int, most_records: int, most_tables: int
    ) -> tuple[Case, pv.Plan]:
        """Draw facts until this mechanism fits them, and has so few outputs if all have to be listed."""
        listed = issubclass(kind, HellingerMechanism)
        while True:
            case = Case.drawn(rng, most_cells, most_records)
            if listed or issubclass(kind, PublishedLaplace):
                case = replace(case, neighbours="replace-one")
            if listed and number_of_tables(case.records, len(case.prior)) > most_tables:
                continue
            with suppress(PlanError):
                return case, case.plan(kind)

    @staticmethod
    def too_many(
        rng: np.random.Generator, kind: type[HellingerMechanism], most_cells: int, most_records: int
    ) -> tuple[Case, pv.Plan]:
        """Draw facts with more tables than can be listed, until this mechanism fits them."""
        while True:
            case = replace(Case.drawn(rng, most_cells, most_records), neighbours="replace-one")
            if len(case.prior) == 2:  # too many only of many records
                case = replace(case, records=int(np.exp(rng.uniform(np.log(50_001), np.log(400_000)))))
            with suppress(PlanError):
                plan = case.plan(kind)
                assert isinstance(plan.mechanism, HellingerMechanism)
                if not plan.mechanism.listable:
                    return case, plan

    @staticmethod
    def several_draws(rng: np.random.Generator, most_cells: int, most_records: int) -> tuple[Case, pv.Plan]:
        """Draw facts with which several draws fit, and tell something."""
        while True:
            case = Case.drawn(rng, most_cells, most_records)
            scale = 10 ** rng.uniform(0, 0.7)
            case = replace(
                case,
                prior=tuple(f"{float(a) * scale:.3f}" for a in case.prior),
                epsilon=f"{10 ** rng.uniform(-0.3, 1):.3g}",
                delta=str(rng.choice(["1e-6", "1e-3"])),
                draws=int(np.round(np.exp(rng.uniform(np.log(2), np.log(40))))),
            )
            with suppress(PlanError):
                return case, case.plan(DirichletDraw)

    @cached_property
    def chosen(self) -> pv.Plan:
        """What the planner takes."""
        return self.plan()

    def plan(self, mechanism: type[Mechanism] | None = None) -> pv.Plan:
        column = pv.Categorical([f"level {i}" for i in range(len(self.prior))])
        return pv.plan(
            pv.DirichletCategorical("x", prior=list(self.prior)),
            pv.Schema({"x": column}, population="p", unit="person"),
            records=self.records,
            epsilon=self.epsilon,
            delta=self.delta,
            neighbours=self.neighbours,
            mechanism=mechanism,
            draws=self.draws,
            expect=self.expect,
        )

    def plans(self) -> Iterator[pv.Plan]:
        """Plan with every mechanism that fits."""
        plan = self.chosen
        budget = pv.Budget.of(self.epsilon, self.delta)
        facts = PublicFacts(len(self.prior), self.records, 1, plan.neighbours, budget, plan.model.prior)
        fitting = {one.name for one in plan.candidates if one.forecast is not None}
        for kind in COMPARED:
            if kind.name in fitting:
                yield replace(plan, mechanism=kind.for_facts(facts))

    def truth(self, rng: np.random.Generator) -> Counts:
        prior = np.array(self.prior, dtype=float)
        shares = rng.dirichlet(prior) if self.expect is Expect.TYPICAL else self.expect.shares(prior)
        return rng.multinomial(self.records, shares)


def simulated(
    plan: pv.Plan, tables: list[Counts], rng: np.random.Generator
) -> tuple[TableForecast, NDArray[np.float64]]:
    """Return the errors of the posterior means, without widths, and their relative standard errors."""
    prior, mechanism = plan.model.parameters(plan.schema), plan.mechanism
    if isinstance(mechanism, HellingerMechanism):
        listed = mechanism.listable
        estimates = listed_estimates(mechanism, prior, tables, rng) if listed else as_it_is(mechanism, tables)
    elif isinstance(mechanism, PosteriorRelease):
        estimates = drawn_estimates(plan, mechanism, tables, rng)
    else:
        estimates = noisy_estimates(plan, tables, rng)
    errors, weights, touched = [], [], 0
    for counts, (mean, weight, changed) in zip(tables, estimates, strict=True):
        touched += changed
        truth, guess = counts / counts.sum(), mean / mean.sum()
        smooth = (mean + prior) / (mean.sum() + prior.sum())
        held = truth > 0
        weights.append(weight)
        errors.append(
            (
                ((guess - truth) ** 2).sum(),
                np.abs(guess - truth).sum() / 2,
                ((np.sqrt(guess) - np.sqrt(truth)) ** 2).sum() / 2,
                (truth[held] * np.log(truth[held] / smooth[held])).sum(),
            )
        )
    every, shares = np.array(errors), np.array(weights)[:, None] / np.sum(weights)
    squared, variation, hellinger, kl = means = (shares * every).sum(axis=0)
    found = TableForecast(
        float(np.sqrt(squared)), float(variation), float(np.sqrt(hellinger)), float(kl), 0.0
    )
    spread = np.sqrt(((shares * (every - means)) ** 2).sum(axis=0)) / np.maximum(means, 1e-300)
    return found, spread / np.array([2, 1, 2, 1]) if touched >= TOUCHED else np.full(4, np.inf)


#: the estimated counts, the weight of the run, and whether noise changed the table
Estimates = Iterator[tuple[NDArray[np.float64], float, bool]]


def noisy_estimates(plan: pv.Plan, tables: list[Counts], rng: np.random.Generator) -> Estimates:
    """Counts with noise."""
    noise = plan.mechanism.cell_noise
    assert noise is not None
    total = Total(most=plan.records, known=plan.total_public)
    for counts in tables:
        release = noisy(plan.mechanism, counts, rng)
        seen = CellEvidence(release, noise.rates, noise.curvatures)
        mean = np.asarray(latent_counts([seen], plan.model.parameters(plan.schema), total).mean)
        yield mean, 1.0, bool((release != counts).any())


def drawn_estimates(
    plan: pv.Plan, mechanism: PosteriorRelease, tables: list[Counts], rng: np.random.Generator
) -> Estimates:
    """Releases from the posterior."""
    total = Total(most=plan.records, known=plan.total_public)
    for counts in tables:
        u = plan.model.parameters(plan.schema) + float(mechanism.rate) * np.maximum(counts, mechanism.least)
        release: Observed
        if isinstance(mechanism, VirtualRecords):
            release = Observed.of(tuple(rng.multinomial(mechanism.drawn, rng.dirichlet(u)).tolist()))
        else:
            assert isinstance(mechanism, DirichletDraw)
            unit, rest = 1 << mechanism.places, np.cumsum(u[::-1])[::-1][1:]
            sticks = rng.beta(u[:-1], rest, (mechanism.draws, u.size - 1)).ravel()
            whole = tuple(round(stick * unit) for stick in sticks.tolist())
            release = Observed(mechanism.layouts, (whole,))
        gammas = [mechanism.cell_gammas(release)]
        yield (
            np.asarray(latent_counts([], plan.model.parameters(plan.schema), total, gammas=gammas).mean),
            1.0,
            True,
        )


def listed_estimates(
    mechanism: HellingerMechanism,
    prior: NDArray[np.float64],
    tables: list[Counts],
    rng: np.random.Generator,
) -> Estimates:
    """Tables by their Hellinger distance. Every other one is any table, and weighted by its chance.

    Otherwise rare outputs, far away, would not be seen, in which most of the squared error may lie.
    """
    every = all_tables(mechanism.records, mechanism.cells)
    rates = mechanism.temperatures(every)
    halves = gammaln(prior[:, None] + np.arange(2 * mechanism.records + 1) / 2)
    overlap = sum(known[cell[:, None] + cell] for known, cell in zip(halves, every.T, strict=True))
    overlap -= (np.diag(overlap)[:, None] + np.diag(overlap)) / 2
    chances = np.exp(-rates[:, None] * np.sqrt(-np.expm1(np.minimum(overlap, 0))))
    chances /= chances.sum(axis=1, keepdims=True)
    believed = (gammaln(every + prior) - gammaln(every + 1)).sum(axis=1)
    believed = np.exp(believed - believed.max())
    places = {tuple(table): place for place, table in enumerate(every.tolist())}
    for counts in tables:
        law = chances[places[tuple(counts.tolist())]]
        proposed = (law + 1 / len(every)) / 2
        release = rng.choice(len(every), p=proposed)
        posterior = believed * chances[:, release]
        yield posterior @ every / posterior.sum(), float(law[release] / proposed[release]), True


def as_it_is(mechanism: HellingerMechanism, tables: list[Counts]) -> Estimates:
    """Tables that `infer` can only take for the true ones, released by the mechanism itself."""
    for counts in tables:
        release = mechanism.release(ExactStatistics(counts)).array()
        yield release.astype(np.float64), 1.0, True


def noisy(mechanism: Mechanism, counts: Counts, rng: np.random.Generator) -> Counts:
    """Release with numpy's randomness."""
    if isinstance(mechanism, KNorm):
        return counts + k_norm(counts.size, float(mechanism.epsilon), rng)
    if isinstance(mechanism, GaussianCounts):
        return counts + gaussian(counts.size, float(mechanism.stddev), rng)
    rate = float(1 / mechanism.laplace_scale)  # type: ignore[attr-defined]
    z = laplace(counts.size, rate, rng)
    if not isinstance(mechanism, PublishedLaplace):
        return counts + z
    records = int(counts.sum())
    first = np.clip(counts[:-1] + z[:-1], 0, records)
    return np.append(first, np.clip(records - first.sum(), 0, records))


def laplace(size: int, rate: float, rng: np.random.Generator) -> Counts:
    """The difference of two geometric numbers."""
    chance = -np.expm1(-rate)
    return rng.geometric(chance, size) - rng.geometric(chance, size)


def gaussian(size: int, stddev: float, rng: np.random.Generator) -> Counts:
    """By inversion over all that matters."""
    reach = int(12 * stddev + 3)
    z = np.arange(-reach, reach + 1)
    chances = np.exp(-(z**2) / (2 * stddev**2))
    return rng.choice(z, size=size, p=chances / chances.sum())


def k_norm(levels: int, epsilon: float, rng: np.random.Generator) -> Counts:
    """Laplace noises given that they sum to zero: the last by its chance, all anew until accepted."""
    rate = epsilon / 2
    while True:
        z = np.stack([laplace(levels - 1, rate, rng) for _ in range(200)])
        last = -z.sum(axis=1)
        accepted = np.flatnonzero(rng.random(200) < np.exp(-rate * np.abs(last)))
        if accepted.size:
            return np.append(z[accepted[0]], last[accepted[0]])


@dataclass
class Tally:
    """How often forecasts and choices were right, among those of which the simulation can tell."""

    near: NDArray[np.int64] = field(default_factory=lambda: np.zeros(4, int))
    judged: NDArray[np.int64] = field(default_factory=lambda: np.zeros(4, int))
    off: NDArray[np.int64] = field(default_factory=lambda: np.zeros(4, int))  # cases with a miss
    cases: NDArray[np.int64] = field(default_factory=lambda: np.zeros(4, int))  # with any that is judged
    right: int = 0
    choices: int = 0

    @staticmethod
    def of(cases: list[Case], runs: int, rng: np.random.Generator) -> dict[str, Tally]:
        """Simulate all mechanisms that fit each case; a tally for each neighbour relation."""
        found = {name: Tally() for name in RELATIONS}
        for case in cases:
            tables = [case.truth(rng) for _ in range(runs)]
            found[case.neighbours].add(case, [(plan, *simulated(plan, tables, rng)) for plan in case.plans()])
        return found

    def add(self, case: Case, results: list[tuple[pv.Plan, TableForecast, NDArray[np.float64]]]) -> None:
        self.compare(case, results)
        name = case.chosen.mechanism.name
        chosen, spread = next((real.l2, s[0]) for plan, real, s in results if plan.mechanism.name == name)
        if spread < SPREAD:
            self.choices += 1
            self.right += chosen <= 1.1 * min(real.l2 for _, real, _ in results) * (1 + 2 * spread)

    def compare(self, case: Case, results: list[tuple[pv.Plan, TableForecast, NDArray[np.float64]]]) -> None:
        """Count the forecasts that are near."""
        off, judged = np.zeros(4, bool), np.zeros(4, bool)
        for plan, real, spread in results:
            ratios = np.array([getattr(plan.forecast, m) / max(getattr(real, m), 1e-300) for m in MEASURES])
            told = spread < SPREAD
            self.judged += told
            near = np.maximum(ratios, 1 / ratios) <= NEAR + 2 * np.where(told, spread, 0)
            self.near += told & near
            off, judged = off | (told & ~near), judged | told
            if not near[told].all():
                print(plan.mechanism.name, case, ratios.round(2), spread.round(3))
        self.off, self.cases = self.off + off, self.cases + judged

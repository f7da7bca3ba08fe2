"""Forecasts: the typical errors that a plan states, against those of released posteriors."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product

import numpy as np
import pyarrow as pa
from record import Certificate, store

import privior as pv
from forecast_grid import MEASURES, Case, Tally
from forecast_grid import simulated as errors_of
from kinds import ON_REQUEST
from privior.mechanisms import HellingerMechanism, Mechanism

RUNS = 150
#: the share of forecasts that are to be within 20%, for either relation
BAR = 0.95
#: public facts for each mechanism that is built on request
OTHER_CASES = 20
MECHANISMS: tuple[type[Mechanism], ...] = (pv.KNorm, pv.LaplaceCounts, pv.GaussianCounts)
#: a name, how many releases are simulated, and how public facts are drawn
Facts = tuple[str, int, Callable[[np.random.Generator], tuple[Case, pv.Plan]]]
CELLS = [*product(MECHANISMS, (2, 10), (50, 1000), ("0.1", "1"))]


def simulated(plan: pv.Plan, rng: np.random.Generator) -> tuple[float, float, float, float]:
    """Return the mean width of 90% intervals, the root mean squared l2, mean total variation and root mean
    squared Hellinger error."""
    labels = np.array(plan.schema.column("x").labels)
    ledger = pv.Ledger.in_memory(epsilon=10_000)
    errors, widths = [], []
    for _ in range(RUNS):
        theta = rng.dirichlet(plan.model.parameters(plan.schema))
        codes = rng.choice(labels.size, size=plan.records, p=theta)
        truth = np.bincount(codes, minlength=labels.size) / plan.records
        posterior = pv.infer(pv.measure(plan, pa.table({"x": labels[codes]}), ledger=ledger))
        guess = posterior.counts().mean() / plan.records
        squared_hellinger = ((np.sqrt(guess) - np.sqrt(truth)) ** 2).sum() / 2
        ends = posterior.interval(0.9)
        widths.append((ends[:, 1] - ends[:, 0]).mean())
        errors.append((((guess - truth) ** 2).sum(), np.abs(guess - truth).sum() / 2, squared_hellinger))
    squared, variation, hellinger = np.mean(errors, axis=0)
    return float(np.mean(widths)), float(np.sqrt(squared)), float(variation), float(np.sqrt(hellinger))


def test_forecasts_are_near_what_happens() -> None:
    certificate = Certificate.of(__file__)
    rng = np.random.default_rng(11)
    rows, ratios, width_ratios = [], [], []
    for kind, levels, records, epsilon in CELLS:
        column = pv.Categorical([f"level {i}" for i in range(levels)])
        schema = pv.Schema({"x": column}, population="p", unit="person")
        plan = pv.plan(
            pv.DirichletCategorical("x", prior=1),
            schema,
            records=records,
            epsilon=epsilon,
            delta="1e-6",
            mechanism=kind,
        )
        ahead, found = plan.forecast, simulated(plan, rng)
        stated = (ahead.width, ahead.l2, ahead.total_variation, ahead.hellinger)
        pairs = list(zip(stated, found, strict=True))
        width_ratios.append(ahead.width / found[0])
        ratios.append(ahead.l2 / found[1])
        facts = (kind.name, str(levels), str(records), epsilon)
        rows.append((*facts, *(f"{forecast:.4f} / {real:.4f}" for forecast, real in pairs)))
    store(
        "forecast",
        certificate,
        title="Forecast error against that of released posteriors",
        claim=f"90% width within a factor 1.2 and l2 within 1.3 over {RUNS} data sets from the prior "
        "(replace-one; forecast / found)",
        header=(
            *("mechanism", "levels", "records", "epsilon"),
            *("90% width", "l2", "total variation", "Hellinger"),
        ),
        rows=rows,
    )
    assert 1 / 1.3 <= min(ratios) <= max(ratios) <= 1.3
    assert 1 / 1.2 <= min(width_ratios) <= max(width_ratios) <= 1.2


def test_forecasts_and_choices_on_a_grid_drawn_now() -> None:
    """Facts nobody has seen: k, n, epsilon, delta, prior, relation and the kind of truth."""
    certificate = Certificate.of(__file__)
    seed = np.random.SeedSequence().entropy
    rng = np.random.default_rng(seed)
    cases = [Case.drawn(rng, 20, 1500) for _ in range(60)]
    tallies = Tally.of(cases, 80, rng)
    rows = [
        (
            relation,
            *(f"{near} of {judged}" for near, judged in zip(tally.near, tally.judged, strict=True)),
            f"{tally.right} of {tally.choices}",
        )
        for relation, tally in tallies.items()
    ]
    store(
        "forecast_grid",
        certificate,
        title="Forecasts and choices on a grid drawn at run time",
        claim="forecasts within 20% of the simulated error in 95% of the grid, the total public or private, "
        "the chosen mechanism within 10% of the best in 95%, each but for two standard errors of the "
        f"simulation; {len(cases)} public facts, seed {seed}; where the simulation's standard error is above "
        "10% nothing is counted",
        header=("neighbours", *(measure.replace("_", " ") for measure in MEASURES), "choice"),
        rows=rows,
    )
    for tally in tallies.values():
        assert (tally.near >= BAR * tally.judged).all(), f"seed {seed}: {tally}"
        assert tally.right >= BAR * tally.choices, f"seed {seed}: {tally}"


def test_forecasts_of_other_laws_on_a_grid_drawn_now() -> None:
    """Mechanisms that are built on request: their laws are no noise on the cells."""
    facts: list[Facts] = []
    for kind in ON_REQUEST:
        listed = issubclass(kind, HellingerMechanism)
        most = 1500 if listed else 400
        drawn = partial(Case.planned, kind=kind, most_cells=20, most_records=most, most_tables=1500)
        facts.append((kind.name, 200 if listed else 60, drawn))
    compare(
        "forecast_other_laws",
        "Forecasts for mechanisms that are built on request, on a grid drawn at run time",
        facts,
    )


def test_forecasts_of_whole_tables_on_a_grid_drawn_now() -> None:
    """Too many tables to list, several draws, and a last count that is what the others leave."""
    facts: list[Facts] = []
    for kind, runs in ((pv.EHD, 100), (pv.EHDS, 60), (pv.EHDL, 60)):
        many = partial(Case.too_many, kind=kind, most_cells=20, most_records=1500)
        facts.append((f"{kind.name}, too many tables to list", runs, many))
    several = partial(Case.several_draws, most_cells=20, most_records=600)
    facts.append(("dirichlet-draw, 2 to 40 draws", 60, several))
    for published in (pv.LSHist, pv.LSDim):
        drawn = partial(Case.planned, kind=published, most_cells=20, most_records=1500, most_tables=0)
        facts.append((published.name, 100, drawn))
    compare(
        "forecast_whole_tables",
        "Forecasts that look at whole tables, on a grid drawn at run time",
        facts,
        "; tables that are too many to list are those of the mechanism's own sampler, without a seed, taken "
        "as they are",
    )


def compare(name: str, title: str, facts: list[Facts], note: str = "") -> None:
    """Compare forecasts with simulated releases, for each kind of facts by itself."""
    certificate = Certificate.of(__file__)
    seed = np.random.SeedSequence().entropy
    rng = np.random.default_rng(seed)
    rows, tallies = [], []
    for kind, runs, drawn in facts:
        tally = Tally()
        for _ in range(OTHER_CASES):
            case, plan = drawn(rng)
            tables = [case.truth(rng) for _ in range(runs)]
            tally.compare(case, [(plan, *errors_of(plan, tables, rng))])
        counted = zip(tally.near, tally.judged, strict=True)
        rows.append((kind, *(f"{near} of {judged}" for near, judged in counted)))
        print(rows[-1], flush=True)
        tallies.append(tally)
    store(
        name,
        certificate,
        title=title,
        claim="forecasts within 20% of the simulated error in 95% of the grid, but for two standard errors "
        f"of the simulation; {OTHER_CASES} public facts for each, seed {seed}; where its "
        f"standard error is above 10% nothing is counted{note}",
        header=("mechanism", *(measure.replace("_", " ") for measure in MEASURES)),
        rows=rows,
    )
    for row, tally in zip(rows, tallies, strict=True):
        assert (tally.near >= BAR * tally.judged).all(), f"seed {seed}: {row}"
        assert tally.judged.all(), f"seed {seed}: nothing was judged, {row}"

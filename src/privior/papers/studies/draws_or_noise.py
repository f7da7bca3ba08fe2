"""Draws from the posterior against noise on the sum, at the same guarantee: which is nearer to the parameter.

The first paper releases draws and never compares them with noise. Here four families that a clinic would use
are planned in every way, by number of records and epsilon: discrete Laplace and Gaussian noise, one draw with
delta, one pure draw from the prior cut to an interval. Errors are the forecasts that plans show: the root of
the expected squared error of the posterior mean that knows the noise. Beside them stand what the records
alone would leave open and what is known without a release.
"""

from __future__ import annotations

from collections.abc import Callable

from privior.errors import PlanError
from privior.forecasting import forecaster
from privior.mechanisms import NoisyStatistics, PosteriorDraws
from privior.models.families import BetaBernoulli, Family, GammaExponential, GammaPoisson, NormalMean
from privior.models.laws import Beta, Gamma, Normal, Truncated
from privior.papers.published import posterior_sampling
from privior.papers.studies.study import Findings, Row, Say, Study, StudyRows
from privior.pictures import ErrorCurve, Picture
from privior.privacy import REPLACE_ONE
from privior.schema import Boolean, Bounded, Integer, Schema

DELTA = "1e-6"
RECORDS, FEW_RECORDS = (30, 100, 300, 1000, 3000, 10_000), (30, 100, 300, 1000)
EPSILONS = ("0.1", "1", "5")
SCHEMA = Schema(
    {
        "reaction": Boolean(),
        "events": Integer(0, 12),
        "wait": Bounded(0, 120, grid="0.5"),
        "pressure": Bounded(60, 220, grid=1),
    },
    population="made up",
    unit="patient",
)
#: by what is learned: the family, and the ends to which its prior is cut for pure draws
FAMILIES: dict[str, tuple[Family, tuple[str, str]]] = {
    "chance of a reaction": (BetaBernoulli("reaction", Beta(2, 8)), ("0.01", "0.6")),
    "adverse events": (GammaPoisson("events", Gamma(4, 4)), ("0.1", "4")),
    "rate of waiting": (GammaExponential("wait", Gamma(4, 60)), ("0.01", "0.25")),
    "blood pressure": (NormalMean("pressure", Normal(128, stddev=10), stddev=15), ("90", "170")),
}
_LAPLACE, _GAUSSIAN = "Laplace noise", "Gaussian noise"
_DRAW, _PURE = "one draw", "one pure draw, cut prior"
_WAYS = (_LAPLACE, _GAUSSIAN, _DRAW, _PURE)
_ALONE, _NOTHING = "records alone", "no release"


def _carry_out(quick: bool, say: Say) -> Findings:
    rows = StudyRows()
    numbers = FEW_RECORDS if quick else RECORDS
    for name, (model, ends) in FAMILIES.items():
        for epsilon in EPSILONS[1:] if quick else EPSILONS:
            say(f"{name}, epsilon {epsilon}")
            for records in numbers:
                rows += _rows(name, model, ends, epsilon, records)
    pictures = {
        f"{name.replace(' ', '-')}-epsilon-{epsilon}": _picture(rows, name, epsilon, numbers)
        for name in FAMILIES
        for epsilon in (EPSILONS[1:] if quick else EPSILONS)
    }
    return Findings({"errors": rows.columns()}, pictures, _text(rows))


def _rows(name: str, model: Family, ends: tuple[str, str], epsilon: str, records: int) -> StudyRows:
    ranges = [one.bounds(SCHEMA) for one in model.summands(SCHEMA, REPLACE_ONE)]
    cut = model.with_prior(Truncated(model.law, *ends))
    makers: dict[str, Callable[[], NoisyStatistics | PosteriorDraws]] = {
        _LAPLACE: lambda: NoisyStatistics(ranges, epsilon),
        _GAUSSIAN: lambda: NoisyStatistics(ranges, epsilon, DELTA),
        _DRAW: lambda: PosteriorDraws(model, SCHEMA, records, epsilon, DELTA),
        _PURE: lambda: PosteriorDraws(cut, SCHEMA, records, epsilon),
    }
    facts: Row = {"family": name, "epsilon": float(epsilon), "records": records}
    rows = StudyRows()
    for way, make in makers.items():
        try:
            law = make()
        except PlanError:  # no weight of records is small enough
            rows.append({**facts, "way": way, "weight": None, "error": None})
            continue
        weight = float(law.weight) if isinstance(law, PosteriorDraws) else None
        error = forecaster(model, SCHEMA).ahead(records, law).error
        rows.append({**facts, "way": way, "weight": weight, "error": error})
    for way, known in ((_ALONE, records), (_NOTHING, 0)):
        error = forecaster(model, SCHEMA).ahead(known, None).error
        rows.append({**facts, "way": way, "weight": None, "error": error})
    return rows


def _errors(rows: StudyRows, **asked: float | str) -> dict[tuple[object, ...], float | None]:
    """Return errors by family, epsilon and records."""
    return {
        (row["family"], row["epsilon"], row["records"]): None if row["error"] is None else float(row["error"])
        for row in rows.where(**asked)
    }


def _picture(rows: StudyRows, name: str, epsilon: str, numbers: tuple[int, ...]) -> Picture:
    nothing = next(iter(_errors(rows, family=name, way=_NOTHING).values())) or 0.0

    def drawn(way: str) -> list[float]:
        found = _errors(rows, family=name, way=way, epsilon=float(epsilon))
        return [nothing if error is None else error for error in found.values()]

    return ErrorCurve(
        numbers,
        {way: drawn(way) for way in (*_WAYS, _ALONE)},
        title=f"{name}, epsilon {epsilon}: draws or noise",
        y_label="forecast error",
        x_label="records",
        lines={_NOTHING: nothing},
        note=f"Laplace noise and the pure draw have delta 0, the others {DELTA}.",
    )


def _text(rows: StudyRows) -> str:
    by_way = {way: _errors(rows, way=way) for way in _WAYS}

    def ratios(one: str, other: str) -> list[float]:
        pairs = ((error, by_way[other][place]) for place, error in by_way[one].items())
        return sorted(a / b for a, b in pairs if a is not None and b is not None)

    told = []
    for drawn, noisy in ((_DRAW, _GAUSSIAN), (_PURE, _LAPLACE)):
        found = ratios(drawn, noisy)
        wins = sum(ratio < 0.99 for ratio in found)
        told.append(
            f"{drawn} errs {found[0]:.2f} to {found[-1]:.1f} times as much as {noisy}, "
            f"{found[len(found) // 2]:.2f} times in the middle case, and is ahead by more than 1% in {wins} "
            f"of {len(found)}"
        )
    waste = ratios(_GAUSSIAN, _LAPLACE)
    ahead = sum(ratio < 1 for ratio in waste)
    return (
        f"At the same guarantee {told[0]}; {told[1]}. A draw hides the sum behind the spread of the "
        "posterior, and noise hides it behind the reach of one record. For one sum Laplace "
        f"noise needs no delta and is better than Gaussian noise with delta {DELTA} in "
        f"{len(waste) - ahead} of {len(waste)} cases. What draws have is that they can be used as they are."
    )


ABOUT = "posterior draws against noisy sums at the same guarantee, for four families, by records and epsilon"
STUDY = Study("draws-or-noise", ABOUT, posterior_sampling.PAPER, "Section 6.2", _carry_out)

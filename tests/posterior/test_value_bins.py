"""One ordered column is shown in the order of its values; of very many, neighbours are put together."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pytest

import privior as pv
from privior.posterior.tables.value_bins import width_for
from privior.report import page_of

RECORDS = 4000
SCHEMA = pv.Schema(
    {
        "age": pv.Integer(18, 40),
        "balance": pv.Bounded(0, 5500, grid=10),
        "day": pv.Date("2025-01-01", "2025-03-31"),
        "town": pv.Categorical([f"town {place}" for place in range(60)]),
    },
    population="bank",
    unit="customer",
)


def posterior_of(column: str, **facts: object) -> pv.CategoricalPosterior:
    codes = np.random.default_rng(3).beta(2, 5, RECORDS) * SCHEMA.column(column).size
    values = [str(SCHEMA.column(column).values[int(code)]) for code in codes]
    plan = pv.plan(pv.DirichletCategorical(column), SCHEMA, records=RECORDS, epsilon="0.5")
    release = pv.measure(plan, pa.table({column: values}), ledger=pv.Ledger.in_memory())
    found: pv.CategoricalPosterior = pv.infer(release, **facts)  # type: ignore[arg-type]
    return found


@pytest.mark.parametrize("prior", ["learned", 1])
def test_hundreds_of_values_are_shown_in_order_and_none_is_left_out(
    prior: object, seeded_noise: object
) -> None:
    found = posterior_of("balance", prior=prior)
    table = found.findings()[0].table
    assert table is not None
    assert [row[0] for row in table.rows[:2]] == ["0 to 190", "200 to 390"]
    assert (len(table.rows), table.rows[-1][0]) == (28, "5400 to 5500")
    assert sum(float(row[1]) for row in table.rows) == pytest.approx(1, abs=0.002)
    summed = found.probability({"balance": list(range(1000, 1200, 10))})
    assert float(table.rows[5][1]) == pytest.approx(summed.mean, abs=1e-4)
    low, high = map(float, table.rows[5][2].split(" to "))
    assert (low, high) == pytest.approx(summed.interval(), abs=0.15 * (high - low))
    picture = found.picture()
    assert [*picture.labels] == [row[0] for row in table.rows]
    page = re.sub(r"<[^>]+>", " ", page_of(found.releases[0], found))
    mean, median = found.average("balance"), found.median("balance")
    assert f"Of balance the mean is {mean.mean:.6g} (" in page
    assert f"the median is {median.estimate:.0f} (" in page
    assert "0 to 190" in page


def test_few_ordered_values_are_shown_each_and_days_have_a_median_alone(seeded_noise: object) -> None:
    ages, days = posterior_of("age"), posterior_of("day")
    table = ages.findings()[0].table
    assert table is not None
    assert [row[0] for row in table.rows] == [str(age) for age in range(18, 41)]
    assert "Of age the mean is" in page_of(ages.releases[0], ages)
    page = page_of(days.releases[0], days)
    assert f"Of day the median is {days.median('day').estimate} (" in page
    assert "2025-01-01 to 2025-01-05" in page


def test_values_in_no_order_come_by_their_probability(seeded_noise: object) -> None:
    found = posterior_of("town")
    table = found.findings()[0].table
    assert table is not None
    shown = [float(row[1]) for row in table.rows]
    assert (len(shown), shown) == (40, sorted(shown, reverse=True))
    assert "the median is" not in page_of(found.releases[0], found)


def test_the_inner_interval_lies_in_the_whole_one(seeded_noise: object) -> None:
    """Where the prior is learned it adds no record to every cell: both are about one mean."""
    found = posterior_of("balance")
    inner, whole, mean = found._without_noise(0.9), np.asarray(found.interval(0.9)), found.mean()
    assert (whole[:, 0] <= inner[:, 0]).all()
    assert (inner[:, 1] <= whole[:, 1]).all()
    full = mean > 5 / RECORDS
    assert full.sum() > 100
    assert ((inner[:, 0] < mean) & (mean < inner[:, 1]))[full].all()
    picture = found.picture()
    for (low, high), (least, most) in zip(picture.inner, picture.whole, strict=True):
        assert least - 1e-3 <= low <= high <= most + 1e-3


@pytest.mark.parametrize("size", [41, 80, 81, 551, 1000, 9999, 200_000])
def test_there_are_few_bins_of_a_round_number_of_values(size: int) -> None:
    assert 14 <= -(-size // width_for(size)) <= 40

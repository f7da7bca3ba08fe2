"""Samplers against laws that are hardly off: the suite runs the same checks with fewer draws, farther off."""

from __future__ import annotations

from fractions import Fraction

import pytest
from reweighted_draws import DRAWN, QUARTER, Way, check_draws

from mechanism_examples import EXAMPLES
from mechanism_examples import check_draws as check_counts
from privior.mechanisms import Mechanism
from privior.models import Family
from privior.models.laws import Law
from privior.randomness import BetaLaw, TruncatedLaw
from sampler_checks import (
    BETAS,
    TABLES,
    TRUNCATED,
    UNBOUNDED,
    Unbounded,
    check_beta,
    check_first_table,
    check_tables,
    check_truncated,
    check_unbounded,
)


@pytest.mark.parametrize(("law", "many"), [(law, many) for law, _few, many in BETAS], ids=str)
def test_shares(law: BetaLaw, many: tuple[int, int, Fraction]) -> None:
    check_beta(law, *many)


@pytest.mark.parametrize(("law", "places", "size", "off"), UNBOUNDED, ids=str)
def test_laws_without_ends(law: Unbounded, places: int, size: int, off: Fraction) -> None:
    check_unbounded(law, places, size, off)


@pytest.mark.parametrize(("law", "places", "size"), TRUNCATED, ids=str)
def test_laws_within_bounds(law: TruncatedLaw, places: int, size: int) -> None:
    check_truncated(law, places, size, Fraction(1, 10))


@pytest.mark.parametrize(("counts", "prior", "rate", "draws"), TABLES, ids=str)
def test_tables_by_their_hellinger_distance(
    counts: tuple[int, ...], prior: tuple[Fraction, ...], rate: Fraction, draws: int
) -> None:
    check_tables(counts, prior, rate, draws, float(rate) * 1.4 + 0.5)


def test_a_chance_that_is_five_percent_off_is_rejected() -> None:
    check_first_table(200_000, 0.05)


@pytest.mark.parametrize(("model", "law", "way", "summed"), [one[:4] for one in DRAWN], ids=str)
def test_re_weighted_priors(model: Family, law: Law, way: Way, summed: int) -> None:
    check_draws(model, law, way, summed, 3500, QUARTER)


@pytest.mark.parametrize("mechanism", [one for one in EXAMPLES if one.cell_noise], ids=str)
def test_noise_on_counts(mechanism: Mechanism) -> None:
    check_counts(mechanism, 2500, Fraction(7, 10))

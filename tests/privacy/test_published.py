"""The published bounds: the printed formulas by other means, and verdicts that the exact pairs bear out."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import mpmath as mp
import pytest
from hellinger_laws import largest_loss, local_sensitivity, neighbours
from scipy import optimize

import privior as pv
from privior.papers.published import Paper, Published, Verdict, dirichlet, gibbs, networks
from privior.papers.published import hellinger as hellinger_bounds
from privior.papers.published import posterior_sampling as sampling
from privior.privacy.pairs import (
    BetaPair,
    GammaShapePair,
    GaussianPair,
    SignedSteps,
    TruncatedBernoulli,
    TruncatedExponential,
    both_orders,
)

F = Fraction
draw = dirichlet.PublishedDraw.of


def cases() -> list[Published]:
    bernoulli = TruncatedBernoulli(F(1, 5), F(4, 5), 10)
    return [
        sampling.theorem_8_lipschitz(2),
        sampling.theorem_8_lipschitz(sampling.bernoulli_lipschitz("0.2"), 1, bernoulli),
        sampling.theorem_8_lipschitz(sampling.bernoulli_lipschitz("0.2"), 1, bernoulli, draws=3),
        sampling.theorem_8_stochastic(10, "0.01", "1.2", "0.1"),
        sampling.theorem_8_stochastic(10, "0.01", "1.2", "0.1", draws=4),
        sampling.theorem_8_stochastic("0.9", 1, 2),
        sampling.corollary_9(2, 1, 4, None),
        sampling.corollary_9(2, 1, 4, bernoulli),
        hellinger_bounds.theorem_3_1_laplace(1, 2),
        hellinger_bounds.theorem_3_1_laplace("0.3", 7),
        hellinger_bounds.theorem_3_1_laplace(1, 2, "LSDim"),
        hellinger_bounds.theorem_3_1_laplace("0.3", 7, "LSDim"),
        hellinger_bounds.theorem_3_1_exponential(1, [1, 1, 1], 10),
        hellinger_bounds.theorem_3_1_exponential(1, [3, 2, 5], 10),
        hellinger_bounds.theorem_3_1_exponential(1, ["0.5", "0.5", 1], 10),
        *(hellinger_bounds.theorem_3_1_smooth(1, gamma) for gamma in ("0.1", 1, 5)),
        gibbs.theorem_3("0.5", 2),
        gibbs.theorem_4_bounded("0.5", 2),
        gibbs.theorem_4_differences("0.5", 2),
        gibbs.theorem_5(1, 2),
        gibbs.theorem_7("0.1", 1, 1, 1),
        gibbs.theorem_7(1, 1, 1, 1),
        gibbs.corollary_8_first(1),
        gibbs.corollary_8_first(5),
        gibbs.corollary_8_second(1, "1e-6"),
        gibbs.corollary_8_second(12, "1e-6"),
        dirichlet.equation_6(draw(10), 2),
        dirichlet.equation_6(draw(1), 3),
        dirichlet.equation_6(draw(1, 1, 6, 2), 3),
        dirichlet.equation_7(10, "0.1", "0.1", "0.1", "0.01"),
        dirichlet.lemma_1(2, 1, "1.5"),
        dirichlet.theorem_2(draw(3), 2),
        dirichlet.theorem_2(draw(3, "0.5"), 2),
        dirichlet.theorem_2(draw(3, 1, 1, 1), 2),
        dirichlet.theorem_2(draw(30, 1, 6, 2), 2),
        dirichlet.theorem_2(draw(1), 2),
        dirichlet.theorem_4(draw(3), 1),
        dirichlet.theorem_4(draw(3, 1, 1, 1), 1),
        dirichlet.theorem_4(draw(1, "0.2"), 1),
        networks.corollary_1(1, 4),
        networks.corollary_2(1, [[0], [1, 0], [2, 0, 1]]),
        networks.theorem_4_lipschitz([1, 2, 3], 0, [1, 1, 1]),
        networks.theorem_4_lipschitz([2, 2], 0, [1, 1]),
        networks.theorem_4_lipschitz([2, 2], 1, [1, 1]),
        networks.theorem_4_stochastic(20, "0.01", 1, "0.9"),
        networks.theorem_4_stochastic(1, "0.01", 1, "0.9"),
    ]


@pytest.mark.parametrize("claim", cases(), ids=str)
def test_verdicts_agree_with_the_numbers(claim: Published) -> None:
    """Loose: something smaller is true. Sound: nothing smaller is stated. False: something larger is."""
    assert claim.reason
    assert claim.formula
    assert claim.place in str(claim)
    assert claim.verdict.value in str(claim)
    assert claim.paper.title in str(claim.paper)
    if claim.better is None:
        return
    if claim.verdict is Verdict.LOOSE:
        assert claim.better <= claim.value * (1 + 1e-12)
    elif claim.verdict is Verdict.SOUND:
        assert claim.better == pytest.approx(claim.value)
    elif claim.verdict is Verdict.FALSE:
        assert claim.better > claim.value


def test_all_verdicts_occur() -> None:
    assert {claim.verdict for claim in cases()} == set(Verdict)


@pytest.mark.parametrize(
    ("smallest", "rate", "squared", "largest", "epsilon"),
    [(1, 1, 2, 1, 1.0), (3.46, 1, 2, 1, 2.0), (10, 1, 2, 1, 1.0), (10, 1, 6, 2, 1.0), (1, 0.046, 2, 1, 1.0)],
)
def test_theorem_4_of_dirichlet_sampling(
    smallest: float, rate: float, squared: float, largest: float, epsilon: float
) -> None:
    """The least of the printed function, found by another method in another arithmetic."""
    end = smallest / (rate * largest)

    def printed(share: float) -> float:
        order = 1 + end * share
        divergence = order / 2 * rate**2 * squared * mp.zeta(2, smallest - (order - 1) * rate * largest)
        return float((order - 1) * (divergence - epsilon) - mp.log(order - 1) + order * mp.log(1 - 1 / order))

    grid = min(range(1, 400), key=lambda i: printed(i / 400))
    found = optimize.minimize_scalar(
        printed, bounds=((grid - 1) / 400 + 1e-9, (grid + 1) / 400 - 1e-9), method="bounded"
    )
    claim = dirichlet.theorem_4(draw(smallest, rate, squared, largest), epsilon)
    assert claim.value == pytest.approx(min(1.0, math.exp(float(found.fun))), rel=1e-6)
    assert claim.value >= math.exp(float(found.fun)) * (1 - 1e-9)


def test_which_pair_is_exact_for_which_statistics() -> None:
    assert draw(2, "0.5").pair == both_orders(BetaPair(F(2), F(2), F(1, 2)))
    assert draw(2, "0.5", 1, 1).pair == both_orders(GammaShapePair(F(2), F(1, 2)))
    assert draw(2, 1, 6, 2).pair is None


@pytest.mark.parametrize("order", [1.5, 2, 3, 8])
@pytest.mark.parametrize("smallest", [9, 20, 300])
def test_theorem_2_holds_where_the_divergence_is_known(smallest: int, order: float) -> None:
    for squared in (1, 2):
        claim = dirichlet.theorem_2(draw(smallest, 1, squared, 1), order)
        assert claim.better is not None
        assert 0 < claim.better <= claim.value < math.inf


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_lemma_1_is_the_best_factor(epsilon: float) -> None:
    """1 - e^(epsilon - z) <= factor e^((l-1)(z - epsilon)) for all z, with equality at one of them."""
    for order in (1.2, 2.0, 7.0):
        factor = (1 - 1 / order) ** order / (order - 1)
        steps = [i / 1000 for i in range(1, 9000)]
        gaps = [factor * math.exp((order - 1) * z) - (1 - math.exp(-z)) for z in steps]
        assert -1e-12 < min(gaps) < 1e-6
    claim = dirichlet.lemma_1(2, 1, F(epsilon))
    assert claim.value == pytest.approx(min(1, math.exp(1 - epsilon) / 4))


def test_equation_7_by_its_formula() -> None:
    r, eta, rest, b, cut = 10.0, 0.1, 0.1, 0.1, 0.01
    betas = mp.log(mp.beta(r * eta, r * (1 - eta - rest))) - mp.log(
        mp.beta(r * (eta + b / 2), r * (1 - eta - rest - b / 2))
    )
    printed = float(betas) + r * b / 2 * math.log((1 - cut) / cut)
    claim = dirichlet.equation_7(10, "0.1", "0.1", "0.1", "0.01")
    assert claim.value == pytest.approx(printed, rel=1e-12)


def test_theorem_7_bounds_the_tail_and_the_curve() -> None:
    for beta, epsilon in itertools.product((0.05, 0.2, 0.6), (0.5, 1.0, 2.0)):
        claim = gibbs.theorem_7(beta, 1, 1, epsilon)
        mu = 2 * beta
        if epsilon <= mu**2 / 2:
            continue
        assert claim.value == pytest.approx(math.exp(-((epsilon - 2 * beta**2) ** 2) / (8 * beta**2)))
        tail = gibbs.theorem_5(mu, epsilon)
        assert tail.value == pytest.approx(float(mp.ncdf(mu / 2 - epsilon / mu)), rel=1e-9)
        assert claim.better is not None
        assert claim.better < tail.value < claim.value
        assert claim.exact == GaussianPair(F(claim.exact.mu_squared))  # type: ignore[union-attr, arg-type]


def test_bounded_losses_are_reached() -> None:
    """A finite set of parameters, one of them apart: the loss comes close to 2 beta D, never above."""
    beta, bound = 0.7, 1.0
    claim = gibbs.theorem_3("0.7", 1)
    for rare in (1e-2, 1e-6):
        prior = (1 - rare, rare)
        weights = [
            [p * math.exp(-beta * loss) for p, loss in zip(prior, losses, strict=True)]
            for losses in ((bound / 2, -bound / 2), (-bound / 2, bound / 2))
        ]
        laws = [[w / sum(row) for w in row] for row in weights]
        loss = max(abs(math.log(p / q)) for p, q in zip(*laws, strict=True))
        assert loss <= claim.value
    assert loss == pytest.approx(claim.value, abs=1e-5)


@pytest.mark.parametrize(
    ("prior", "records"), [((1.0, 1.0), 6), ((0.3, 2.0), 5), ((0.5, 0.7, 2.0), 4), ((3.0, 3.0, 3.0), 3)]
)
def test_hellinger_sensitivity_by_enumeration(prior: tuple[float, ...], records: int) -> None:
    local = max(local_sensitivity(one, prior) for one, _ in neighbours(records, len(prior)))
    stated = hellinger_bounds.hellinger_sensitivity(prior, records)
    assert local <= stated * (1 + 1e-12)
    assert stated == pytest.approx(local, rel=1e-12)
    ours = hellinger_bounds.theorem_3_1_exponential("0.5", prior, records).better
    printed = math.sqrt(1 - math.pi / 4)
    assert ours is not None
    assert largest_loss(records, prior, lambda _: 0.5 / (2 * printed)) <= ours


def test_parities_by_enumerating_records() -> None:
    """The largest change of all coefficients together, over every pair of records."""
    families = [[0], [1, 0], [2, 0, 1], [3, 2]]
    closure = networks.downward_closure(families)
    assert len(closure) == 10
    pairs = itertools.product(range(16), repeat=2)
    most = max(sum(abs((g & x).bit_count() % 2 - (g & y).bit_count() % 2) for g in closure) for x, y in pairs)
    assert networks.largest_parity_change(families) == most
    star = [[0], *([i, 0] for i in range(1, 9))]
    assert networks.largest_parity_change(star) == 16
    assert networks.largest_parity_change([[0, 1, 2, 3, 4]]) == 16


def test_the_total_variation_bound_holds() -> None:
    """Beta priors, one Bernoulli record: exact total variation below the bound that replaces Theorem 8(2)."""
    for shape in (1.5, 2.0, 5.0):
        variation = float(
            mp.quad(lambda t, a=shape: abs(2 * t - 1) * (t * (1 - t)) ** (a - 1), [0, 0.5, 1])
            / mp.beta(shape, shape)
        )
        smooth = 0.0  # l = |logit|, and P[l > L] <= e^(-c L) for the c of Lemma 21
        slope = 2 ** (1 - 2 * shape) / float(mp.beta(shape, shape))
        ratio = 2.0  # the likelihood is at most 1, its mean 1/2
        claim = sampling.theorem_8_stochastic(F(slope), F(smooth), F(ratio))
        assert claim.better is not None
        assert variation <= claim.better


def test_many_draws_add_up() -> None:
    once = sampling.theorem_8_lipschitz(1)
    often = sampling.theorem_8_lipschitz(1, draws=5)
    assert (once.place, often.place) == ("Theorem 8(1)", "Corollary 10(1)")
    assert often.value == 5 * once.value
    assert often.exact == SignedSteps(F(2), 5)
    single = sampling.theorem_8_stochastic(4, "0.1", 1, "0.01")
    many = sampling.theorem_8_stochastic(4, "0.1", 1, "0.01", draws=4)
    assert many.value == pytest.approx(4 * single.value)
    assert many.better == pytest.approx(2 * (single.better or 0))


def test_a_paper_says_what_it_says() -> None:
    assert str(Paper("A title")) == "A title"
    assert str(Paper("A title", "Somebody", 1999)) == "Somebody, A title (1999)"


@pytest.mark.parametrize(
    "build",
    [
        lambda: sampling.bernoulli_lipschitz("0.6"),
        lambda: sampling.theorem_8_lipschitz(-1),
        lambda: sampling.theorem_8_stochastic(2, 1, "0.5"),
        lambda: sampling.theorem_8_lipschitz(1, draws=0),
        lambda: hellinger_bounds.theorem_3_1_laplace(1, 3, "EHD"),
        lambda: hellinger_bounds.hellinger_sensitivity([1], 3),
        lambda: gibbs.corollary_8_second(1, 1),
        lambda: dirichlet.theorem_2(draw(2), 1),
        lambda: dirichlet.equation_7(1, "0.4", "0.4", "0.1", "0.1"),
        lambda: networks.corollary_2(1, []),
        lambda: networks.corollary_2(1, [[99]]),
        lambda: networks.theorem_4_lipschitz([1], 0, [1, 2]),
        lambda: networks.theorem_4_stochastic(1, 1, "0.5", "0.5"),
    ],
)
def test_what_makes_no_sense_is_refused(build: Any) -> None:
    with pytest.raises(pv.NumberError):
        build()


def test_the_exponential_example() -> None:
    slow = TruncatedExponential(F(1, 2), F(2), 1, F(0), F(1))
    claim = sampling.theorem_8_lipschitz(2, 1, slow)
    assert (claim.value, claim.verdict) == (4, Verdict.LOOSE)
    assert claim.better == pytest.approx(0.859525105)

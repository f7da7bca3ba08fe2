"""Bounds of "On the Differential Privacy of Bayesian Inference" (Bayesian networks).

A network of binary variables, one record replaced. Corollary 1: Laplace noise on the counts of every family.
Corollary 2: the same on Fourier coefficients, which agree with each other. Theorem 4: a posterior draw.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

from privior.checks import above_zero, strictly_within, whole_number, zero_or_above
from privior.errors import NumberError, shown
from privior.exact import round_up
from privior.interval_arithmetic import arb
from privior.papers.published.statement import Paper, Published, Verdict
from privior.privacy.pairs.balls import ball, balls, upper
from privior.privacy.pairs.signed_steps import SignedSteps

PAPER = Paper("On the Differential Privacy of Bayesian Inference", "Zhang, Rubinstein, Dimitrakakis", 2016)
#: all records are tried, so there may not be too many variables
_MOST_VARIABLES = 16
_KAPPA, _OMEGA = Fraction("4.91081"), Fraction("1.25643")


def corollary_1(epsilon: object, nodes: int) -> Published:
    """Corollary 1: noise of scale 2 |I| / epsilon on all counts of all |I| families is epsilon-private.

    A replaced record leaves one cell and enters another in each family: 2 |I| counts move by one, and they do
    where all its values change. The loss is a sum of independent parts of at most epsilon / (2 |I|). The
    truncation is printed as an indicator function; read as clamping to [0, n] it is post-processing.
    """
    nominal, size = above_zero(epsilon, "epsilon"), whole_number(nodes, "nodes")
    pair = SignedSteps(nominal / (2 * size), 2 * size)
    value = round_up(nominal)
    reason = (
        "2 |I| is the sum of changes of a record whose values all change; the curve below epsilon is smaller"
    )
    formula = "epsilon, scale 2 |I| / epsilon"
    return PAPER.states("Corollary 1", formula, "epsilon", value, (Verdict.SOUND, reason), pair, value)


def corollary_2(epsilon: object, families: Sequence[Sequence[int]]) -> Published:
    """Corollary 2: noise of scale 2 |N| / (epsilon 2^(k/2)) on the coefficients of N is epsilon-private.

    N is every subset of every family (a variable with its parents). The coefficient of g is
    2^(-k/2) (n - 2 c_g), c_g the number of records with an odd number of ones in g, so a replaced record
    moves it by 2^(1-k/2) if its parity on g changes, and not otherwise. No record changes all parities: the
    one of the empty set never, and of the others at most M = max over z of the number of g with |g & z| odd.
    True cost: epsilon M / |N|.

    Args:
        epsilon: what is claimed
        families: for each variable, its own number and its parents'
    """
    nominal = above_zero(epsilon, "epsilon")
    closure = downward_closure(families)
    most = largest_parity_change(families)
    pair = SignedSteps(nominal / len(closure), most)
    formula = "epsilon, scale 2 |N| / (epsilon 2^(k/2))"
    reason = f"one record changes at most {most} of the {len(closure)} parities"
    value, better = round_up(nominal), round_up(pair.pure)
    return PAPER.states("Corollary 2", formula, "epsilon", value, (Verdict.LOOSE, reason), pair, better)


def downward_closure(families: Sequence[Sequence[int]]) -> frozenset[int]:
    """Return every subset of every family, each as the bits of a whole number."""
    if not families or any(not 0 <= v < _MOST_VARIABLES for family in families for v in family):
        raise NumberError("not families of variables", asked=shown(families), allowed="0 to 15")
    found = {0}
    for family in families:
        for size in range(1, len(family) + 1):
            found |= {sum(1 << v for v in chosen) for chosen in combinations(sorted(set(family)), size)}
    return frozenset(found)


def largest_parity_change(families: Sequence[Sequence[int]]) -> int:
    """Return M: the largest number of subsets whose parity one record changes."""
    closure = downward_closure(families)
    variables = max(v for family in families for v in family) + 1
    return max(sum((g & z).bit_count() % 2 for g in closure) for z in range(1 << variables))


def theorem_4_lipschitz(lipschitz: Sequence[object], arcs: int, moved: Sequence[object]) -> Published:
    """Theorem 4(1): if log p(x_i | parents) is L_i-Lipschitz in x_i at each node, a draw costs 2 max L_i rho.

    rho(x, y) is the sum of the nodes' own distances. The sum over i of L_i rho_i would do, and is smaller.
    Two reservations. The assumption bounds the change of log p(x_i | parents), from all values x to all
    values y, by L_i rho_i(x_i, y_i), which is 0 for x_i = y_i: then no variable may depend on its parents,
    and the theorem covers networks without arcs only. And "2 max L_i" is for rho = 1; one record that
    differs in all K variables has rho = K.

    Args:
        lipschitz: L_i of each node
        arcs: how many arcs the network has
        moved: rho_i of two neighbouring records at each node
    """
    slopes = [zero_or_above(slope, "lipschitz") for slope in lipschitz]
    apart = [zero_or_above(step, "moved") for step in moved]
    if not slopes or len(slopes) != len(apart):
        raise NumberError("one slope and one distance for each node", asked=shown((lipschitz, moved)))
    cost = 2 * max(slopes) * sum(apart)
    exact = 2 * sum((s * d for s, d in zip(slopes, apart, strict=True)), start=Fraction(0))
    formula = "epsilon = 2 max L_i rho"
    value, better = round_up(cost), round_up(exact)
    if arcs > 0:
        verdict, reason = Verdict.VACUOUS, "its assumption excludes every variable that depends on a parent"
        return PAPER.states("Theorem 4(1)", formula, "epsilon", value, (verdict, reason))
    verdict = Verdict.SOUND if exact == cost else Verdict.LOOSE
    reason = "the sum over nodes of 2 L_i rho_i bounds the oscillation; rho counts every node that changes"
    pair = SignedSteps(exact)
    return PAPER.states("Theorem 4(1)", formula, "epsilon", value, (verdict, reason), pair, better)


def theorem_4_stochastic(
    concentration: object, smooth: object, ratio: object, slack: object, distance: object = 1
) -> Published:
    """Theorem 4(2): delta = sqrt(M/2 max(rho, 1)) where the prior gives l > L at most e^(-c L), L >= L0.

    M/C = kappa/c + L0 (1/(1-e^-omega) + 1) + ln C + ln(e^(-L0 s c) / (e^(-omega (1-s)) - e^-omega) +
    e^(L0 (1-s) c)), kappa = 4.91081, omega = 1.25643, for rho <= (1 - s) c. C is printed as a product over
    nodes of ratios for one record; for n records it has to be the constant of all of them.
    E l <= L0 + e^(-c L0)/c, so the argument in `posterior_sampling.theorem_8_stochastic` gives
    TV <= sqrt(C (L0 + e^(-c L0)/c) rho) / 2, always less.

    Args:
        concentration: c
        smooth: L0
        ratio: C
        slack: s, called delta there
        distance: rho of two neighbours
    """
    c, base = above_zero(concentration, "concentration"), above_zero(smooth, "smooth")
    most = above_zero(ratio, "ratio")
    s, apart = strictly_within(slack, "slack"), zero_or_above(distance, "distance")
    if most < 1:
        raise NumberError("a largest ratio to a mean is at least 1", where="ratio", asked=shown(ratio))

    def printed() -> arb:
        cc, low, big, part, kappa, omega = balls(c, base, most, s, _KAPPA, _OMEGA)
        first = (-low * part * cc).exp() / ((-omega * (1 - part)).exp() - (-omega).exp())
        inside = (first + (low * (1 - part) * cc).exp()).log()
        slope = low * (1 / (1 - (-omega).exp()) + 1)
        return ((kappa / cc + slope + big.log() + inside) * big / 2 * ball(max(apart, Fraction(1)))).sqrt()

    def proved() -> arb:
        cc, low, big = balls(c, base, most)
        return (big * (low + (-cc * low).exp() / cc) * ball(apart)).sqrt() / 2

    value, better = upper(printed), min(1.0, upper(proved))
    if apart > (1 - s) * c:
        judged = Verdict.VACUOUS, "its assumption rho <= (1 - s) c does not hold"
    elif value >= 1:
        judged = Verdict.VACUOUS, "a total variation is never above 1"
    else:
        judged = Verdict.LOOSE, "another proof gives less, without its conditions"
    formula = "delta = sqrt(M/2 max(rho, 1)), epsilon = 0"
    return PAPER.states("Theorem 4(2)", formula, "delta", value, judged, better=better)

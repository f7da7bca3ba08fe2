"""RiverSwim as section 5 of "Differential Privacy of Dirichlet Posterior Sampling" has it, at a sound cost.

The paper draws every row of transitions before each of 3,000 episodes of 30 steps, each draw at (2, e/3000),
so that all are (2, e), and calls rewards (infinity, .5): no Gaussian noise has a finite divergence of order
infinity. Here rewards have (2, .5) in all, by discrete Gaussian noise on visits and rewards, and draws have
the divergence of what a replaced step really moves. Beside that everything is calibrated to (e, 1e-6).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from privior.errors import PlanError
from privior.privacy.calibration import largest
from privior.privacy.interactions import together
from privior.sequential import (
    AgentMechanism,
    AgentPlan,
    BoundedRewards,
    Doubling,
    Every,
    FiniteChain,
    Noise,
    NoisyCounts,
    RowDraws,
    Schedule,
    Step,
    Unprotected,
)

EPISODES, STEPS, DELTA = 3000, 30, "1e-6"
#: the paper's prior, and what it grants rewards at order 2
PRIOR, REWARDS = Fraction(10), Fraction(1, 2)
#: what is compared, by name; those of the paper first
WAYS = ("diffuse", "concentrated", "diffuse, public epochs", "ours", "ours, tree")
#: of the guarantees
ORDER_2, PAIR = "(2, e + 0.5)-RDP", "(e, 1e-6)"

Setting = tuple[FiniteChain, AgentMechanism, Schedule]


def problem(prior: object) -> FiniteChain:
    """RiverSwim as an agent sees it: six states, two actions, rewards from 0 to 1."""
    return FiniteChain(6, 2, STEPS, BoundedRewards(), prior=prior)


def not_private() -> Setting:
    """Posterior sampling without privacy, redrawn before every episode."""
    return problem(1), Unprotected(), Every()


def way(name: str, epsilon: str, guarantee: str) -> Setting:
    """Return one of the ways at this epsilon under this guarantee."""
    chosen = problem("1/6" if name.startswith("ours") else PRIOR)
    if guarantee == ORDER_2:
        return _at_order_2(name, chosen, Fraction(epsilon))
    kind = {"diffuse, public epochs": "diffuse", "ours": "noisy-counts", "ours, tree": "noisy-tree"}.get(
        name, name
    )
    schedule = {"diffuse, public epochs": Doubling(), "ours, tree": Every(32)}.get(name)
    plan = AgentPlan.of(
        chosen,
        population="simulated",
        episodes=EPISODES,
        epsilon=epsilon,
        delta=DELTA,
        schedule=schedule,
        mechanism=kind,
    )
    return chosen, plan.mechanism, plan.schedule


def _at_order_2(name: str, chosen: FiniteChain, epsilon: Fraction) -> Setting:
    """Spend a divergence of order 2: epsilon on transitions and .5 on rewards, or both on noise together."""
    schedule: Schedule = Every(32) if name == "ours, tree" else Every()
    if name == "ours" or "epochs" in name:
        schedule = Doubling()

    def cost(mechanism: AgentMechanism) -> tuple[float, float]:
        """Return the divergences of order 2 that transitions and rewards cost."""
        parts = mechanism.parts(chosen, Step(), schedule, EPISODES)
        return together(*parts[:1]).renyi(2), together(*parts[1:]).renyi(2)

    if name.startswith("ours"):
        tree = name == "ours, tree"
        size = _least(lambda s: sum(cost(NoisyCounts(Noise(s, tree=tree)))) <= epsilon + REWARDS)
        if not tree:
            needed = 50 * float(size) / STEPS
            schedule = Doubling(2 ** max(0, math.ceil(math.log2(needed))))
        return chosen, NoisyCounts(Noise(size, tree=tree)), schedule
    noise = Noise(_least(lambda s: cost(RowDraws(PRIOR, Fraction(1, 10**6), Noise(s)))[1] <= REWARDS))
    if name.startswith("diffuse"):
        rate = largest(
            lambda r: cost(RowDraws(PRIOR, r, noise))[0] <= epsilon, Fraction(1, 10**8), Fraction(1), digits=4
        )
        return chosen, RowDraws(PRIOR, _known(rate), noise), schedule
    prior = _least(lambda a: cost(RowDraws(a, 1, noise))[0] <= epsilon)
    return chosen, RowDraws(prior, 1, noise), schedule


def _least(holds: Callable[[Fraction], bool]) -> Fraction:
    """Return the smallest number, of four digits, from which on a promise holds."""
    found = largest(lambda inverse: holds(1 / inverse), Fraction(1, 10**9), Fraction(10), digits=4)
    return 1 / _known(found)


def _known(found: Fraction | None) -> Fraction:
    if found is None:
        raise PlanError("nothing is private enough for this budget", where="riverswim")
    return found

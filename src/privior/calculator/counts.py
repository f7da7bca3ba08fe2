"""What mechanisms for tables of counts promise."""

from __future__ import annotations

from fractions import Fraction

from privior.calculator.calculator import Calculation
from privior.errors import PlanError, shown
from privior.exact import decimal
from privior.mechanisms import PublicFacts, TableMechanism

#: the parameter of its noise, by the name of the mechanism
_NOISE = {"laplace-counts": "laplace_scale", "gaussian-counts": "stddev"}


def of_mechanism(
    kind: type[TableMechanism], public: PublicFacts, draws: int = 1, solve: str = ""
) -> Calculation:
    """Return what a mechanism for tables of counts promises, and its noise if that is asked for."""
    built = kind.for_facts(public)
    facts: dict[str, object] = {"levels": public.cells, "neighbours": public.neighbours.value}
    if draws != 1:
        facts["draws"] = draws
    if solve:
        noise = _NOISE.get(kind.name)
        if solve != noise:
            raise PlanError(
                "cannot be solved for", where=kind.name, asked=shown(solve), allowed=noise or "nothing"
            )
        facts[solve] = decimal(Fraction(getattr(built, solve)))
    promise = built.guarantee if draws == 1 else draws * built.guarantee
    return Calculation(kind.name, kind.about, facts, promise, built)

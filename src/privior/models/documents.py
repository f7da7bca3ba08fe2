"""Models as plain documents: which family a file names, and its entries checked."""

from __future__ import annotations

from privior.errors import ModelError, shown
from privior.models.dirichlet_categorical import DirichletCategorical
from privior.models.families import (
    BetaBernoulli,
    BetaBinomial,
    GammaExponential,
    GammaPoisson,
    LaplaceScale,
    MultivariateNormalMean,
    MultivariateNormalPrecision,
    NormalMean,
    NormalMeanPrecision,
    NormalPrecision,
    SummedModel,
)
from privior.models.finite_family import FiniteFamily
from privior.models.markov_chain import MarkovChain

#: what a plan can hold: tables, finite families, and families of one parameter or several
Model = DirichletCategorical | FiniteFamily | SummedModel

#: families by the name they have in files
FAMILIES: dict[str, type[SummedModel]] = {
    kind.family: kind
    for kind in (
        BetaBernoulli,
        BetaBinomial,
        GammaPoisson,
        GammaExponential,
        LaplaceScale,
        NormalMean,
        NormalPrecision,
        NormalMeanPrecision,
        MultivariateNormalMean,
        MultivariateNormalPrecision,
    )
}


def to_model(document: object) -> Model:
    """Read what `to_document` wrote, refusing whatever is unknown."""
    if not isinstance(document, dict):
        raise ModelError("not a table", where="model", asked=type(document).__name__)
    entries = {str(name): value for name, value in document.items()}
    name = str(entries.pop("family", None))
    if name == DirichletCategorical.family:
        return _to_table(entries)
    if name == FiniteFamily.family:
        return FiniteFamily.from_entries(entries)
    if name == MarkovChain.family:
        return _to_chain(entries)
    if name in FAMILIES:
        try:
            return FAMILIES[name](**entries)
        except TypeError:
            raise ModelError(
                "unknown or missing entries", where=f"model, {name}", asked=", ".join(entries)
            ) from None
    raise ModelError(
        "unknown family",
        where="model",
        asked=shown(document.get("family")),
        allowed=", ".join([DirichletCategorical.family, FiniteFamily.family, MarkovChain.family, *FAMILIES]),
    )


def _to_table(entries: dict[str, object]) -> DirichletCategorical:
    if set(entries) - {"columns", "prior"} or "columns" not in entries:
        raise ModelError(
            "unknown or missing entries",
            where="model",
            asked=", ".join(map(str, entries)),
            allowed="columns, prior",
        )
    columns = entries["columns"]
    if not isinstance(columns, (str, list)):
        raise ModelError("columns are not names", where="model", asked=shown(columns))
    return DirichletCategorical(columns, prior=entries.get("prior", 1))


def _to_chain(entries: dict[str, object]) -> MarkovChain:
    state, following = entries.get("state"), entries.get("following")
    if set(entries) - {"state", "following", "prior"} or not (
        isinstance(state, str) and isinstance(following, str)
    ):
        raise ModelError(
            "unknown or missing entries",
            where="model, markov-chain",
            asked=", ".join(map(str, entries)),
            allowed="state, following, prior",
        )
    return MarkovChain(state, following, entries.get("prior", 1))

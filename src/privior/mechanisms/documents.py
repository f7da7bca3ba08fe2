"""Mechanisms as plain documents: which law a file names, and its entries checked."""

from __future__ import annotations

from privior.errors import PlanError, shown
from privior.mechanisms.contract import Mechanism
from privior.mechanisms.dirichlet_draw import DirichletDraw
from privior.mechanisms.ehd import EHD
from privior.mechanisms.ehdl import EHDL
from privior.mechanisms.ehds import EHDS
from privior.mechanisms.gaussian_counts import GaussianCounts
from privior.mechanisms.k_norm import KNorm
from privior.mechanisms.laplace_counts import LaplaceCounts
from privior.mechanisms.model_draws import ModelDraws
from privior.mechanisms.noisy_statistics import NoisyStatistics
from privior.mechanisms.posterior_draws import PosteriorDraws
from privior.mechanisms.published_laplace import LSDim, LSHist
from privior.mechanisms.virtual_records import VirtualRecords
from privior.models import FiniteFamily, SummedModel
from privior.schema import Schema

#: every mechanism that adds noise to a table; of two that are forecast equal the planner takes the first
MECHANISMS: tuple[type[Mechanism], ...] = (KNorm, LaplaceCounts, GaussianCounts, LSHist, LSDim)
#: mechanisms that are built only if somebody asks for them by name
ON_REQUEST: tuple[type[Mechanism], ...] = (EHD, EHDS, EHDL, DirichletDraw, VirtualRecords)
#: mechanisms for families
FamilyMechanism = NoisyStatistics | PosteriorDraws
FAMILY_MECHANISMS: tuple[type[FamilyMechanism], ...] = (NoisyStatistics, PosteriorDraws)
#: mechanisms for finite families: noise on their table of counts, or draws of a model
FiniteMechanism = Mechanism | ModelDraws
AnyMechanism = Mechanism | FamilyMechanism | ModelDraws


def mechanism_named(name: object) -> type[AnyMechanism]:
    """Return the mechanism of that name, or say which ones there are."""
    every: tuple[type[AnyMechanism], ...] = (*MECHANISMS, *ON_REQUEST, *FAMILY_MECHANISMS, ModelDraws)
    for kind in every:
        if kind.name == name:
            return kind
    known = ", ".join(kind.name for kind in every)
    raise PlanError("unknown mechanism", where="mechanism", asked=shown(name), allowed=known)


def table_mechanism_named(name: object) -> type[Mechanism]:
    """Return the mechanism for tables of that name, or say which ones there are."""
    for kind in MECHANISMS + ON_REQUEST:
        if kind.name == name:
            return kind
    known = ", ".join(kind.name for kind in MECHANISMS + ON_REQUEST)
    raise PlanError("unknown mechanism", where="mechanism", asked=shown(name), allowed=known)


def to_mechanism(document: object) -> Mechanism:
    """Read what `to_document` wrote; the mechanism's own checks refuse what does not hold together."""
    entries = dict(document) if isinstance(document, dict) else {}
    kind = table_mechanism_named(entries.pop("name", None))
    try:
        return kind(**entries)
    except (TypeError, ValueError, OverflowError):
        raise _unreadable(kind.name, entries) from None


def to_family_mechanism(document: object, model: SummedModel, schema: Schema) -> FamilyMechanism:
    """Read what `to_document` wrote of a mechanism for this model."""
    entries = dict(document) if isinstance(document, dict) else {}
    name = entries.pop("name", None)
    try:
        if name == NoisyStatistics.name:
            return NoisyStatistics(**entries)
        if name == PosteriorDraws.name:
            return PosteriorDraws(model, schema, **entries)
    except (TypeError, ValueError, OverflowError):
        raise _unreadable(str(name), entries) from None
    known = ", ".join(kind.name for kind in FAMILY_MECHANISMS)
    raise PlanError("unknown mechanism", where="mechanism", asked=shown(name), allowed=known)


def to_finite_mechanism(document: object, model: FiniteFamily) -> FiniteMechanism:
    """Read what `to_document` wrote of a mechanism for this family."""
    entries = dict(document) if isinstance(document, dict) else {}
    if entries.get("name") != ModelDraws.name:
        return to_mechanism(document)
    del entries["name"]
    try:
        return ModelDraws(model, **entries)
    except (TypeError, ValueError, OverflowError):
        raise _unreadable(ModelDraws.name, entries) from None


def _unreadable(name: str, entries: dict[str, object]) -> PlanError:
    return PlanError("missing or unknown entries", where=name, asked=", ".join(map(str, entries)))

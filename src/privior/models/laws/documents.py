"""Laws as plain documents: which law a file names, and its entries checked."""

from __future__ import annotations

from privior.errors import ModelError, shown
from privior.models.laws.conjugate import Beta, Conjugate, Gamma, Normal, law_of, named_law
from privior.models.laws.reweighted import Reweighted
from privior.models.laws.truncated import Truncated

#: what a prior can be
Law = Conjugate | Truncated | Reweighted

LAWS: dict[str, type[Conjugate]] = {law.name: law for law in (Beta, Gamma, Normal)}
_ENDS, _WEIGHTS = {"lower", "upper"}, {"strength", "of", "pivot"}


def to_law(document: object, where: str = "prior") -> Law:
    """Read what `to_document` wrote, refusing whatever is unknown."""
    kind, entries = named_law(LAWS, document, where)
    ends = {name: entries.pop(name) for name in _ENDS & set(entries)}
    weights = {name: entries.pop(name) for name in _WEIGHTS & set(entries)}
    law = law_of(kind, entries, where)
    cut = Truncated(law, **ends) if ends else law
    return _reweighted(cut, weights, where) if weights else cut


def _reweighted(law: Conjugate | Truncated, entries: dict[str, object], where: str) -> Reweighted:
    if "strength" not in entries:
        raise ModelError("a re-weighted law has a strength", where=where, asked=", ".join(entries))
    of = entries.get("of")
    if of is not None and not isinstance(of, str):
        raise ModelError("not the name of a coordinate", where=where, asked=shown(of))
    return Reweighted(law, entries["strength"], of=of, pivot=entries.get("pivot"))

"""Laws as plain documents: which law a file names, and its entries checked."""

from __future__ import annotations

from privior.errors import ModelError, shown
from privior.models.laws.conjugate import Beta, Conjugate, Gamma, Normal
from privior.models.laws.truncated import Truncated

#: what a prior can be
Law = Conjugate | Truncated

LAWS: dict[str, type[Conjugate]] = {law.name: law for law in (Beta, Gamma, Normal)}
_ENDS = {"lower", "upper"}


def to_law(document: object, where: str = "prior") -> Law:
    """Read what `to_document` wrote, refusing whatever is unknown."""
    if not isinstance(document, dict):
        raise ModelError("not a law", where=where, asked=shown(document))
    entries = {str(name): value for name, value in document.items()}
    kind = LAWS.get(str(entries.pop("law", None)))
    if kind is None:
        known = ", ".join(LAWS)
        raise ModelError("unknown law", where=where, asked=shown(document.get("law")), allowed=known)
    ends = {name: entries.pop(name) for name in _ENDS & set(entries)}
    try:
        law = kind(**entries)
    except TypeError:
        raise ModelError(
            "unknown or missing entries", where=f"{where}, {kind.name}", asked=", ".join(entries)
        ) from None
    return Truncated(law, **ends) if ends else law

"""Models as plain documents: which family a file names, and its entries checked."""

from __future__ import annotations

from privior.errors import ModelError, shown
from privior.models.dirichlet_categorical import DirichletCategorical

#: what a plan can hold: the families, one file each
Model = DirichletCategorical

FAMILIES: dict[str, type[Model]] = {DirichletCategorical.family: DirichletCategorical}


def to_model(document: object) -> Model:
    """Read what `to_document` wrote, refusing whatever is unknown."""
    if not isinstance(document, dict):
        raise ModelError("not a table", where="model", asked=type(document).__name__)
    entries = dict(document)
    family = FAMILIES.get(str(entries.pop("family", None)))
    if family is None:
        raise ModelError(
            "unknown family",
            where="model",
            asked=shown(document.get("family")),
            allowed=", ".join(FAMILIES),
        )
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
    return family(columns, prior=entries.get("prior", 1))

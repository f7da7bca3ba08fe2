"""Kinds of mechanisms as tests go through them, and tables of counts without a schema of their own."""

from __future__ import annotations

import privior as pv
from privior.mechanisms import MECHANISMS, TableMechanism, to_mechanism

#: mechanisms for tables: those that are compared always, and those that are built only if asked for
COMPARED = tuple(kind for kind in MECHANISMS if issubclass(kind, TableMechanism) and not kind.on_request)
ON_REQUEST = tuple(kind for kind in MECHANISMS if issubclass(kind, TableMechanism) and kind.on_request)


def table_mechanism(document: dict[str, object]) -> TableMechanism:
    """Read a mechanism for some table of counts."""
    schema = pv.Schema({"x": pv.Categorical(["a", "b"])}, population="p", unit="person")
    made = to_mechanism(document, pv.DirichletCategorical("x", prior=1), schema)
    assert isinstance(made, TableMechanism)
    return made

"""The analysis: one TOML file with the schema, the model and the budget that is asked for.

    [model]                             [ask]
    family = "dirichlet-categorical"    records = 1000
    columns = ["education"]             epsilon = "1"
    prior = "learned"                   delta = "0"
                                        neighbours = "replace-one"

A file may ask for a mechanism by name, and tell it what only this one can be told: mechanism =
"network-draws", draws = 5, concentrated = true. The only mechanism of a model needs no name: draws = 20.

The schema stands beside these, or in a file of its own that analyses name: schema = "bank.schema.toml"; its
facts are taken over into the plan, so a release holds them all. The file asks; the ledger's cap decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privior.checks import is_whole
from privior.errors import PlanError, SchemaError, shown
from privior.exact import decimal
from privior.forecasting import Expect
from privior.mechanisms import MECHANISMS, Mechanism
from privior.models import DirichletCategorical, Model, to_model
from privior.planning import only_mechanism, plan
from privior.plans import Batch, Plan
from privior.privacy import REPLACE_ONE, Budget, Neighbours
from privior.schema import Schema
from privior.schema.documents import check_filled, read_facts, table, write_toml

if TYPE_CHECKING:
    from privior.planning import DrawCalibration


@dataclass(frozen=True)
class Analysis:
    """What somebody wants to learn, and what she asks to spend on it.

    Attributes:
        schema: the public facts about the table
        model: what is to be learned
        records: number of units
        budget: what is asked for
        neighbours: the neighbour relation
        mechanism: the mechanism that is asked for; None for the best one
        options: what only this one can be told, such as the number of draws
    """

    schema: Schema
    model: Model
    records: int
    budget: Budget
    neighbours: Neighbours = REPLACE_ONE
    mechanism: type[Mechanism] | None = None
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        kinds = {"schema": Schema, "budget": Budget, "neighbours": Neighbours}
        for name, kind in kinds.items():
            if not isinstance(getattr(self, name), kind):
                raise PlanError(f"not a {kind.__name__}", where=name, asked=shown(getattr(self, name)))
        if not isinstance(self.model, Model):
            raise PlanError("not a model", where="model", asked=shown(self.model))

    def plan(
        self,
        mechanism: type[Mechanism] | None = None,
        *,
        expect: Expect | str = Expect.TYPICAL,
        **options: Any,
    ) -> Plan:
        """Plan the release that the file asks for; options such as `draws` are the mechanism's."""
        return plan(
            self.model,
            self.schema,
            records=self.records,
            epsilon=self.budget.epsilon,
            delta=self.budget.delta,
            neighbours=self.neighbours,
            mechanism=mechanism or self.mechanism,
            expect=expect,
            **{**self.options_for(mechanism), **options},
        )

    def options_for(self, mechanism: type[Mechanism] | None) -> Mapping[str, Any]:
        """Return what the file tells a mechanism: nothing if another one is taken than it asks for."""
        if not self.options or mechanism is None:
            return self.options
        return self.options if mechanism is (self.mechanism or only_mechanism(self.model)) else {}

    def check(self, columns: Sequence[str] = ()) -> Batch:
        """Plan releases of how many cells are valid, missing, unknown, unparseable or out of range.

        A record has one cell of one kind in each column, so columns compose: each gets the same share of
        epsilon, and all together cost what the file asks. No delta is spent.

        Args:
            columns: which ones; those of the model unless told
        """
        names = tuple(dict.fromkeys(columns or self.model.columns))
        for name in names:
            self.schema.column(name)
        kinds, each = self.schema.of_cells(), self.budget.epsilon / len(names)
        return Batch.of(
            [
                plan(
                    DirichletCategorical(name),
                    kinds,
                    records=self.records,
                    epsilon=each,
                    neighbours=self.neighbours,
                )
                for name in names
            ]
        )

    def calibrate_draws(self, draws: int | None = None) -> DrawCalibration:
        """Choose the dials of posterior draws together, at what the file asks; `draws` pins their number."""
        from privior.planning import calibrate_draws  # with all that draws need, which other plans do not

        if self.neighbours is not REPLACE_ONE:
            raise PlanError(
                "draws are released where the number of records is public",
                where="neighbours",
                asked=self.neighbours.value,
                allowed=REPLACE_ONE.value,
            )
        return calibrate_draws(
            self.model,  # type: ignore[arg-type]  # which refuses other models
            self.schema,
            records=self.records,
            epsilon=self.budget.epsilon,
            delta=self.budget.delta,
            draws=draws,
        )

    @staticmethod
    def read(
        path: str | Path,
        *,
        records: int | None = None,
        epsilon: object = None,
        delta: object = None,
        neighbours: str | None = None,
    ) -> Analysis:
        """Read an analysis file; what is given here is asked instead of what the file asks."""
        document = read_facts(path)
        given = {"records": records, "epsilon": epsilon, "delta": delta, "neighbours": neighbours}
        instead = {name: value for name, value in given.items() if value is not None}
        document["ask"] = {**table(document.get("ask", {}), "ask"), **instead}
        check_filled(document, str(path))
        table(document, str(path), required=("model", "ask"))
        asked, required = table(document["ask"], "ask"), ("records", "epsilon")
        kind, usual = _mechanism(asked), ("delta", "neighbours", "mechanism")
        model = to_model(document["model"])
        told = kind
        if told is None and set(asked) - {*required, *usual}:  # else nobody needs to know which there are
            told = only_mechanism(model)
        own = () if told is None else tuple(told.options)
        ask = table(asked, "ask", required=required, known=(*usual, *own))
        number = ask["records"]
        if not is_whole(number):
            raise SchemaError("records is not a whole number", where="ask", asked=shown(number))
        return Analysis(
            schema=Schema.from_document(
                {name: value for name, value in document.items() if name not in ("model", "ask")}
            ),
            model=model,
            records=number,
            budget=Budget.of(ask["epsilon"], ask.get("delta", 0)),
            neighbours=Neighbours.of(str(ask.get("neighbours", REPLACE_ONE.value))),
            mechanism=kind,
            options={} if told is None else _options(told, ask),
        )

    def write(self, path: str | Path) -> None:
        """Write the analysis file."""
        ask = {
            "records": self.records,
            "epsilon": decimal(self.budget.epsilon),
            "delta": decimal(self.budget.delta),
            "neighbours": self.neighbours.value,
            **({} if self.mechanism is None else {"mechanism": self.mechanism.name}),
            **self.options,
        }
        write_toml({**self.schema.to_document(), "model": self.model.to_document(), "ask": ask}, path)


def _mechanism(ask: Mapping[str, Any]) -> type[Mechanism] | None:
    """Return the mechanism that a file asks for by name, if any."""
    return MECHANISMS.named(str(ask["mechanism"])) if "mechanism" in ask else None


def _options(kind: type[Mechanism], ask: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a file tells a mechanism: whole numbers, or true and false, as its own values are."""
    found = {name: ask[name] for name in kind.options if name in ask}
    for name, value in found.items():
        if type(value) is not type(kind.options[name]):
            allowed = "true or false" if isinstance(kind.options[name], bool) else "a whole number"
            raise SchemaError(f"not a value of {name}", where="ask", asked=shown(value), allowed=allowed)
    return found

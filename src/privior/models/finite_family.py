"""A finite family: one of several named models of a table, each with known chances of every cell.

    M ~ prior                                       a weight for each model
    x_1, ..., x_n | M = m ~ Categorical(p_m)        records; p_m exact rational numbers
    P(M = m | x) = w_m p_m1^c_1 ... p_mk^c_k / sum over all models      c_i the number of records in cell i

The statistic is c. Any grid of models over a finite alphabet is such a family (Example 1 of Dimitrakakis et
al. 2017). A prior that is re-weighted by exp(-l(m)) is another prior: give the products as weights.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self, final

import numpy as np
from numpy.typing import ArrayLike

from privior.arrays import Floats
from privior.checks import fill, told_by
from privior.errors import ModelError, shown
from privior.exact import decimal, positive, rational
from privior.models.model import MODELS, PRIOR_SHARE
from privior.models.table_model import TableModel, column_names
from privior.schema import Schema
from privior.schema.names import check_distinct, check_name

#: weights of models outside this range are a mistake
WEIGHT_RANGE = (Fraction(1, 10**30), Fraction(10**30))
#: how many chances all models may have together
MOST_CHANCES = 100_000


@final
@MODELS.register
@dataclass(frozen=True)
class FiniteFamily(TableModel):
    """One of several models of the table of `columns`.

    Attributes:
        columns: the columns whose joint table is modelled, in order; the last varies fastest
        names: of the models
        chances: of each model, one for each cell in the order of the cells; they add up to 1 exactly
        prior: the weight of each model; only their ratios matter
    """

    columns: tuple[str, ...]
    names: tuple[str, ...]
    chances: tuple[tuple[Fraction, ...], ...]
    prior: tuple[Fraction, ...]
    family: ClassVar[str] = "finite-family"
    error_name: ClassVar[str] = "chance of wrong models"
    error_heading: ClassVar[str] = "wrong models"
    #: models that are alike need many records
    remedy: ClassVar[str] = "models that differ more, fewer cells or more epsilon"
    #: all models
    first_question: ClassVar[str] = "models()"

    def __init__(
        self, columns: str | Sequence[str], models: Mapping[str, Sequence[object]], prior: object = None
    ) -> None:
        """Take the models by name, and their weights.

        Args:
            columns: one column or several
            models: for each name the chances of the cells, numbers or texts such as "1/3"
            prior: positive weights, one for each model in order or by name; all alike unless given
        """
        self._set_columns(columns)
        if not isinstance(models, Mapping) or len(models) < 2:
            raise self.refusal(
                "a family holds two models or more, each with a name and the chances of the cells",
                asked=shown(models),
                allowed='{"fair": ["1/2", "1/2"], "biased": ["1/4", "3/4"]}',
            )
        names = tuple(models)
        if not all(isinstance(name, str) and name for name in names):
            raise self.refusal("a model has no name", asked=shown(list(names)))
        for name in names:
            check_name(name, self.family, ModelError)
        check_distinct(names, self.family, ModelError)
        chances = tuple(_read_chances(name, models[name], self.family) for name in names)
        if len({len(law) for law in chances}) > 1:
            raise self.refusal("the models have different numbers of cells")
        if sum(map(len, chances)) > MOST_CHANCES:
            raise self.refusal(
                "the models have too many chances", asked=sum(map(len, chances)), allowed=MOST_CHANCES
            )
        seen: dict[tuple[Fraction, ...], str] = {}
        for name, law in zip(names, chances, strict=True):
            if law in seen:
                raise self.refusal(
                    "two models have the same chances: no data can tell them apart",
                    asked=f"{seen[law]}, {name}",
                )
            seen[law] = name
        fill(self, names=names, chances=chances, prior=_read_weights(prior, names, self.family))

    def size(self, schema: Schema) -> int:
        """Return the number of cells k, after checking that the models fit the schema."""
        cells = self.cells(schema)
        if len(self.chances[0]) != cells:
            raise self.refusal(
                "a model does not have one chance for each cell", asked=len(self.chances[0]), allowed=cells
            )
        return cells

    @property
    def bounded(self) -> bool:
        """Whether every model can give every cell, so that no record excludes a model."""
        return all(chance > 0 for law in self.chances for chance in law)

    def log_chances(self) -> Floats:
        """Return the log chances as floats, (models, cells); -inf for a cell that a model excludes."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log([[float(chance) for chance in law] for law in self.chances]))

    def log_prior(self) -> Floats:
        """Return the logs of the prior probabilities as floats."""
        logs = np.log(np.array([float(weight) for weight in self.prior]))
        return np.asarray(logs - np.log(np.exp(logs - logs.max()).sum()) - logs.max())

    def update(self, schema: Schema, counts: ArrayLike) -> Floats:
        """Return the probability of each model given true counts."""
        logs, given = self.log_chances(), np.asarray(counts, dtype=np.float64)
        if given.shape != (self.size(schema),):
            raise self.refusal("not one count for each cell", asked=given.size)
        found = self.log_prior() + (given * np.where(given > 0, logs, 0.0)).sum(axis=1)
        if not np.isfinite(found.max()):
            raise self.refusal("no model can have given these counts")
        shares = np.exp(found - found.max())
        return np.asarray(shares / shares.sum())

    def with_prior(self, prior: object) -> FiniteFamily:
        """Return the same models with other weights."""
        return FiniteFamily(self.columns, dict(zip(self.names, self.chances, strict=True)), prior)

    def to_document(self) -> dict[str, object]:
        """Write the model as plain values, for JSON and TOML."""
        models = zip(self.names, self.chances, strict=True)
        return {
            "family": self.family,
            "columns": list(self.columns),
            "models": [{"name": name, "chances": [decimal(one) for one in law]} for name, law in models],
            "prior": [decimal(weight) for weight in self.prior],
        }

    @property
    def identity(self) -> object:
        """Releases speak of the same models."""
        return self.names, self.chances

    def in_words(self, schema: Schema) -> str:
        """Name the models, and say how many cells there are."""
        names = ", ".join(self.names[:8]) + (", ..." if len(self.names) > 8 else "")
        return f"{self}: {names}; {len(self.chances[0])} cells"

    def prior_outweighs(self, schema: Schema, records: int, left_open: Callable[[], float]) -> str:
        """Compare what the records know with what the prior knows."""
        if left_open() <= PRIOR_SHARE:
            return ""
        return (
            f"{records} records hardly tell these models apart, with or without noise: answers will "
            "mostly repeat the prior. Take models that differ more."
        )

    @classmethod
    def from_entries(cls, entries: dict[str, object]) -> Self:
        """Read what `to_document` wrote; models may also be written as a table of lists by name."""
        where = "model, finite-family"
        if set(entries) - {"columns", "models", "prior"} or not {"columns", "models"} <= set(entries):
            raise ModelError(
                "unknown or missing entries",
                where=where,
                asked=", ".join(entries),
                allowed="columns, models, prior",
            )
        columns, models = column_names(entries["columns"], cls.family), entries["models"]
        if isinstance(models, list):
            if not all(isinstance(one, dict) and set(one) == {"name", "chances"} for one in models):
                raise ModelError("a model has a name and chances", where=where, asked=shown(models))
            names = [str(one["name"]) for one in models]
            if len(set(names)) < len(names):
                raise ModelError("a model is named twice", where=where, asked=", ".join(names)[:80])
            models = {str(one["name"]): one["chances"] for one in models}
        if not isinstance(models, dict):
            raise ModelError("models are not a table", where=where, asked=shown(models))
        return cls(columns, models, entries.get("prior"))

    def __str__(self) -> str:
        return f"FiniteFamily({' x '.join(self.columns)}, {len(self.names)} models)"


def _read_chances(name: str, chances: object, family: str) -> tuple[Fraction, ...]:
    where = f"{family}, {name}"
    if not isinstance(chances, (list, tuple, np.ndarray)) or len(chances) < 2:
        raise ModelError("not the chances of two cells or more", where=where, asked=shown(chances))
    with told_by(ModelError, where):
        found = tuple(rational(chance, "chance") for chance in chances)
    if min(found) < 0:
        raise ModelError("a chance is negative", where=where, asked=decimal(min(found)))
    if sum(found) != 1:
        raise ModelError(
            "the chances do not add up to 1",
            where=where,
            asked=shown(decimal(sum(found, start=Fraction(0)))),
            allowed='1 exactly: write thirds as "1/3"',
        )
    return found


def _read_weights(prior: object, names: tuple[str, ...], family: str) -> tuple[Fraction, ...]:
    if prior is None:
        return (Fraction(1),) * len(names)
    if isinstance(prior, Mapping):
        if set(prior) != set(names):
            asked = ", ".join(map(str, set(prior) ^ set(names)))[:80]
            raise ModelError("the prior does not have one weight for each model", where=family, asked=asked)
        prior = [prior[name] for name in names]
    if not isinstance(prior, (list, tuple, np.ndarray)) or len(prior) != len(names):
        raise ModelError(
            "the prior does not have one weight for each model",
            where=family,
            asked=shown(prior),
            allowed=f"{len(names)} positive numbers",
        )
    least, most = WEIGHT_RANGE
    with told_by(ModelError, family):
        return tuple(positive(weight, "weight", least=least, most=most) for weight in prior)

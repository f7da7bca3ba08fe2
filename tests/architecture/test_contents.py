"""What is loaded when it is asked for is what would have been found if everything were loaded."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import privior.cli.commands
from privior.arrays import distinct
from privior.cli.app import COMMANDS
from privior.contents import decorated
from privior.forecasting import FORECASTERS, error_law, squared_error
from privior.mechanisms import MECHANISMS
from privior.posterior import POSTERIORS
from privior.posterior.quantity import quantiles
from privior.registry import ByClass, outside
from privior.stand_in import standing_in


@pytest.mark.parametrize(
    ("registry", "package"), [(POSTERIORS, "privior.posterior"), (FORECASTERS, "privior.forecasting")]
)
def test_all_that_is_made_for_a_class_is_found_by_its_name(registry: ByClass[type], package: str) -> None:
    """One that is registered otherwise would be missed while another, for a class above, is loaded."""
    own = [(kind, made) for kind, made in registry if not outside(made)]
    assert len(own) > 4
    for kind, made in own:
        assert made.__module__ in decorated(package, kind.__name__)
        assert registry.of(kind) is made
    assert decorated(package, "Nobody") == ()


def test_every_mechanism_is_found_by_the_models_that_its_decorator_names() -> None:
    """One that is registered otherwise would be missing from what the planner compares."""
    own = [kind for kind in MECHANISMS if not outside(kind)]
    assert len(own) > 15
    for kind in own:
        decorator = "on_request_for" if kind.on_request else "offered_for"
        for model in kind.models:
            assert kind.__module__ in decorated("privior.mechanisms", model.__name__, decorator), kind
    assert decorated("privior.mechanisms", "DirichletTable", "offered_for") == (
        "privior.mechanisms.tables.published_laplace",
    )


def test_every_law_of_a_forecast_is_found_by_the_mechanism_that_its_decorator_names() -> None:
    for function in (error_law, squared_error):
        for kind, made in function.registry.items():
            if kind is not object and made.__module__.startswith("privior."):
                assert made.__module__ in decorated("privior.forecasting", kind.__name__), kind


def test_every_file_of_a_command_is_in_the_program() -> None:
    files = {file.stem for file in Path(str(privior.cli.commands.__file__)).parent.glob("[a-z]*.py")}
    assert set(COMMANDS.values()) == files
    assert COMMANDS["import"] == "import_numbers"


def _loaded_in_part() -> None:
    with standing_in("wsgiref") as alone:
        assert alone
        from wsgiref import nothing  # type: ignore[attr-defined]  # noqa: F401


def test_a_package_whose_file_fails_is_not_half_loaded() -> None:
    with pytest.raises(ImportError):
        _loaded_in_part()
    import wsgiref.util

    assert wsgiref.util.FileWrapper is not None
    with standing_in("wsgiref") as alone:
        assert not alone


def test_what_is_computed_without_masked_arrays_is_what_numpy_computes() -> None:
    rng = np.random.default_rng(1)
    for size in (1, 2, 3, 10, 57):
        numbers = np.round(rng.normal(size=(size, 3)) * 4)
        assert np.array_equal(distinct(numbers), np.unique(numbers))
        for level in (0.5, 0.8, 0.9, 0.99, rng.random()):
            tails = [(1 - level) / 2, 1 - (1 - level) / 2]
            expected = np.moveaxis(np.quantile(numbers / 7, tails, axis=0), 0, -1)
            assert np.array_equal(quantiles(numbers / 7, level), expected)
    assert distinct(np.array([], dtype=np.int64)).size == 0
    assert np.isnan(quantiles(np.array([1.0, np.nan]), 0.9)).all()

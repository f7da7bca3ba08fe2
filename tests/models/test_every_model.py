"""Every model keeps the contract of models: the kit that others use for theirs."""

from __future__ import annotations

from typing import Any

import pytest
from write_files import GARDEN, KINDS

from privior.models import MODELS
from privior.registry import outside
from privior.testing import check_model


def test_every_registered_model_is_checked() -> None:
    assert {type(model) for model, _ in KINDS} == {kind for kind in MODELS if not outside(kind)}


@pytest.mark.parametrize("model", [model for model, _ in KINDS], ids=lambda model: model.family)
def test_it_keeps_the_contract(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("privior.posterior.families.joint_chain._SWEEPS", 100)  # not how well it is answered
    monkeypatch.setattr("privior.posterior.families.joint_chain._ROUNDS", 1)
    check_model(model, GARDEN, records=60)

"""Receipts: what a release says of its spend, read back as the ledger wrote it."""

from __future__ import annotations

from pathlib import Path

import pytest

import privior as pv


def test_a_divergence_that_was_infinite_before_does_not_fail_the_next_release(
    schema: pv.Schema, table: Path, tmp_path: Path
) -> None:
    book = pv.Ledger.create(
        tmp_path / "renyi.ledger", population="orchard", epsilon=20, delta="1e-5", accounting="renyi"
    )
    model = pv.DirichletCategorical("fruit", prior=3)
    drawn = pv.plan(model, schema, records=100, epsilon=2, delta="1e-6", mechanism=pv.DirichletDraw)
    counted = pv.plan(model, schema, records=100, epsilon="0.5")
    assert None in book.last().accounting.price(drawn.guarantees)
    assert None not in book.last().accounting.price(counted.guarantees)
    pv.measure(drawn, table, ledger=book)
    second = pv.measure(counted, table, ledger=book)
    assert pv.Release.from_json(second.to_json()) == second


def test_a_finite_price_for_an_infinite_divergence_is_refused(
    schema: pv.Schema, table: Path, tmp_path: Path
) -> None:
    book = pv.Ledger.create(
        tmp_path / "renyi.ledger", population="orchard", epsilon=20, delta="1e-5", accounting="renyi"
    )
    model = pv.DirichletCategorical("fruit", prior=3)
    drawn = pv.plan(model, schema, records=100, epsilon=2, delta="1e-6", mechanism=pv.DirichletDraw)
    text = pv.measure(drawn, table, ledger=book).to_json()
    assert text.count("null") > 1
    with pytest.raises(pv.ReleaseError, match="does not add up"):
        pv.Release.from_json(text.replace("null", '"9"').replace('"limit": "9"', '"limit": null'))


def test_an_accounting_without_delta_is_refused(schema: pv.Schema, table: Path, tmp_path: Path) -> None:
    book = pv.Ledger.create(
        tmp_path / "renyi.ledger", population="orchard", epsilon=20, delta="1e-5", accounting="renyi"
    )
    plan = pv.plan(pv.DirichletCategorical("fruit", prior=1), schema, records=100, epsilon=1)
    text = pv.measure(plan, table, ledger=book).to_json()
    with pytest.raises(pv.ReleaseError, match="without a cap"):
        pv.Release.from_json(text.replace('"delta": "1e-5"', '"delta": "0"'))

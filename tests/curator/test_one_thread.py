"""While a release is made of records linear algebra has one thread, in any process, whatever was said."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
import scipy.linalg  # noqa: F401 - which has a library of its own

import privior as pv
from privior.curator import one_thread as module
from privior.curator import own_process
from privior.curator.one_thread import one_thread, threads

SCHEMA = pv.Schema({"y": pv.Boolean(), "x": pv.Boolean()}, population="p", unit="person")


@pytest.fixture(autouse=True)
def three() -> Iterator[None]:
    """Somebody gave all libraries three threads; afterwards they have what they had."""
    found = [(tell, ask()) for ask, tell in module._loaded()]
    for tell, _ in found:
        tell(3)
    yield
    for tell, before in found:
        tell(before)


def test_all_libraries_have_one_thread_and_then_what_they_had() -> None:
    assert threads()
    assert set(threads()) == {3}
    with one_thread():
        assert set(threads()) == {1}
        with one_thread():  # of another release, in another thread
            assert set(threads()) == {1}
        assert set(threads()) == {1}
    assert set(threads()) == {3}
    with pytest.raises(ZeroDivisionError), one_thread():
        raise ZeroDivisionError
    assert set(threads()) == {3}


@pytest.mark.parametrize("mechanism", [pv.ObjectivePerturbation, pv.GaussianMoments])
def test_a_table_in_memory_is_released_with_one_thread(
    mechanism: type[pv.ObjectivePerturbation], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the process of whoever asks; without the limit there are three."""
    seen: list[set[int]] = []
    release = mechanism.release

    def watched(self: Any, statistics: Any) -> Any:
        seen.append(set(threads()))
        return release(self, statistics)

    monkeypatch.setattr(mechanism, "release", watched)
    model = pv.LogisticRegression("y ~ x")
    plan = pv.plan(model, SCHEMA, records=40, epsilon=1, delta="1e-5", mechanism=mechanism)
    table = pa.table({"y": [True, False] * 20, "x": [True, True, False, False] * 10})

    def measured() -> None:
        pv.measure(plan, table, ledger=pv.Ledger.in_memory(population="p", epsilon=1, delta="1e-4"))

    measured()
    assert seen == [{1}]
    assert set(threads()) == {3}
    monkeypatch.setattr("privior.curator.rows.one_thread", nullcontext)
    measured()
    assert seen == [{1}, {3}]


def test_the_process_of_a_release_has_one_thread_whatever_the_environment_says(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    said: dict[str, str] = {}

    def started(*_: object, env: dict[str, str], **__: object) -> None:
        said.update(env)
        raise OSError

    for name in module.ONE_THREAD:
        monkeypatch.setenv(name, "7")
    monkeypatch.setattr(own_process, "subprocess", SimpleNamespace(Popen=started, PIPE=-1, DEVNULL=-3))
    with pytest.raises(pv.PriviorError, match="could not be started"):
        own_process._started(str(tmp_path))
    assert {said[name] for name in module.ONE_THREAD} == {"1"}
    assert said["TMPDIR"] == str(tmp_path)
    assert os.environ["OPENBLAS_NUM_THREADS"] == "7"

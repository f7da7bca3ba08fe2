"""Errors arrive at the other end of the channel as what they were; whatever else arrives is refused."""

from __future__ import annotations

import io
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import privior as pv
from privior import errors
from privior.curator.channel import Channel, ChannelError, Message, refusal, refused

KINDS = [
    kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, pv.PriviorError)
]
EXTRA: dict[str, dict[str, Any]] = {
    "QuestionError": {"question": "P(fruit=appel)", "place": 8},
    "ReleaseFailedError": {"incident": "0123abcd"},
}


def _sent(error: pv.PriviorError) -> pv.PriviorError:
    document = json.loads(json.dumps({"refused": refusal(error)}))
    return refused(document["refused"])


def test_there_are_errors_of_many_kinds() -> None:
    assert len(KINDS) >= 13
    assert set(EXTRA) < {kind.__name__ for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_error_arrives_as_it_was(kind: type[pv.PriviorError]) -> None:
    error = kind(
        "the file is empty",
        where="früchte.csv, \udcff",
        asked=99,
        allowed="100\n200",
        spent=pv.Budget.of("1/3", "1e-6"),
        advice="Say so.",
        **EXTRA.get(kind.__name__, {}),
    )
    again = _sent(error)
    assert type(again) is kind
    assert str(again) == str(error)
    assert again.to_document() == error.to_document()
    assert again.asked == 99
    assert _sent(kind("short", **EXTRA.get(kind.__name__, {}))).where is None


def test_what_is_no_plain_value_is_written_as_it_is_shown() -> None:
    assert _sent(pv.NumberError("x", asked=Fraction(1, 3))).asked == "1/3"


@pytest.mark.parametrize(
    "document",
    [
        *(None, 3, [], {}, {"kind": "TableError"}, {"kind": "Exception", "fields": {}}),
        {"kind": "TableError", "fields": {"what": "x", "cell": "SECRET"}},
        {"kind": [], "fields": {}},
    ],
)
def test_what_is_no_error_is_refused(document: object) -> None:
    with pytest.raises(ChannelError):
        refused(document)


@pytest.mark.parametrize("line", [b"", b"{}", b"3\n", b"[]\n", b"\xff\n", b"{\n", b"[" * 100_000 + b"\n"])
def test_what_is_no_message_is_refused(line: bytes) -> None:
    with pytest.raises(ChannelError):
        Channel(io.BytesIO(line), io.BytesIO()).receive()


def test_a_message_arrives_as_it_was() -> None:
    stream = io.BytesIO()
    message: Message = {"step": "zählen\n\x00", "counts": [1, -(2**61)]}
    Channel(io.BytesIO(), stream).send(message)
    assert Channel(io.BytesIO(stream.getvalue()), stream).receive() == message


def test_a_file_is_refused_in_the_same_words_by_either_process(
    plan: pv.Plan, ledger: pv.Ledger, tmp_path: Path
) -> None:
    """What the other process finds wrong is raised here as if it had been found here."""
    from privior.tables import open_table

    (tmp_path / "veg.csv").write_text("vegetable\nleek\n")
    (tmp_path / "empty.csv").touch()
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 no")
    for name in ("none.csv", "veg.csv", "empty.csv", "bad.parquet", "*.parquet", "x.xlsx", ".", "a\0b", ""):
        path = str(tmp_path / name) if name else ""
        with pytest.raises(pv.TableError) as there:
            pv.measure(plan, path, ledger=ledger)
        with pytest.raises(pv.TableError) as here:
            open_table(path, plan.schema, plan.model.columns)
        assert str(there.value) == str(here.value)
        assert vars(there.value) == vars(here.value)
    assert ledger.last().number == 0

"""T40: names hold nothing that cannot be seen, and no two look the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import privior as pv
from privior.ledger.history import _cell as ledger_cell
from privior.pictures.label import REPLACEMENT, clean
from privior.queries.records import csv_text
from privior.schema import names

UNSEEN = {
    "zero-width space": "\u200b",
    "word joiner": "\u2060",
    "byte order mark": "\ufeff",
    "soft hyphen": "\u00ad",
    "right to left": "\u202e",
    "isolate": "\u2066",
    "right to left mark": "\u200f",
    "Arabic letter mark": "\u061c",
    "escape": "\x1b",
    "zero": "\x00",
    "tab": "\t",
    "line end": "\n",
    "next line": "\x85",
    "line separator": "\u2028",
    "tag": "\U000e0041",
    "Hangul filler": "\u3164",
    "half of a pair": "\ud800",
}
SEEN = [
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian, with a non-joiner
    "\u0915\u094d\u200d\u0937",  # Devanagari, with a joiner
    "\U0001f469\u200d\U0001f52c",  # an emoji of two
    "\u2764\ufe0f",
    "\u05e9\u05dc\u05d5\u05dd",
    "\u65e5\u672c\u8a9e",
    "gr\u00f6\u00dfe",
    "a\u00a0b",
    "=1+1",
]


def schema_of(**changes: object) -> pv.Schema:
    facts = {
        "column": "smoker",
        "levels": ["no", "yes"],
        "population": "clinic",
        "unit": "patient",
        **changes,
    }
    return pv.Schema(
        {str(facts["column"]): pv.Categorical(facts["levels"])},  # type: ignore[arg-type]
        population=str(facts["population"]),
        unit=facts["unit"],  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("sign", UNSEEN)
def test_a_sign_that_cannot_be_seen_is_refused_everywhere(sign: str) -> None:
    name, code = f"a{UNSEEN[sign]}b", f"U+{ord(UNSEEN[sign]):04X}"
    for make in (
        lambda: schema_of(levels=["ab", name]),
        lambda: schema_of(population=name),
        lambda: schema_of(unit=name),
        lambda: pv.Unit("patient", column=name, max_rows=2),
        lambda: pv.FiniteFamily("smoker", {"x": ["1/2", "1/2"], name: ["1/4", "3/4"]}),
    ):
        with pytest.raises(pv.PriviorError, match="cannot be seen") as refused:
            make()
        assert code in str(refused.value)
        assert UNSEEN[sign] not in str(refused.value).replace("\n  ", "") or sign == "line end"
    with pytest.raises(pv.SchemaError, match=r"cannot be seen|one line of text"):
        schema_of(column=name)


@pytest.mark.parametrize("name", SEEN)
def test_names_of_all_scripts_are_allowed(name: str) -> None:
    schema_of(column=name, levels=["no", name], unit=name)
    assert clean(name).replace("\u00a0", " ").replace(REPLACEMENT, " ") == name.replace("\u00a0", " ")


@pytest.mark.parametrize(
    "pair",
    [
        ("\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u062e"),
        ("caf\u00e9", "cafe\u0301"),
        ("a b", "a\u00a0b"),
        ("\u2764", "\u2764\ufe0f"),
        ("yes", "yes "),
        ("yes", "yes\u00a0"),
        ("a b", "a  b"),
    ],
)
def test_names_that_look_the_same_are_refused(pair: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    def columns() -> pv.Schema:
        kinds = {name: pv.Boolean() for name in pair}
        return pv.Schema(kinds, population="clinic", unit="patient")

    for make in (
        lambda: pv.Categorical(pair),
        columns,
        lambda: pv.FiniteFamily("smoker", {pair[0]: ["1/2", "1/2"], pair[1]: ["1/4", "3/4"]}),
        lambda: schema_of(column=pair[0], unit=pv.Unit("patient", column=pair[1], max_rows=2)),
    ):
        with pytest.raises(pv.PriviorError, match=r"look the same|cannot be analysed"):
            make()
    monkeypatch.setattr(names, "looks", lambda name: name)  # the planted fault: compared as they are written
    assert pv.Categorical(pair).size == 2


@pytest.mark.parametrize("place", [0, 2])
def test_a_joiner_joins_nothing_at_an_end(place: int) -> None:
    name = "ab"[:place] + "\u200d" + "ab"[place:]
    with pytest.raises(pv.SchemaError, match=r"U\+200D"):
        schema_of(levels=["no", name])


def test_a_release_with_such_a_name_is_refused(release_file: Path) -> None:
    text = release_file.read_text()
    column = next(iter(pv.Release.read(release_file).plan.schema.columns))
    forged = text.replace(json.dumps(column), json.dumps(column + "\u200b"))
    assert forged != text
    with pytest.raises(pv.ReleaseError, match=r"U\+200B"):
        pv.Release.from_json(forged)


def test_exports_hold_nothing_that_cannot_be_seen() -> None:
    """Whatever else a file may hold: CSV, pages and pictures show a sign in its place."""
    for sign in UNSEEN.values():
        for shown in (csv_text({"a" + sign: ["b" + sign]}), ledger_cell("c" + sign), clean("d" + sign)):
            assert sign not in shown.replace("\n", "", 1) or sign == "\u3164"

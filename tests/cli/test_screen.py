"""Tables on a terminal of 80 columns."""

from __future__ import annotations

import pytest

from privior.cli.screen import Screen, _least_width, _wrapped

HEADER = ["slope at most", "parameters kept", "prior lost", "draws", "epsilon", "2 L N rho", "utility lost"]
ROW = ["10.88", "[1.88027e-5, 0.999981]", "3.78e-05", "100", "2098", "2176", "vacuous"]


def test_long_names_of_columns_are_broken_before_a_table_is() -> None:
    broken = _wrapped(HEADER, [ROW])
    assert broken[:4] == ["slope\nat\nmost", "parameters kept", "prior\nlost", "draws"]
    assert _least_width(HEADER, [ROW]) > 80 >= _least_width(broken, [ROW])


def test_warnings_fit_eighty_columns_where_they_are_piped(capsys: pytest.CaptureFixture[str]) -> None:
    Screen().warn("WARNING: " + "words that follow one another " * 8 + "\n  advice: " + "more " * 30)
    told = capsys.readouterr().err.splitlines()
    assert len(told) > 4
    assert max(map(len, told)) <= 80
    assert " ".join(told).count("words") == 8

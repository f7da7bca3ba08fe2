"""An analysis with what the lemmas and theorems make of it."""

from __future__ import annotations

from typing import Any

import privior as pv


def analysed(*arguments: Any, **options: Any) -> pv.Theorems:
    return pv.theorems(pv.analyse(*arguments, **options))

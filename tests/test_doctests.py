"""The examples in docstrings give what they say."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

import privior

PACKAGE = Path(privior.__file__).parent
WITH_EXAMPLES = [
    ".".join(["privior", *file.relative_to(PACKAGE).with_suffix("").parts])
    for file in sorted(PACKAGE.rglob("*.py"))
    if ">>> " in file.read_text("utf-8")
]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted > 0
    assert found.failed == 0

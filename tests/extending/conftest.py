from __future__ import annotations

from collections.abc import Iterator

import pytest
from own_example import imported


@pytest.fixture(autouse=True, scope="module")
def _example() -> Iterator[None]:
    """Every test here knows the example's kinds."""
    with imported():
        yield

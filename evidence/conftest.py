"""Evidence that is current is not measured again."""

from __future__ import annotations

import pytest
import runs


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let everything be measured again."""
    parser.addoption("--anew", action="store_true", help="measure again what is current, too")


def pytest_configure(config: pytest.Config) -> None:
    """Skip what is current."""
    config.pluginmanager.register(runs.of_session(config))

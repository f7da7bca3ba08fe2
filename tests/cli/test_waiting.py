"""What lasts is shown on a terminal while it lasts, and nowhere else; what is quick is not."""

from __future__ import annotations

import io
import sys
import time

import pytest

from privior.cli import screen as screens
from privior.cli.screen import Screen


class Terminal(io.StringIO):
    """A stream that says whether somebody sits there."""

    def __init__(self, *, seen: bool) -> None:
        super().__init__()
        self.seen = seen

    def isatty(self) -> bool:
        return self.seen


@pytest.mark.parametrize(
    ("seen", "quiet", "lasts", "shown"),
    [
        (True, False, True, True),
        (True, False, False, False),
        (True, True, True, False),
        (False, False, True, False),
    ],
    ids=["lasting", "quick", "quiet", "piped"],
)
def test_what_lasts_is_shown_on_a_terminal_alone(
    seen: bool, quiet: bool, lasts: bool, shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors, output = Terminal(seen=seen), Terminal(seen=True)
    monkeypatch.setattr(sys, "stderr", errors)
    monkeypatch.setattr(sys, "stdout", output)
    monkeypatch.setattr(screens, "PATIENCE", 0.02 if lasts else 60.0)
    monkeypatch.setenv("TERM", "xterm")
    screen = Screen()
    screen.quiet = quiet
    with screen.waiting("inferring \x1b[2J") as done:
        time.sleep(0.3 if lasts else 0)
        done(0.25)
        time.sleep(0.2 if lasts else 0)
    assert ("inferring" in errors.getvalue()) is shown
    assert ("25% of the longest" in errors.getvalue()) is shown
    assert "\x1b[2J" not in errors.getvalue()
    assert output.getvalue() == ""


def test_a_failure_passes_and_ends_the_display(monkeypatch: pytest.MonkeyPatch) -> None:
    errors = Terminal(seen=True)
    monkeypatch.setattr(sys, "stderr", errors)
    monkeypatch.setattr(screens, "PATIENCE", 0.02)
    monkeypatch.setenv("TERM", "xterm")

    def interrupted() -> None:
        with Screen().waiting("inferring"):
            time.sleep(0.2)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    written = errors.getvalue()
    time.sleep(0.2)
    assert errors.getvalue() == written

"""Pictures: numbers in, figure or text out. Knows nothing of privior, so every part may use it."""

from privior.pictures.interval_chart import intervals

__all__ = ["intervals"]

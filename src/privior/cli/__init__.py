"""The command line: parses, calls, shows. No mathematics, and heavy imports only where they are needed."""

from privior.cli.app import main

__all__ = ["main"]

"""Writes docs/evidence.md from the stored measurements, marking what no longer certifies the sources.

python evidence/page.py
"""

from __future__ import annotations

from record import ROOT, Evidence, load

PAGE = ROOT / "docs" / "evidence.md"
_INTRODUCTION = """# Evidence

Slow measurements, made by `make evidence` and stored in `evidence/results/` with their date and the hash of
the sources they certify. A *stale* one was measured before those sources last changed. This page is written
by `make pages`; do not edit it. A measurement is evidence, never a proof.
"""


def render(found: list[Evidence]) -> str:
    """Return the page."""
    return "\n".join([_INTRODUCTION, *(_section(evidence) for evidence in found)])


def _section(evidence: Evidence) -> str:
    state = "**stale**: the sources have changed since" if evidence.stale else "current"
    lines = [
        f"## {evidence.title}",
        "",
        f"Bar: {evidence.claim}",
        "",
        "| " + " | ".join(evidence.header) + " |",
        "|" + "---|" * len(evidence.header),
        *("| " + " | ".join(row) + " |" for row in evidence.rows),
        "",
        f"Measured {evidence.date}; certifies {', '.join(evidence.parts)}",
        f"({evidence.sources[:12]}): {state}.",
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(render(load()), "utf-8")

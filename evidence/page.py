"""Writes docs/evidence.md from the stored measurements, marking what no longer certifies the sources.

python evidence/page.py
"""

from __future__ import annotations

from record import ROOT, Evidence, load
from runs import Run, listed

PAGE = ROOT / "docs" / "evidence.md"
_INTRODUCTION = """# Evidence

Slow measurements, made by `make evidence` and stored in `evidence/results/` with their date and the hashes of
the sources they were made with: the file that measures and all it imports, without comments and docstrings. A
*stale* one was measured before that code last changed. This page is written by `make pages`, which says what
changed; do not edit it. A measurement is evidence, never a proof. `make evidence` leaves out what is
current, so that it can be stopped and taken up again.
"""


def render(found: list[Evidence], runs: dict[str, Run | None]) -> str:
    """Return the page: the files that measure, then what they have measured."""
    return "\n".join([_INTRODUCTION, _listed(runs), *(_section(evidence) for evidence in found)])


def _listed(runs: dict[str, Run | None]) -> str:
    def row(name: str, run: Run | None) -> str:
        if run is None:
            return f"| `{name}` | | | not since runs are noted |"
        state = "**stale**" if run.stale else "current"
        return f"| `{name}` | {run.date} | {run.cpu_seconds:,.0f} | {state} |"

    head = ["## What has passed", "", "| file | passed | CPU seconds | |", "|---|---|---|---|"]
    return "\n".join([*head, *(row(*one) for one in runs.items()), ""])


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
        f"Measured {evidence.date}; certifies {_parts(evidence)}: {state}.",
        "",
    ]
    return "\n".join(lines)


def _parts(evidence: Evidence) -> str:
    """Name the parts of the package that the sources belong to."""
    parts = {place.removeprefix("src/privior/").partition("/")[0] for place in evidence.sources}
    others = {"__init__.py", "benchmarks", "evidence", "tests"}
    return ", ".join(sorted(part.removesuffix(".py") for part in parts - others))


if __name__ == "__main__":
    found = load()
    PAGE.write_text(render(found, listed()), "utf-8")
    for evidence in found:
        if changed := evidence.changed:
            print(f"{evidence.name} is stale: {', '.join(changed)}")

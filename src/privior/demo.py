"""The demonstration: a whole release of the bundled table, from the plan to the picture.

python -m privior.demo [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

from privior.bundled import ACS_RECORDS, acs_schema, acs_table
from privior.curator import measure
from privior.errors import PriviorError
from privior.ledger import Ledger
from privior.models import DirichletCategorical
from privior.planning import plan
from privior.posterior import infer
from privior.release import Release


def run(folder: Path) -> None:
    """Plan, measure, infer and ask, writing the ledger, the release and the picture into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    ledger_file, release_file, picture_file = (
        folder / name for name in ("acs-2019.ledger", "education.release.json", "education.png")
    )
    for old in (release_file, *folder.glob("acs-2019.ledger*")):
        old.unlink(missing_ok=True)  # a demonstration starts afresh; a real ledger is never deleted

    _say("1  PLAN: free, no data is opened")
    model = DirichletCategorical("education", prior=1)
    planned = plan(model, acs_schema(), records=ACS_RECORDS, epsilon="0.05")
    print(planned)

    _say("2  MEASURE: spends the budget, then reads the cells once")
    ledger = Ledger.create(ledger_file, population="acs-2019", epsilon="1")
    measure(planned, acs_table(), ledger=ledger, output=release_file)
    print(ledger)

    _say("3  INFER: free, from the release file alone")
    release = Release.read(release_file)
    print(release, end="\n\n")
    posterior = infer(release)
    print(posterior)

    _say("4  ASK: free, as often as one likes")
    print(posterior.probability({"education": "doctorate"}))
    print(posterior.probability({"education": ["bachelor", "master", "professional", "doctorate"]}))
    posterior.plot().savefig(picture_file, dpi=150)
    print(f"\nWritten: {release_file} (may be published), {picture_file}, {ledger_file} (keep it)")


def _say(heading: str) -> None:
    print(f"\n{heading}\n{'=' * len(heading)}")


if __name__ == "__main__":
    try:
        run(Path(sys.argv[1] if len(sys.argv) > 1 else "demo-output"))
    except PriviorError as error:
        sys.exit(f"privior: {error}")

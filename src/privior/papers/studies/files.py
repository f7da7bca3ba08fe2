"""The files of a study: Parquet for tables, PNG and SVG for pictures, text for what is seen."""

from __future__ import annotations

import io
from typing import Any

from privior.papers.studies.study import Findings, Study, StudyColumn

#: what a picture is written as; without a date, so that the same study writes the same file
_KINDS: dict[str, dict[str, Any]] = {"png": {"dpi": 150}, "svg": {"metadata": {"Date": None}}}


def files_of(study: Study, findings: Findings, quick: bool) -> dict[str, bytes]:
    """Return the content of every file by its name; writing them is left to the caller."""
    files = {f"{name}.parquet": _parquet(columns) for name, columns in findings.tables.items()}
    for name, picture in findings.pictures.items():
        figure = picture.figure()
        for kind, options in _KINDS.items():
            drawn = io.BytesIO()
            figure.savefig(drawn, format=kind, **options)
            files[f"{name}.{kind}"] = drawn.getvalue()
    kind = "quick run, coarser than the full one" if quick else "full run"
    about = f"{study.name}: {study.about}\n{study.paper}, {study.figure}; {kind}.\n\n{findings.text}\n"
    return {**files, "findings.txt": about.encode()}


def _parquet(columns: dict[str, StudyColumn] | object) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    written = io.BytesIO()
    pq.write_table(pa.table(columns), written)
    return written.getvalue()

"""The code blocks of README and docs run, in order, each document in a folder of its own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#]+)\)")


def blocks(path: Path) -> list[str]:
    return BLOCK.findall(path.read_text("utf-8"))


@pytest.mark.parametrize("path", [path for path in DOCUMENTS if blocks(path)], ids=lambda path: path.name)
def test_code_blocks_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for number, block in enumerate(blocks(path), 1):
        exec(compile(block, f"{path.name}, block {number}", "exec"), names)


def test_the_readme_has_code_to_run() -> None:
    assert len(blocks(ROOT / "README.md")) >= 5


LINKED = [*DOCUMENTS, ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"]


@pytest.mark.parametrize("path", LINKED, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    for target in LINK.findall(path.read_text("utf-8")):
        if "://" not in target:
            assert (path.parent / target).exists(), target


def test_no_document_names_a_machine() -> None:
    """Nothing in the repository may hold a path of the machine it was written on."""
    home = re.compile(r"(?:^|[\s\"'(=])/(?:home|root|tmp|work)/")
    for path in [*DOCUMENTS, *(ROOT / "src").rglob("*.py")]:
        assert not home.search(path.read_text("utf-8")), path

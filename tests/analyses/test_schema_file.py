"""Several analyses of one table: each names the file of the schema, whose facts stand in every plan."""

from __future__ import annotations

from pathlib import Path

import pytest

import privior as pv

ASK = '[model]\nfamily = "dirichlet-categorical"\ncolumns = ["fruit"]\n[ask]\nrecords = 10\nepsilon = "1"\n'


def test_a_named_schema_gives_the_plan_that_its_copy_gives(tmp_path: Path, schema: pv.Schema) -> None:
    (tmp_path / "facts").mkdir()
    schema.write(tmp_path / "facts" / "fruit.schema.toml")
    named, copied = tmp_path / "named.toml", tmp_path / "copied.toml"
    named.write_text(f'schema = "facts/fruit.schema.toml"\n{ASK}')
    copied.write_text((tmp_path / "facts" / "fruit.schema.toml").read_text() + ASK)
    assert pv.Analysis.read(named).plan().digest == pv.Analysis.read(copied).plan().digest
    assert pv.Schema.read(named) == schema


def test_both_files_may_say_their_format(tmp_path: Path, schema: pv.Schema) -> None:
    """A drafted file begins with it: whoever moves its columns into a file of their own leaves it in both."""
    file = tmp_path / "a.toml"
    schema.write(tmp_path / "s.toml")
    file.write_text(f'schema = "s.toml"\n{ASK}')
    alone = pv.Analysis.read(file).plan().digest
    file.write_text(f'format = 1\nschema = "s.toml"\n{ASK}')
    assert pv.Analysis.read(file).plan().digest == alone
    file.write_text(f'format = 2\nschema = "s.toml"\n{ASK}')
    with pytest.raises(pv.SchemaError, match="holds one too"):
        pv.Analysis.read(file)


@pytest.mark.parametrize(
    "name", ["../up.schema.toml", "link.toml", "below/../../up.schema.toml", "", ".", "a\\u0000b", 5, ["x"]]
)
def test_t40_a_schema_is_a_plain_file_beside_the_analysis(
    name: object, tmp_path: Path, schema: pv.Schema
) -> None:
    folder = tmp_path / "analyses"
    (folder / "below").mkdir(parents=True)
    schema.write(tmp_path / "up.schema.toml")
    (folder / "link.toml").symlink_to(tmp_path / "up.schema.toml")
    written = f'"{name}"' if isinstance(name, str) else str(name)
    (folder / "a.toml").write_text(f"schema = {written}\n{ASK}")
    with pytest.raises(pv.SchemaError):
        pv.Analysis.read(folder / "a.toml")
    (folder / "a.toml").write_text(f'schema = "{tmp_path}/up.schema.toml"\n{ASK}')
    with pytest.raises(pv.SchemaError, match="beside"):
        pv.Analysis.read(folder / "a.toml")


def test_a_schema_file_holds_a_schema_and_nothing_else(tmp_path: Path, schema: pv.Schema) -> None:
    file, facts = tmp_path / "a.toml", tmp_path / "s.toml"
    schema.write(facts)
    file.write_text(f'schema = "s.toml"\npopulation = "another"\n{ASK}')
    with pytest.raises(pv.SchemaError, match="holds one too"):
        pv.Analysis.read(file)
    file.write_text(f'schema = "s.toml"\n{ASK}')
    facts.write_text(facts.read_text() + ASK)
    with pytest.raises(pv.SchemaError, match="unknown entry"):
        pv.Analysis.read(file)
    facts.write_text('schema = "a.toml"\n')
    with pytest.raises(pv.SchemaError, match="missing"):
        pv.Analysis.read(file)
    facts.write_text('population = "FILL IN"\n')
    with pytest.raises(pv.SchemaError, match="not filled in"):
        pv.Analysis.read(file)

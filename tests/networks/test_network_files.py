"""BIF and XMLBIF: read as pgmpy reads them, written so that the same is read back, refused if damaged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import networkx
import pytest
from network_cases import BUNDLED, HERE, bundled

import privior as pv

PGMPY: dict[str, Any] = json.loads((HERE / "pgmpy_facts.json").read_text())
SMALL = """
// a comment
network "two words" { property author "somebody"; }
variable a { type discrete [ 2 ] { "yes, really", no }; property of a; }
variable b { type discrete [ 3 ] { <5, 5-12, 12+ }; }
probability ( a ) { table 0.25 0.75; }
probability ( b | a ) { default 0.1, 0.2, 0.7; ("yes, really") 0.5, 0.25, 0.25; }
"""


@pytest.mark.parametrize("name", BUNDLED)
def test_a_network_is_read_as_pgmpy_reads_it(name: str) -> None:
    network, theirs = bundled(name), PGMPY[name]["nodes"]
    assert set(network.levels) == set(theirs)
    for node, facts in theirs.items():
        assert list(network.parents[node]) == facts["parents"]
        assert list(network.levels[node]) == facts["levels"]
        weighed = sum((place % 97 + 1) / 97 * one for place, one in enumerate(network.tables[node]))
        assert weighed == pytest.approx(facts["weighed"], rel=1e-9)


@pytest.mark.parametrize("name", BUNDLED)
def test_what_is_written_is_read_back(name: str) -> None:
    network = bundled(name)
    assert pv.NetworkFile.from_text(network.to_bif()) == network
    assert pv.NetworkFile.from_text(network.to_xmlbif()) == network


def test_quotes_comments_defaults_and_tables_are_read(tmp_path: Path) -> None:
    (tmp_path / "small.bif").write_text(SMALL)
    network = pv.NetworkFile.read(tmp_path / "small.bif")
    assert network.levels == {"a": ("yes, really", "no"), "b": ("<5", "5-12", "12+")}
    assert network.tables["b"] == (0.5, 0.25, 0.25, 0.1, 0.2, 0.7)
    swapped = SMALL.replace(
        'default 0.1, 0.2, 0.7; ("yes, really") 0.5, 0.25, 0.25;', "table .5 .1 .25 .2 .25 .7;"
    )
    assert pv.NetworkFile.from_text(swapped) == network  # after `table` the node itself varies slowest
    for name in ("again.bif", "again.xml"):
        network.write(tmp_path / name)
        assert pv.NetworkFile.read(tmp_path / name) == network
    assert (tmp_path / "again.xml").read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("wrong", "says", "where"),
    [
        (SMALL[:-40], "the file has ended: a brace", "line 7"),
        (SMALL.replace("[ 3 ]", "[ 4 ]"), "not so many different levels", "line 5"),
        (SMALL.replace("( b | a )", "( b | z )"), "not declared", "line 7"),
        (SMALL.replace("( b | a )", "( b | a, a )"), "stands twice", "line 7"),
        (SMALL.replace("0.75", "7.5"), "not a probability", "line 6"),
        (SMALL.replace("variable b", "varable b"), "not a block", "line 5"),
        (SMALL.replace("default 0.1, 0.2, 0.7; ", ""), "row of probabilities is missing", "line 7"),
        (SMALL.replace("variable a", "variable b"), "declared twice", "line 5"),
        (SMALL.replace("discrete [ 3 ]", "continuous [ 3 ]"), "only discrete", "line 5"),
        ("", "no probability block", "line 1"),
        (
            "<BIF><NETWORK><VARIABLE><NAME>a</NAME></VARIABLE></NETWORK></BIF>",
            "without two different levels",
            "",
        ),
        ('<!DOCTYPE x [<!ENTITY a "b">]><BIF/>', "entities", ""),
        ("<BIF>", "not an XML document", ""),
    ],
)
def test_a_damaged_file_is_refused_with_its_line(wrong: str, says: str, where: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.bif"
    path.write_text(wrong)
    with pytest.raises(pv.SchemaError, match=says) as refused:
        pv.NetworkFile.read(path)
    assert "wrong.bif" in str(refused.value.where)
    assert where in str(refused.value.where)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("/* " * 20_000, "a comment does not end"),
        ("default .5 .5;", "more than 1000000 entries"),
        ("table .5 .5;", "more than 1000000 entries"),
    ],
)
def test_a_short_file_takes_neither_minutes_nor_memory(more: str, says: str) -> None:
    """Comments were looked for anew at each of their beginnings, and 2^29 rows were listed for one word."""
    names = [f"n{place}" for place in range(30)]
    nodes = "".join(f"variable {name} {{ type discrete [ 2 ] {{ x, y }}; }}\n" for name in names)
    roots = "".join(f"probability ( {name} ) {{ }}\n" for name in names[1:])
    below = f"probability ( n0 | {', '.join(names[1:])} ) {{ {'' if more.startswith('/') else more} }}\n"
    with pytest.raises(pv.SchemaError, match=says):
        pv.NetworkFile.from_text(nodes + roots + below + (more if more.startswith("/") else ""))


def test_files_that_are_none_are_refused(tmp_path: Path) -> None:
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    for path in (tmp_path / "nowhere.bif", tmp_path / "bytes", tmp_path):
        with pytest.raises(pv.SchemaError):
            pv.NetworkFile.read(path)
    with pytest.raises(pv.SchemaError, match="cannot be written in BIF"):
        pv.NetworkFile({"a": ('"', "b")}, {"a": ()}, {}).to_bif()


def test_graphs_come_from_dictionaries_networkx_and_files(tmp_path: Path) -> None:
    network = bundled("asia")
    network.write(tmp_path / "asia.bif")
    graph = networkx.DiGraph([(parent, node) for node, above in network.parents.items() for parent in above])
    read = pv.BayesianNetwork.read(tmp_path / "asia.bif", prior=1)
    assert read == pv.BayesianNetwork(network.parents, prior=1)
    taken = pv.BayesianNetwork(graph, prior=1)
    assert {node: set(above) for node, above in taken.parents.items()} == {
        node: set(above) for node, above in network.parents.items()
    }
    with pytest.raises(pv.ModelError, match="not the graph"):
        pv.BayesianNetwork("asia.bif")

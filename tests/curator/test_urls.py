"""Tables behind URLs: fetched by the process of the release, read there, and gone with it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import privior as pv
from privior.tables import without_secrets

ROWS = ["apple"] * 5 + ["pear"] * 3


class Handler(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        if self.path.startswith("/moved"):
            self.send_response(302)
            self.send_header("Location", "/fruit.csv")
            self.end_headers()
            return
        if self.path.startswith("/cut"):
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"fruit\napple\n")
            return
        super().do_GET()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    folder = tmp_path / "served"
    folder.mkdir()
    (folder / "fruit.csv").write_text("fruit\n" + "".join(f"{cell}\n" for cell in ROWS))
    (folder / "other.csv").write_text("vegetable\nleek\n")
    (folder / "fruit.txt").write_text("fruit\napple\n")
    pq.write_table(pa.table({"fruit": ROWS}), folder / "fruit.parquet")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def plan() -> pv.Plan:
    schema = pv.Schema({"fruit": pv.Categorical(["apple", "pear"])}, population="orchard", unit="person")
    return pv.plan(pv.DirichletCategorical("fruit", prior=1), schema, records=len(ROWS), epsilon=1)


@pytest.fixture
def ledger(tmp_path: Path) -> pv.Ledger:
    return pv.Ledger.create(tmp_path / "orchard.ledger", population="orchard", epsilon=10)


@pytest.mark.parametrize("name", ["fruit.csv", "fruit.parquet", "moved.csv?key=secret"])
def test_a_table_behind_a_url(
    name: str, served: str, plan: pv.Plan, ledger: pv.Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr("tempfile.tempdir", None)
    release = pv.measure(plan, f"{served}/{name}", ledger=ledger)
    assert release.process == "own"
    assert sum(release.statistics.counts) == len(ROWS)
    assert not list(temporary.iterdir())


def test_a_file_by_its_url(served: str, plan: pv.Plan, ledger: pv.Ledger, tmp_path: Path) -> None:
    place = tmp_path / "served" / "fruit.csv"
    assert sum(pv.measure(plan, place.as_uri(), ledger=ledger).statistics.counts) == len(ROWS)
    assert place.exists()


def test_what_cannot_be_fetched_costs_nothing(served: str, plan: pv.Plan, ledger: pv.Ledger) -> None:
    port = served.rsplit(":", 1)[1]
    for url, words in {
        f"{served}/nothing.csv?key=secret": f"127.0.0.1:{port}/nothing.csv: the server answers 404",
        f"{served}/fruit.txt": "unknown kind of file",
        f"{served}/cut.csv?key=secret": "the server sent less or more than it said",
        f"{served}/a b.csv?key=secret": "the URL cannot be read",
        f"{served}/other.csv": "column",
        f"http://me:secret@127.0.0.1:{port}/fruit.csv": "not a URL of a table",
        "http://127.0.0.1:9/fruit.csv": "the URL cannot be read",
        "http:///fruit.csv": "not a URL of a table",
        "file://elsewhere/fruit.csv": "not a URL of a table",
        "ftp://127.0.0.1/fruit.csv": "there is no such file",
    }.items():
        with pytest.raises(pv.TableError, match="Nothing was spent") as refused:
            pv.measure(plan, url, ledger=ledger)
        assert words in str(refused.value)
        assert "secret" not in str(refused.value)
        assert "privior-" not in str(refused.value)
    assert ledger.last().number == 0


def test_secrets_are_not_shown() -> None:
    assert without_secrets("https://me:pw@host:8443/a.csv?sig=1#x") == "https://host:8443/a.csv"
    assert without_secrets("https://[half") == "the URL"

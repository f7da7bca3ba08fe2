# Two commands do everything on a machine with Python 3.11 and make: `make demo` and `make test`.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: demo test browser servers check format evidence pages benchmarks clean

demo: .venv/demo-ready  ## release the bundled table privately; writes demo-output/
	$(BIN)/privior demo demo-output

# What Python compiles is kept, whatever the environment says: tests start many processes.
test: export PYTHONDONTWRITEBYTECODE :=
# The tests of a file run in one process, which makes once what they share.
test: check browser servers  ## everything that must hold on every commit
	$(BIN)/python tests/compiled_loops.py
	$(BIN)/python -m pytest -n 2 --dist loadfile

browser:  ## a browser for the tests of pages, from the system's packages
	@command -v chromium chromium-browser google-chrome >/dev/null || \
	{ apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y chromium >/dev/null; } || \
	{ echo 'The tests of pages need chromium: install it with your package manager.' >&2; exit 1; }

servers: .venv/test-ready  ## a PostgreSQL server for the tests of ledgers, from the system's packages
	$(BIN)/python tests/ledger/postgres_server.py

check: .venv/test-ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: .venv/test-ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Loops are compiled anew: a kept one does not know of changes in others that it calls.
evidence: export NUMBA_CACHE_DIR := $(CURDIR)/.venv/evidence-loops
evidence: .venv/test-ready  ## the slow proofs: coverage, speed; stores evidence/*.json
	$(PIP) install -e '.[nuts]'
	rm -rf $(NUMBA_CACHE_DIR)
	$(BIN)/python -m pytest -m slow tests
	# Each file in a process of its own, which loads nothing but what it measures.
	failed=; for file in evidence/test_*.py; do $(BIN)/python -m pytest $$file || failed=yes; done; test -z "$$failed"
	$(BIN)/python evidence/page.py

pages: .venv/test-ready  ## write docs/evidence.md anew, marking what is stale
	$(BIN)/python evidence/page.py

benchmarks: .venv/test-ready
	$(BIN)/python benchmarks/start.py
	$(BIN)/python benchmarks/counting.py
	$(BIN)/python benchmarks/sums.py
	$(BIN)/python benchmarks/readings.py
	$(BIN)/python benchmarks/networks.py
	$(BIN)/python benchmarks/hellinger.py
	$(BIN)/python benchmarks/draws.py
	PYTHONPATH=tests/ledger $(BIN)/python benchmarks/ledger.py

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "privior needs Python 3.11 or newer")'
	$(PYTHON) -m venv .venv

.venv/demo-ready: pyproject.toml | .venv/bin/python
	$(PIP) install -e .
	touch $@

.venv/test-ready: pyproject.toml | .venv/bin/python
	$(PIP) install -e ".[dev]"
	touch $@ .venv/demo-ready

clean:
	rm -rf .venv demo-output

# `make play` opens the table in the browser, `make test` runs every test. Every command installs what it needs into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: play lint test browser servers check gpu soak docs pictures sounds bench lock format clean help

help:  ## list these commands
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

# A plain Debian python3 comes without pip for the venv module. It's installed automatically when run as root.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Rulestone needs Python 3.11 or newer. Set PYTHON=... to choose another Python."; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -y -qq python3-venv; } || { echo "Python's venv module is missing. Install python3-venv first."; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.base: $(BIN)/python requirements/base.txt pyproject.toml
	$(BIN)/python -m pip install -q --disable-pip-version-check -r requirements/base.txt
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps -e .
	@touch $@

$(STAMP): $(VENV)/.base requirements/dev.txt
	$(BIN)/python -m pip install -q --disable-pip-version-check -r requirements/dev.txt
	@touch $@

$(VENV)/.docs: $(VENV)/.base requirements/docs.txt
	$(BIN)/python -m pip install -q --disable-pip-version-check -r requirements/docs.txt
	@touch $@

HOST := 127.0.0.1
play: $(VENV)/.base  ## play in the browser; with HOST=0.0.0.0, friends on your network can join
	$(BIN)/rulestone serve --open --host $(HOST)

# The tests use a real browser, PostgreSQL and Redis. They are installed automatically when run as root.
browser:
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -y -qq chromium; } || echo "Chromium is missing: the browser tests will be skipped."

servers:
	@{ ls /usr/lib/postgresql/*/bin/initdb && command -v redis-server; } >/dev/null 2>&1 || { [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -y -qq postgresql redis-server; } || echo "PostgreSQL or Redis is missing: their tests will be skipped."

lint: $(STAMP)  ## check lint, format, types, imports and words
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell
	$(BIN)/python -m tools.words

docs: $(VENV)/.docs  ## build the documentation site in build/site
	$(BIN)/python -m tools.site

pictures: $(STAMP) browser  ## draw the pictures of the documents again
	$(BIN)/python -m tools.pictures

sounds: $(STAMP)  ## make the sounds of the table again
	$(BIN)/python -m tools.sounds

test: $(STAMP) $(VENV)/.docs browser servers  ## run every check and every test
	@$(MAKE) --no-print-directory -j2 -O lint docs
	$(BIN)/python -m pytest -n auto --dist loadgroup

check: lint  ## run the checks and the fast tests
	$(BIN)/python -m pytest -n auto --dist loadgroup -m "not slow and not soak"

gpu: $(STAMP)  ## compile everything for a GPU and play in its simulator, without one (installs numba-cuda)
	$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[gpu]'
	$(BIN)/python -m pytest -n auto --dist loadgroup tests/test_gpu.py tests/test_gpu_anywhere.py tests/test_bench_gpu.py

MINUTES := 10
SEED := 1
soak: $(STAMP) browser servers  ## run the long tests: statistics, faults for MINUTES=10, 100,000 schedules of SEED=1
	RULESTONE_SOAK_MINUTES=$(MINUTES) RULESTONE_SOAK_SEED=$(SEED) $(BIN)/python -m pytest -n auto --dist loadgroup -m soak --timeout 0 -rP
	$(BIN)/python -m tests.simulation --seed $(SEED)

bench: $(BIN)/python  ## compare speed with other libraries (installs them into .venv-bench)
	@[ -x .venv-bench/bin/python ] || $(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install -q --disable-pip-version-check -r requirements/bench.txt -e .
	.venv-bench/bin/python -m bench

lock: $(STAMP)  ## pin the newest versions allowed by pyproject.toml
	$(BIN)/python -m pip install -q --disable-pip-version-check pip-tools
	$(BIN)/pip-compile -q --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --strip-extras -U -o requirements/base.txt pyproject.toml
	$(BIN)/pip-compile -q --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --strip-extras -U --extra dev -c requirements/base.txt -o requirements/dev.txt pyproject.toml
	sed -i 's/^\(torch==[0-9.]*\)+cpu$$/\1/' requirements/dev.txt  # any build of that version will do
	$(BIN)/pip-compile -q --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --strip-extras -U --extra docs -c requirements/dev.txt -o requirements/docs.txt pyproject.toml

format: $(STAMP)  ## format the code
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean:  ## remove everything installed or built here
	rm -rf $(VENV) .venv-bench build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

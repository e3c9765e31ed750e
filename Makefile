# `make demo` and `make test` set everything up on a machine that has Python,
# git and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

# the real client, and this project as a user has it: as a wheel
CLIENT := .client
CLAUDE := @anthropic-ai/claude-code-linux-x64@2.1.325
SOURCES := $(shell find hooks schemas -mindepth 1 \
	-name __pycache__ -prune -o -name '*.egg-info' -prune -o -print)

.PHONY: demo test e2e lint bench docs clean

demo: $(INSTALLED)
	$(BIN)/python -m demo.run

test: $(INSTALLED)
	$(BIN)/python -m pytest -n 2

# needs npm, and root for a network namespace
e2e: $(INSTALLED) $(CLIENT)/.claude $(CLIENT)/.wheel
	$(BIN)/python -m pytest -n 2 -m client tests/client

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: $(INSTALLED)
	$(BIN)/python -m benchmarks.run

# the pages of the rules, from the text that `interlock explain` prints, and
# the wiring of the plugin, from the table that `init` writes
docs: $(INSTALLED)
	$(BIN)/python -m docs.pages
	$(BIN)/python -m docs.plugin

$(INSTALLED): setup.cfg pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[mcp,test,lint]'
	touch $@

# the version is in the Makefile
$(CLIENT)/.claude: Makefile
	npm install --prefix $(CLIENT) --no-save --no-audit --no-fund \
		--loglevel=error $(CLAUDE)
	touch $@

# a build directory would bring back what was deleted
$(CLIENT)/.wheel: setup.cfg pyproject.toml README.md LICENSE $(SOURCES)
	rm -rf build $(CLIENT)/wheels
	test -x $(CLIENT)/venv/bin/python || $(PYTHON) -m venv $(CLIENT)/venv
	$(CLIENT)/venv/bin/python -m pip wheel --quiet --no-deps \
		--wheel-dir $(CLIENT)/wheels .
	$(CLIENT)/venv/bin/python -m pip install --quiet $(CLIENT)/wheels/*.whl
	$(CLIENT)/venv/bin/python -m pip install --quiet --no-deps \
		--force-reinstall $(CLIENT)/wheels/*.whl
	touch $@

clean:
	rm -rf $(VENV) $(CLIENT) build dist .hypothesis .mypy_cache \
		.pytest_cache .ruff_cache .tox hooks/*.egg-info

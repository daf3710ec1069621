# Everything that a person or a machine runs in this checkout. `make help` lists it.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: help demo demo-hadoop test test-all lint bench bundle proto clean
.DEFAULT_GOAL := help

help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit("Python 3.10 or newer is needed, this is " + sys.version.split()[0] + "; run: make PYTHON=/path/to/python3.11 ...") if sys.version_info < (3, 10) else None'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: setup.cfg pyproject.toml | $(VENV)/bin/python
	$(PIP) -e .
	@touch $@

$(VENV)/.test: setup.cfg pyproject.toml | $(VENV)/bin/python
	$(PIP) -e '.[test]'
	@touch $@ $(VENV)/.installed

$(VENV)/.bundle: setup.cfg pyproject.toml | $(VENV)/bin/python
	$(PIP) -e '.[bundle]'
	@touch $@ $(VENV)/.installed

$(VENV)/.lint: setup.cfg pyproject.toml | $(VENV)/bin/python
	$(PIP) -e '.[test,lint]'
	@touch $@ $(VENV)/.installed

demo: $(VENV)/.installed ## train a small model with 1 ps and 2 workers on this machine
	@$(BIN)/python tools/demo.py

demo-hadoop: $(VENV)/.installed ## the same on a real HDFS and YARN, started for it (needs a JDK and Maven)
	@$(BIN)/python tools/demo_hadoop.py

test: $(VENV)/.test ## unit, local, real Hadoop and browser tests
	@tools/prepare-tests.sh
	$(BIN)/python tools/run_tests.py -n 2 --dist loadgroup -m 'not large'

test-all: $(VENV)/.test ## the same, and what is big or slow
	@tools/prepare-tests.sh
	$(BIN)/python tools/run_tests.py -n 2 --dist loadgroup

lint: $(VENV)/.lint ## ruff, mypy --strict and the import rules
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	tools/lint-imports.sh $(BIN)

bench: $(VENV)/.test ## measure; the figures go to bench/out/
	$(BIN)/python bench/run.py

bundle: $(VENV)/.bundle ## XLearning and all wheels in one archive, for a gateway without a registry
	$(BIN)/python tools/bundle.py $(if $(GLIBC),--glibc $(GLIBC)) $(if $(EXTRAS),--extras $(EXTRAS))

proto: $(VENV)/bin/python ## generate proto/*_pb2* from proto/xlearning.proto
	tools/proto.sh

clean: ## remove what the other targets made
	rm -rf $(VENV) build dist *.egg-info .demo bench/out .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

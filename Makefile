# make app: serve the pages.   make test: check, then every test.   make check: lint and types.   make format
# Everything lives in .venv here; once installed, nothing asks the network. Another Python: make app PYTHON=python3.12

SHELL := /bin/bash
.DEFAULT_GOAL := app
.NOTPARALLEL:
.PHONY: app test check format browser

VENV := .venv
BIN := $(VENV)/bin
RUN := $(BIN)/python -m
PIP := $(RUN) pip install --disable-pip-version-check
NEW_ENOUGH := import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3; do \
	$$p -c '$(NEW_ENOUGH)' 2>/dev/null && echo $$p && break; done)
NO_PYTHON := Attention Atlas needs Python 3.11 or newer with its venv module; install it, \
	or name it: make app PYTHON=/path/to/python3.11

app: $(VENV)/.app
	@exec $(RUN) streamlit run app/main.py

test: $(VENV)/.dev browser check
	OMP_NUM_THREADS=1 $(RUN) pytest -n 2 --dist loadgroup -m "not benchmark"

check: $(VENV)/.dev
	$(RUN) ruff check
	$(RUN) ruff format --check
	$(RUN) mypy

format: $(VENV)/.dev
	$(RUN) ruff check --fix
	$(RUN) ruff format

browser: $(VENV)/.dev
	@.ci/browser $(BIN)/python

$(BIN)/python:
	@"$(PYTHON)" -c '$(NEW_ENOUGH)' 2>/dev/null || { echo "$(NO_PYTHON)" >&2; exit 1; }
	"$(PYTHON)" -m venv $(VENV)

# A stamp is newer than what it was installed from, so a second call does nothing.
$(VENV)/.app: requirements.txt $(BIN)/python
	@$(BIN)/python -c '$(NEW_ENOUGH)' || { echo "$(VENV) was made by a Python older than 3.11; delete it and try again" >&2; exit 1; }
	@echo "Installing into $(VENV), once; this takes a few minutes."
	$(PIP) "$$(grep '^torch==' requirements.txt)"
	$(PIP) -r requirements.txt
	@touch $@

$(VENV)/.dev: requirements-dev.txt $(VENV)/.app
	$(PIP) -r requirements-dev.txt
	@touch $@

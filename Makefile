PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
READY_EXTRAS := $(VENV)/.ready-extras

.PHONY: demo test test-extras check format bench docs pages clean

demo: $(READY)  ## set everything up and verify a shipped example
	@# The example has wrong claims: status 1 is what it should end with, anything else is a failure.
	@$(BIN)/groundwire verify examples/answer.txt examples/source.txt --html report.html; test $$? -eq 1

test: $(READY)  ## set everything up and run the tests
	@# The files of tests/extras import what only `make test-extras` installs.
	$(BIN)/python -m pytest -m "not extras" --ignore=tests/extras

test-extras: $(READY_EXTRAS)  ## the tests that need heavy dependencies or minutes
	$(BIN)/python -m pytest -m extras

check: $(READY)  ## lint, types, docs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(READY)
	$(BIN)/python -m benchmarks.verify

docs: $(READY)  ## read the documentation at http://127.0.0.1:8000
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs serve

pages: $(READY)  ## write the outputs and reference pages of the documentation anew
	$(BIN)/python docs/generate_cli.py
	$(BIN)/python docs/generate_types.py
	$(BIN)/python docs/generate_http.py
	$(BIN)/python -m docs.generate_measured
	$(BIN)/python docs/record_stream.py
	$(BIN)/python docs/run_blocks.py

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	touch $(READY)

$(READY_EXTRAS): $(READY) tests/extras/constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint tests/extras/constraints.txt --editable ".[dev,all]"
	touch $(READY_EXTRAS)

clean:
	rm -rf $(VENV) site report.html dist build .pytest_cache .mypy_cache .ruff_cache

# make demo | make test | make check: each makes .venv when it is missing and installs all it needs.
# Another interpreter: make test PYTHON=python3.12

PYTHON ?= python3
VENV := .venv
READY := $(VENV)/.installed
PIP := $(VENV)/bin/python -m pip --disable-pip-version-check install --constraint constraints.txt

.PHONY: install demo test check

install: $(READY)

test: $(READY)
	$(VENV)/bin/python -m pytest -n 2

check: $(READY)
	.ci/run

$(VENV)/bin/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo 'Parlour needs Python 3.11 or later; choose one with: make PYTHON=/path/to/python' >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2> /dev/null || \
		{ echo 'This Python cannot make environments; on Debian: apt install python3-venv' >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

# Again only where what is to be installed has changed. Torch goes first, by itself: where pip finds
# a CPU build it takes that one, and nothing else asks for the far larger default.
$(READY): setup.cfg setup.py pyproject.toml constraints.txt | $(VENV)/bin/pip
	$(PIP) torch
	$(PIP) --editable '.[test]'
	@touch $@

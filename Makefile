# make demo | make test | make check: each makes .venv when it is missing and installs all it needs.
# Another interpreter: make test PYTHON=python3.12 VENV=.venv-3.12

# Python keeps its byte code, as it does by default: many tests start it anew.
export PYTHONDONTWRITEBYTECODE :=

PYTHON ?= python3
VENV := .venv
READY := $(VENV)/.installed
TESTING := $(VENV)/.installed-test
CONSTRAINTS := constraints.txt
# Most of what is installed is never imported: Python compiles the rest when it is.
PIP := $(VENV)/bin/python -m pip --disable-pip-version-check install --no-compile \
	--constraint $(CONSTRAINTS)

DEMO := runs/demo
MINUTES ?= 3
THREADS ?= 2
PARLOUR := $(VENV)/bin/parlour

.PHONY: install demo docs agents libraries test oldest test-long test-release check league tournaments mutants frameworks \
	growth strengths speedrun

install: $(TESTING)

# Three processes for two cores: many tests wait, for others that they start.
PYTEST := $(VENV)/bin/python -m pytest -n 3 --dist worksteal
SHORT := not long and not release
# Most tests take longer to compile than to run. Those marked `plain` run without the compiler here,
# unless they are marked `compiled` too, and with it before a release; `test_contract.py` compares
# the rules with and without it.
PLAIN := $(shell grep -rl --include='test_*.py' 'mark\.plain' tests)
COMPILED := $(sort $(shell grep -rL --include='test_*.py' '^pytestmark = pytest\.mark\.plain' tests; \
	grep -rl --include='test_*.py' 'mark\.compiled' tests))
test: $(TESTING)
	@echo '== the tests: 4 minutes on two cores, 6 where nothing is compiled yet'
	@status=0; \
	NUMBA_DISABLE_JIT=1 $(PYTEST) -m "plain and not compiled and $(SHORT)" $(PLAIN) || status=1; \
	$(PYTEST) -m "(compiled or not plain) and $(SHORT)" $(COMPILED) || status=1; \
	exit $$status

# The tests with the lowest version of each range in setup.cfg; torch is the tested one, because PyPI
# has no small builds of older ones. The newest pyarrow needs NumPy 2.
OLDEST := .venv-oldest
oldest:
	@mkdir -p $(OLDEST)
	@sed -nE '/^install_requires/,/^$$/ s/^    ([A-Za-z0-9_-]+)>=([0-9.]+).*/\1==\2/p' setup.cfg | \
		grep -v ^torch== > $(OLDEST)/lowest.txt
	@grep ^torch== constraints.txt >> $(OLDEST)/lowest.txt
	@echo pyarrow==17.0.0 >> $(OLDEST)/lowest.txt
	$(MAKE) test VENV=$(OLDEST) CONSTRAINTS=$(OLDEST)/lowest.txt

# The full counts of what `test` runs a part of.
test-long: $(TESTING)
	@echo '== the long tests: 8 to 15 minutes on two cores after make test'
	@$(PYTEST) -m "long and not release"

# Strength of players and networks, learners that learn to strength, Ray, and what `test` runs without
# the compiler: before a release, and after a change to one of them.
test-release: $(TESTING)
	@$(PYTEST) -m "release or (plain and not long)"

# Plants faults in a copy of the last commit and looks whether the tests notice: an hour or two, and
# again that long to find out which tests are quick in plain Python. Stopped, it goes on where it was.
# For another commit or sample, remove runs/mutants: make mutants SAMPLE='--size 80 --seed 1'
mutants: $(TESTING)
	$(PIP) --editable '.[mutants]'
	$(VENV)/bin/python -m tests.mutants $(SAMPLE)

# Learns from nothing by playing itself, and is measured against two scripts that it never meets in
# training; for a first look: make demo MINUTES=1
demo: $(READY)
	@echo '== learning President by self-play, for $(MINUTES) minutes'
	@$(PARLOUR) train ppo president --minutes $(MINUTES) --out $(DEMO) --overwrite \
		--num-threads $(THREADS) --first-place-weight 0.6 --learning-rate 2e-3 \
		--evaluate-against lowest,planner --points 6 --point-deals 500 --deals 5000
	@echo 'The learning curve: $(DEMO)/curve.png'
	@echo 'Play against it: $(PARLOUR) play president --text --players $(DEMO)/checkpoint.pt'

# The documentation site, from docs/pages, the games and their READMEs, the code and recorded results.
docs: $(TESTING)
	$(PIP) --quiet --editable '.[docs]'
	@$(VENV)/bin/python -m docs.site.build

# What a recipe of training/recipes learns in the locked environment of its framework, three times:
# minutes each. One of them: make frameworks NAME=torchrl_ppo GAME=trick_taking
NAME ?= cleanrl_ppo torchrl_ppo skrl_ppo tianshou_dqn agilerl_ppo rllib_ppo sb3_ppo sb3_self_play sb3_dqn
GAME ?= president
frameworks: $(NAME:%=framework-%)
framework-cleanrl_ppo: $(TESTING)
	$(VENV)/bin/python -m docs.studies.frameworks cleanrl_ppo $(GAME)
framework-%:
	$(eval LOCKED := $(firstword $(subst _, ,$*)))
	@test -e .venv-$(LOCKED) || $(PYTHON) -m venv .venv-$(LOCKED)
	@.venv-$(LOCKED)/bin/python -m pip --disable-pip-version-check install --quiet --no-compile torch==2.13.0
	@.venv-$(LOCKED)/bin/python -m pip --disable-pip-version-check install --quiet --no-compile \
		--requirement docs/studies/locked/$(LOCKED).txt
	.venv-$(LOCKED)/bin/python -m docs.studies.frameworks $* $(GAME)

# All players that ship, in every game with every number of seats; stopped, it goes on where it was.
# More deals are added to those already played: make league DEALS=1000 SEARCH_DEALS=100
DEALS ?= 300
SEARCH_DEALS ?= 20
league: $(READY)
	mkdir -p runs
	$(PARLOUR) league --deals $(DEALS) --search-deals $(SEARCH_DEALS) --workers 2 \
		--store runs/league.db --out docs/league --readmes

# What four times the time brings a search, in Elo, step by step; stopped, it goes on where it was.
# All steps take days: make growth LIMITS='splendor --most 1600 --minutes 60'
growth: $(READY)
	$(VENV)/bin/python -m docs.studies.growth $(LIMITS)

# The tables of strength in the games' READMEs, by docs/studies/strengths.toml; a quarter of an
# hour. Stopped, it goes on where it was; a game whose code has changed is measured again.
strengths: $(READY)
	$(VENV)/bin/python -m docs.studies.strengths

# Trains from nothing until a fixed strength is reached, with three seeds, and notes the record:
# make speedrun GAME=splendor CHANGE='a smaller network' DIAL='--hidden 64,64'
speedrun: $(READY)
	$(VENV)/bin/python -m docs.studies.speedrun $(GAME) --change '$(CHANGE)' $(DIAL)
	$(VENV)/bin/python -m docs.site.tables

# The environments for language models: two frameworks exclude each other, so each gets its own.
AGENTS := integrations/language_models
agents: .venv-openenv/.installed .venv-verifiers/.installed
	cd $(AGENTS) && $(CURDIR)/.venv-openenv/bin/python -m pytest tests/test_openenv.py tests/test_page.py
	cd $(AGENTS) && $(CURDIR)/.venv-verifiers/bin/python -m pytest

.venv-openenv/.installed .venv-verifiers/.installed: .venv-%/.installed: $(AGENTS)/%.txt
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --no-compile $$(grep ^torch== $<)
	$(@D)/bin/python -m pip install --no-compile --requirement $<
	@touch $@

# The audits of other libraries, and the adapters to them.
LIBRARIES := integrations/other_libraries
libraries: $(TESTING)
	$(PIP) --editable './$(LIBRARIES)[openspiel,rlcard]'
	cd $(LIBRARIES) && $(CURDIR)/$(VENV)/bin/python -m pytest

# The league, then one long tournament of each game by its scripted players.
tournaments: league
	for game in top_trumps notty splendor trick_taking president; do \
		$(PARLOUR) tournament $$game --deals 10000 --workers 2 \
			--store runs/tournaments.db --out docs/tournaments/$$game || exit 1; \
	done
	$(PARLOUR) tournament trick_taking --scoring duplicate --deals 10000 --workers 2 \
		--store runs/tournaments.db --out docs/tournaments/trick_taking_duplicate

check: $(TESTING)
	.ci/run

$(VENV)/bin/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo 'Parlour needs Python 3.11 or later; choose one with: make PYTHON=/path/to/python' >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2> /dev/null || \
		{ echo 'This Python cannot make environments; on Debian: apt install python3-venv' >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

# Again only where what is to be installed has changed. Torch goes first, by itself: PyPI's build for
# Linux brings CUDA along, and PyTorch's own index has a small one. Where that index is not reached,
# pip takes what it finds elsewhere.
CPU_INDEX := https://download.pytorch.org/whl/cpu
$(READY): setup.cfg setup.py pyproject.toml constraints.txt | $(VENV)/bin/pip
	@echo '== torch: the build for the CPU, 0.2 GB to download'
	@$(PIP) --quiet --no-deps --timeout 5 --retries 1 --index-url $(CPU_INDEX) torch || { \
		echo '== torch: not there; from the default index, where a build with CUDA is 3 GB to download'; \
		$(PIP) torch; }
	$(PIP) --editable .
	@echo "== installed: torch $$($(VENV)/bin/python -c \
		'import torch; print(torch.__version__, "with CUDA" if torch.version.cuda else "for the CPU")'), \
	$$(du -sh $(VENV) | cut -f1) in $(VENV)"
	@touch $@

$(TESTING): $(READY)
	$(PIP) --editable '.[test]'
	@echo "== installed for the tests: $$(du -sh $(VENV) | cut -f1) in $(VENV)"
	@touch $@

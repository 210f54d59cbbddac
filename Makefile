# Everything runs from a fresh checkout with Python 3.10 or newer: `make demo` and `make test` make what they need.
PYTHON ?= python3
VENV ?= .venv
RUN = $(VENV)/bin
# compiled modules lie beside the environment, so that tests find them whatever the shell says of bytecode
PYTEST = PYTHONDONTWRITEBYTECODE= PYTHONPYCACHEPREFIX=$(abspath $(VENV))/bytecode $(RUN)/python -m pytest
PIP = $(RUN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
LANGUAGES = rigan medol fluvi
MODES = original optdl lb rb random-projective

.PHONY: demo test test-all renew lint sample clean

$(VENV)/core: setup.cfg constraints.txt
	test -x $(RUN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) -e .
	touch $@

$(VENV)/study: $(VENV)/core
	$(PIP) -e '.[parsers,report]'
	touch $@

$(VENV)/test: $(VENV)/core
	$(PIP) -e '.[test]'
	touch $@

# Permute the sample in five ways and measure all versions; then a study of it with two parsers, and its report.
demo: $(VENV)/study
	@mkdir -p demo
	@for language in $(LANGUAGES); do for mode in $(MODES); do \
	  $(RUN)/permtree permute --quiet --profile gulordava-merlo-2016 --mode $$mode \
	    treebanks/$$language-train.conllu -o demo/$$language.$$mode.conllu || exit 1; \
	done; done
	@cd demo && ../$(RUN)/permtree measure --by file --measure mean_sentence_length --measure dlm_ratio \
	  --measure arc_direction_entropy --measure nonprojective_sentences \
	  $(foreach language,$(LANGUAGES),$(foreach mode,$(MODES),$(language).$(mode).conllu))
	$(RUN)/permtree run experiments/demo.toml -o demo/study --workers 2
	$(RUN)/permtree report demo/study -o demo/report.html

# Without the tests marked long; `make test-all` runs those too.
test: $(VENV)/test
	$(PYTEST) -n 2 -m "not long"

# Every test, with every Python and set of libraries that tests/run_all.py names; a table of what ran.
test-all: $(VENV)/core
	$(RUN)/python tests/run_all.py

# After a change of what commands print: writes it into the pages that show it.
renew: $(VENV)/test
	$(PYTEST) --renew tests/docs

lint: $(VENV)/test
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .
	$(RUN)/mypy

sample:
	$(PYTHON) treebanks/generate.py

clean:
	rm -rf $(VENV) .venvs demo build *.egg-info

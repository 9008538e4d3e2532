# The menu. Everything works from a fresh clone with git, make and Python 3.11 to 3.14; nothing needs root.

.DEFAULT_GOAL := help
.PHONY: help up edge test test-long chaos fuzz clients check types rest-of-check compiled bench models-report messages \
	lock sbom clean

VENV := .venv
RUN := $(VENV)/bin/python
PYTEST = $(RUN) -m pytest --numprocesses=$(PROCESSES) --dist=loadgroup
ARGS ?=
# Most tests wait for servers: twice as many processes as two cores keep both busy.
PROCESSES ?= 4
EXAMPLES ?= 50
MESSAGES := inference/gateway/open_inference/grpc
BENCH ?= $(basename $(notdir $(wildcard tests/benchmarks/bench_*.py)))

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_INPUT := 1
export PIP_ROOT_USER_ACTION := ignore

# An environment whose interpreter has gone is made again.
ifneq ($(wildcard $(VENV)/.made),)
$(shell $(RUN) -c '' 2>/dev/null || rm -f $(VENV)/.made)
endif

# A lock is installed as it is: it names all that is needed.
INSTALL := requirements/uv $(VENV) pip install --python $(RUN) --no-deps --only-binary :all: --require-hashes

help:
	@echo "make up      start the product: http://127.0.0.1:8000 (MAAS_PORT, MAAS_HOME=./var); Ctrl-C stops it"
	@echo "make edge    serve models from a single process without database and workers (ARGS='--models ocr --port 8001')"
	@echo "make test    run the tests with their own services (ARGS='-k name' selects tests)"
	@echo "make test-long  run the slow tests: long random runs, published clients, container images, every dashboard page"
	@echo "make chaos   kill, freeze and disconnect processes, wipe the broker and promote a standby under load (ARGS='--seed 1 --jobs 10000 --kills 50 --broker rabbitmq')"
	@echo "make fuzz    send random requests by the OpenAPI document, valid and invalid (EXAMPLES=50 for each operation)"
	@echo "make clients  test published clients of other projects, each in its own environment"
	@echo "make check   ruff, mypy, import-linter, plain words, Dockerfiles, Kubernetes manifests, migrations, deployment settings"
	@echo "make bench   run the benchmarks (BENCH=bench_front selects one)"
	@echo "make models-report  measure the 8-bit built-in models again and write docs/models-reports (ARGS=embed-int8)"
	@echo "make messages  generate the gRPC message descriptor from messages.proto"
	@echo "make lock    rewrite requirements/*.txt from pyproject.toml"
	@echo "make sbom    write sbom/*.cdx.json: the packages of both images, as CycloneDX, from the locks"
	@echo "make clean   remove the environment and caches; data in MAAS_HOME stays"
	@echo
	@echo "PYTHON=/path/to/python3.13 selects the interpreter of the environment."

# exec, so that signals reach the supervisor itself.
up: $(VENV)/.runtime
	@exec $(RUN) -m maas.local.launch

edge: $(VENV)/.runtime
	@exec $(RUN) manage.py edge $(ARGS)

test: $(VENV)/.dev
	@exec $(PYTEST) -m "not long" $(ARGS)

test-long: $(VENV)/.dev
	@MAAS_TEST_MAKE_CLIENTS=1 exec $(PYTEST) -m long $(ARGS)

chaos: $(VENV)/.dev
	@exec $(RUN) -m tests.chaos $(or $(ARGS),--promotes 1)

fuzz: $(VENV)/.dev
	@MAAS_TEST_FUZZ_EXAMPLES=$(EXAMPLES) exec $(RUN) -m pytest -rs --numprocesses=0 tests/clients/test_fuzz.py $(ARGS)

clients: $(VENV)/.dev
	@MAAS_TEST_MAKE_CLIENTS=1 exec $(RUN) -m pytest -rs --numprocesses=0 tests/clients/test_strangers.py $(ARGS)

# In two parts, of which mypy is one: `make -j2 check` takes as long as mypy.
check: types rest-of-check

types: $(VENV)/.dev
	@$(RUN) -m mypy .

rest-of-check: $(VENV)/.dev
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/ruff format --check --quiet .
	@$(VENV)/bin/lint-imports
	@$(RUN) -m tests.words
	@$(RUN) -m tests.deploy.kubernetes
	@$(VENV)/bin/hadolint --ignore DL3059 deploy/docker/Dockerfile deploy/docker/Dockerfile.gpu
	@MAAS_HOME=/nonexistent $(RUN) -W ignore::RuntimeWarning manage.py makemigrations --check --dry-run
	@MAAS_HOME=/nonexistent MAAS_SECURE=1 MAAS_KEY_PEPPER=$$($(RANDOM)) MAAS_SECRET_KEY=$$($(RANDOM)) \
		$(RUN) manage.py check --deploy --fail-level WARNING

# Done once here, where each of the processes of `make test` would compile all tests for itself.
compiled: $(VENV)/.dev
	@$(RUN) -m pytest --without-services --collect-only --numprocesses=0 -qq >/dev/null

RANDOM := $(RUN) -c 'import secrets; print(secrets.token_urlsafe(64))'

bench: $(VENV)/.dev
	@set -e; for one in $(BENCH); do echo "== $$one"; $(RUN) -m tests.benchmarks.$$one; done

models-report: $(VENV)/.dev
	@$(RUN) -m tests.benchmarks.models_report $(ARGS)

messages: $(VENV)/.dev
	@$(RUN) -m grpc_tools.protoc -I$(MESSAGES) --descriptor_set_out=$(MESSAGES)/messages.binpb messages.proto

lock: $(VENV)/.made
	@requirements/lock requirements/uv $(VENV)

# An image has the same in /opt/maas/sbom.cdx.json.
sbom:
	@mkdir -p sbom
	@requirements/sbom requirements/runtime.txt maas \
		$$(sed -n 's/^ARG CPU_BASE=//p' deploy/docker/Dockerfile) > sbom/maas.cdx.json
	@requirements/sbom requirements/gpu.txt maas-gpu \
		$$(sed -n 's/^ARG GPU_BASE=//p' deploy/docker/Dockerfile.gpu) > sbom/maas-gpu.cdx.json
	@ls sbom/*.cdx.json

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .import_linter_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.runtime: requirements/runtime.txt $(VENV)/.made
	@$(INSTALL) -r requirements/runtime.txt
	@touch $@

$(VENV)/.dev: requirements/dev.txt $(VENV)/.made
	@$(INSTALL) -r requirements/dev.txt
	@touch $@ $(VENV)/.runtime

$(VENV)/.made: requirements/uv.txt
	@requirements/make-environment $(VENV) $(PYTHON)
	@touch $@

# SPDX-License-Identifier: Apache-2.0
# make study: set up, build board rpi2, boot it three times, report.
# make test:  set up, check, and run every test but those of the two targets below; then what each
#             stage cost.
# make binaries: the probe for the architectures that no virtual board runs.
# make kernels: the kernels that no other test boots, for what factors do to one.

PACKAGES := bc bison build-essential ca-certificates ccache clang-format \
	device-tree-compiler erofs-utils fakeroot flex gcc-aarch64-linux-gnu \
	gcc-arm-linux-gnueabihf gcc-i686-linux-gnu genromfs libc6-dev-arm64-cross \
	libc6-dev-armhf-cross libc6-dev-i386-cross lz4 lzop mtd-utils python3-venv \
	qemu-system-arm qemu-system-x86 squashfs-tools u-boot-tools util-linux xz-utils
# No server that starts with its package: $(SERVERS) names those, where that harms nobody.
TEST_PACKAGES := busybox-static bzip2 chromium dillo dropbear-bin f2fs-tools fish fonts-dejavu-core iproute2 \
	libnss3-tools matchbox-window-manager \
	openssh-client qemu-user-static sigrok-cli tcsh trace-cmd xvfb zstd
SERVERS ?=
PYTHON ?= python3
VENV := .venv
# A file stays with one worker, so that what it compiles is compiled once.
parallel = $(VENV)/bin/pytest --numprocesses auto --dist loadfile
# The tests start Python many hundred times: what it compiles is kept, whatever the user's habit.
export PYTHONDONTWRITEBYTECODE :=
# Tests build few kernels, each once: ccache would find nothing, write 2.6 MB of preprocessed source a
# file, and take a seventh of the compiler's time more.
system kernels: export CCACHE_DISABLE := 1
SUDO := $(if $(filter 0,$(shell id -u)),,sudo)

.PHONY: study test unit native system binaries kernels check clean

study: $(VENV)/.run
	@# A verdict is a result, no error: 1 is a failed one, 5 an inconclusive one.
	$(VENV)/bin/perfboard study boot --board rpi2 || { code=$$?; \
		[ $$code -eq 1 ] || [ $$code -eq 5 ] || exit $$code; }
	@echo
	@echo "Next, in this shell:"
	@echo "    . $(VENV)/bin/activate"
	@echo "    perfboard report latest      # the page of this boot"
	@echo "    perfboard measure --time 10  # this machine"

test:
	$(PYTHON) tests/stages.py

unit: $(VENV)/.dev
	$(parallel) tests/unit

native: $(VENV)/.dev
	$(parallel) tests/native

# An emulator keeps one processor busy; but tests of what hangs only wait, so there is one worker
# more than processors. The files come in the order of tests/system/conftest.py.
system: $(VENV)/.dev
	$(VENV)/bin/pytest --numprocesses $$(($$(nproc) + 1)) --dist loadfile \
		--no-loadscope-reorder --durations=40 -rs -m "not binaries and not kernels" tests/system

# Each compiles for another architecture: they are shared out one by one.
binaries: $(VENV)/.dev
	$(VENV)/bin/pytest --numprocesses auto --durations=40 -rs -m binaries tests/system

kernels: $(VENV)/.dev
	$(VENV)/bin/pytest --durations=40 -rs -m kernels tests/system

check: $(VENV)/.dev
	$(VENV)/bin/ruff check hatch_build.py src tests benchmarks
	$(VENV)/bin/ruff format --check hatch_build.py src tests benchmarks
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports --no-cache
	$(VENV)/bin/python -m tests.english
	clang-format --dry-run --Werror $$(git ls-files 'native/*.c' 'native/*.h' 'tests/*.c' 'src/*.c')

# What the distribution brings: asked for only where something is missing.
# A package that another only names is known too, with another status.
install = ! dpkg-query --show --showformat='$${db:Status-Status}\n' $(1) 2>&1 | \
	grep -qvx installed || { \
	$(SUDO) apt-get update -q && \
	$(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -y -q \
		--no-install-recommends $(1); }

$(VENV)/.packages: Makefile
	@$(call install,$(PACKAGES))
	@mkdir -p $(VENV)
	@touch $@

$(VENV)/.test-packages: $(VENV)/.packages
	@$(call install,$(TEST_PACKAGES) $(SERVERS))
	@touch $@

$(VENV)/bin/pip: $(VENV)/.packages
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.run: $(VENV)/bin/pip pyproject.toml
	$(VENV)/bin/pip install --quiet --editable '.[probe]'
	@touch $@

$(VENV)/.dev: $(VENV)/bin/pip $(VENV)/.test-packages pyproject.toml
	$(VENV)/bin/pip install --quiet --editable '.[dev]'
	@touch $@ $(VENV)/.run

clean:
	rm -rf $(VENV) build dist

# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# For people: `make help` lists the targets. Kbuild reads the file Kbuild.

.DEFAULT_GOAL := modules
MAKEFLAGS += --no-print-directory
SHELL := /bin/bash

TOP := $(CURDIR)
JOBS ?= $(shell nproc)

# ---- which kernel -----------------------------------------------------------

KDIR ?= $(shell scripts/build-kdir)
KVER  = $(shell scripts/build-kdir --release '$(KDIR)')
BUILD = $(TOP)/build/$(KVER)

# The kernel of the virtual machines, and the second one of `make check`, which is
# fetched once into the cache.
KDIR_FIRST = $(shell scripts/kernel 6.1 headers)
KDIR_SECOND = $(shell scripts/kernel 6.12 headers)

CXX_HOST ?= g++ clang++
# Names or patterns for scripts/vm; empty: those of make check.
SCENARIOS ?=
DEBUG_CORE ?=
V ?= 0

kbuild = $(MAKE) -C $(KDIR) M=$(BUILD) V=$(V) DEBUG_CORE=$(DEBUG_CORE) \
	 $(if $(DEBUG_CORE),PAHOLE=$(TOP)/scripts/build-pahole)

.PHONY: modules
modules: build-ready
	+@flock $(BUILD)/.lock $(kbuild) -j$(JOBS) modules

.PHONY: build-ready
build-ready:
	@scripts/build-kdir --check '$(KDIR)'
	@scripts/build-farm $(TOP) $(BUILD)

# ---- checks -----------------------------------------------------------------

.PHONY: crc-check
crc-check: modules
	@scripts/crc-check $(KDIR)/Module.symvers $(BUILD)/Module.symvers

.PHONY: object-gate
object-gate: modules
	@scripts/object-gate --self-test
	@scripts/object-gate $(BUILD)/drivers/cep/core/unity.o
	@echo "object-gate: 1 passed, 0 failed"

.PHONY: sparse
sparse: build-ready
	+@flock $(BUILD)/.lock scripts/build-sparse $(BUILD) $(kbuild)

.PHONY: host-test
host-test: $(addprefix host-test-,$(CXX_HOST))

.PHONY: $(addprefix host-test-,$(CXX_HOST))
$(addprefix host-test-,$(CXX_HOST)): host-test-%:
	@scripts/build-host $* $(JOBS)

.PHONY: tool-test
tool-test:
	@scripts/build-host --tools $(firstword $(CXX_HOST)) $(JOBS)

.PHONY: vm-test
vm-test:
	+@$(MAKE) KDIR=$(KDIR_FIRST) modules
	@scripts/vm run $(SCENARIOS)

# Not part of check: the debug kernel takes some 20 minutes to build, once.
KUNIT_KERNEL ?= debug
.PHONY: kunit
kunit:
	@scripts/kunit --kernel $(KUNIT_KERNEL)

.PHONY: demo
demo:
	@scripts/demo

.PHONY: check
check:
	+@scripts/build-check

.PHONY: setup
setup:
	@scripts/setup

# ---- style ------------------------------------------------------------------

cxx-files = $(shell git ls-files '*.cc' '*.hh')

.PHONY: format format-check
format:
	@clang-format -i $(cxx-files)
format-check:
	@clang-format --dry-run -Werror $(cxx-files)

.PHONY: checkpatch
checkpatch:
	@scripts/build-checkpatch

# ---- installing -------------------------------------------------------------

.PHONY: install
install: modules
	@scripts/build-install install $(KVER) $(BUILD)

.PHONY: uninstall
uninstall:
	@scripts/build-install uninstall $(KVER)

.PHONY: clean
clean:
	@rm -rf build

.PHONY: help
help:
	@echo 'modules      ib_cep.ko and ib_cm.ko in build/<kernel>/ (the default)'
	@echo 'demo         two virtual hosts connect over Soft-RoCE; under 3 minutes'
	@echo 'check        everything below, and one line: N passed, N failed'
	@echo '  host-test      the engine, with g++ and clang++, ASan and UBSan'
	@echo '  sparse         C=2 with endianness over all C'
	@echo '  object-gate    what the C++ object may need and contain'
	@echo '  crc-check      symbols of ib_cm.ko against those of the kernel'"'"'s'
	@echo '  tool-test      the programs that the virtual machines use'
	@echo '  vm-test        scenarios in virtual machines (SCENARIOS=name ...)'
	@echo 'kunit        KUnit suites on a kernel with KASAN and lockdep (KUNIT_KERNEL=kcsan)'
	@echo 'setup        install the packages that all this needs (root)'
	@echo 'install      both modules into /lib/modules/<kernel>/updates (root)'
	@echo 'uninstall    bring the distribution'"'"'s ib_cm back (root)'
	@echo 'format, checkpatch, clean'
	@echo 'Variables: KDIR (headers), CC, SCENARIOS, DEBUG_CORE=1, V=1, JOBS'

# SPDX-License-Identifier: BSD-3-Clause
# Thin: each target names the command that does the work.
SHELL := /bin/sh
# One firmware for every virt; the others are for experiments and for tests, raspi4 for a board.
EL3 := qemu_virt qemu_virt-hold qemu_virt-thief qemu_virt-secure-counts qemu_virt-bare qemu_virt-hardened qemu_virt-hostile qemu_virt-delays qemu_virt-debug sbsa_ref sbsa_ref-delays raspi4
LATLAB := .venv/bin/latlab
PYTHON := .venv/bin/python
REPORT := build/report/psci.html

.PHONY: demo test gate bench bench-peers differ prove proofs mutants lint docs man predictions release reproduce firmware setup setup-dev constraints clean
.DEFAULT_GOAL := help
# With it each process compiles the whole package again, and each worker every test.
unexport PYTHONDONTWRITEBYTECODE

help:
	@echo "make demo     set up, build the firmware for QEMU, run the psci campaign on six cores, write the report"
	@echo "make programs what other commands run, with its compilers: other firmware, the SPM, the probe, virtual time"
	@echo "make test     set up, then every test that CI runs; PRODUCT=rt takes those of one product, SHUFFLE=7 a random order"
	@echo "make test-times  what the last make test cost, by kind, file, test and fixture"
	@echo "make clang    the firmware for QEMU's virt and the SPM by Clang and lld, beside GCC's"
	@echo "make prove    the slow proofs, part after part, each at most an hour; PART=... names some"
	@echo "make proofs   the newest result of each part: commit, date, machine, counts"
	@echo "make mutants  faults planted line by line, against the tests that should notice: a sample; GROUPS=... names groups, which are tried whole"
	@echo "make gate     our own firmware's calls against the pinned counts of the compiler, in instructions"
	@echo "make bench    figures beside the peers'"
	@echo "make bench-peers  TF-A of Debian's source built, and measured by the probe beside ours"
	@echo "make differ   one generated client on our firmware and on TF-A: every difference has a reason"
	@echo "make lint     ruff and mypy over everything, the direction of imports and includes, the rules of the house"
	@echo "make docs     build the documentation with its generated pages, warnings are errors"
	@echo "make man      the manual pages, made from the help, in build/man"
	@echo "make constraints  the newest version of each Python package, into constraints.txt, which make setup takes"
	@echo "make release  wheels, Debian packages, source archive, manual pages, bills of materials, container file, checksums, in dist"
	@echo "make reproduce  that release built twice from two checkouts, compared byte by byte"

setup:
	@scripts/setup.sh

setup-dev:
	@scripts/setup.sh dev

# The versions that `make setup` takes, for each Python from 3.11 on.
constraints: setup
	.venv/bin/pip install --quiet 'uv>=0.5,<1'
	.venv/bin/uv pip compile --quiet --upgrade --universal --python-version 3.11 --extra dev --no-annotate --no-header pyproject.toml -o build/constraints.txt
	(echo '# SPDX-License-Identifier: BSD-3-Clause'; cat build/constraints.txt) > constraints.txt

.PRECIOUS: build/%/build.ninja
build/%/build.ninja: CMakePresets.json
	@scripts/setup.sh --tools firmware
	cmake --preset $*

.PHONY: $(EL3) clang_qemu_virt
$(EL3) clang_qemu_virt: %: build/%/build.ninja
	cmake --build --preset $@

.PHONY: spm
spm:
	@scripts/setup.sh --tools spm
	cmake -S firmware/spm -B build/spm -G Ninja -DCMAKE_TOOLCHAIN_FILE=$(CURDIR)/cmake/arm-none-eabi.cmake
	cmake --build build/spm
	cmake -S firmware/spm -B build/spm-mps3_an547 -G Ninja -DCMAKE_TOOLCHAIN_FILE=$(CURDIR)/cmake/arm-none-eabi.cmake -DLATLAB_SPM_PLATFORM=mps3_an547
	cmake --build build/spm-mps3_an547

# Needs clang, lld and llvm-objcopy, which nothing else here does.
.PHONY: clang
clang: clang_qemu_virt
	cmake -S firmware/spm -B build/clang_spm -G Ninja -DCMAKE_TOOLCHAIN_FILE=$(CURDIR)/cmake/arm-clang.cmake
	cmake --build build/clang_spm

SBI_IF_POSSIBLE = if command -v riscv64-linux-gnu-gcc >/dev/null; then $(MAKE) sbi; fi
.PHONY: sbi
sbi:
	@scripts/setup.sh --tools sbi
	cmake -S probe/programs -B build/sbi -G Ninja -DCMAKE_TOOLCHAIN_FILE=$(CURDIR)/cmake/riscv64-linux-gnu.cmake
	cmake --build build/sbi

.PHONY: probe
probe:
	@scripts/setup.sh --tools host
	cmake -S probe -B build/probe -G Ninja
	cmake --build build/probe

# The recorder itself is compiled when it first measures.
.PHONY: recorder
recorder:
	@scripts/setup.sh --tools recorder

# What compiles the programs of an arm64 guest or board, without anything of latlab's.
.PHONY: guest_tools
guest_tools:
	@scripts/setup.sh --tools guest

.PHONY: virtual
virtual:
	@scripts/setup.sh --tools host
	cmake --preset virtual
	cmake --build --preset virtual

firmware: $(EL3) virtual spm probe

# What the other commands of the documentation run.
.PHONY: programs
programs:
	@scripts/setup.sh programs
	$(MAKE) qemu_virt raspi4 sbsa_ref virtual probe spm sbi

# What measures firmware of somebody else, without any of ours.
.PHONY: subjects
subjects:
	@scripts/setup.sh host spm
	$(MAKE) probe qemu_virt
	$(SBI_IF_POSSIBLE)
	cmake -S firmware/spm -B build/spm -G Ninja -DCMAKE_TOOLCHAIN_FILE=$(CURDIR)/cmake/arm-none-eabi.cmake
	cmake --build build/spm --target psa_calls psa_attacks

demo:
	@echo 'Step 1 of 3: the packages of Debian and of Python. On a new machine this takes most of the time.'
	@scripts/setup.sh
	@echo 'Step 2 of 3: the firmware.'
	@$(MAKE) --no-print-directory qemu_virt
	@echo 'Step 3 of 3: the measurement of six cores, and its report.'
	@scripts/demo.sh $(REPORT)

test: setup-dev
	$(MAKE) firmware
	$(SBI_IF_POSSIBLE)
	cmake --preset host
	cmake --build --preset host
	TMPDIR=$$(scripts/test_folder.sh) $(PYTHON) scripts/run_tests.py $(if $(PRODUCT),--product=$(PRODUCT)) $(if $(SHUFFLE),--shuffle=$(SHUFFLE))

.PHONY: test-times
test-times:
	$(PYTHON) scripts/test_costs.py

prove: setup-dev
	$(PYTHON) scripts/proofs.py $(PART)

proofs: setup
	$(PYTHON) scripts/proofs.py --table

mutants: setup-dev
	.venv/bin/pip install --quiet 'universalmutator>=1.14,<1.15'
	$(PYTHON) $(if $(GROUPS),tests/mutants/run.py $(GROUPS),scripts/proofs.py mutants_analysis mutants_host firmware_mutants)

gate: setup
	@scripts/setup.sh host
	$(MAKE) qemu_virt probe
	$(PYTHON) bench/own_gate.py

bench: setup-dev
	$(MAKE) qemu_virt
	$(PYTHON) bench/psci_insns.py
	$(MAKE) spm
	$(PYTHON) bench/psa_insns.py
	$(MAKE) virtual
	$(PYTHON) bench/virtual_speed.py
	$(PYTHON) bench/host_speed.py
	$(PYTHON) bench/command_speed.py
	$(PYTHON) bench/recorder_distribution.py
	$(PYTHON) bench/recorder_causes.py
	$(MAKE) qemu_virt probe
	PYTHONPATH=tests $(PYTHON) bench/probe_cost.py
	PYTHONPATH=tests $(PYTHON) bench/site_speed.py
	PYTHONPATH=tests $(PYTHON) bench/verdict_peers.py
	PYTHONPATH=tests $(PYTHON) bench/fleet_speed.py

# Fetches and builds somebody else's firmware: it needs the network, libssl-dev and device-tree-compiler.
differ: setup-dev
	$(MAKE) qemu_virt probe
	PYTHONPATH=bench $(PYTHON) bench/differ.py

bench-peers: setup-dev
	$(MAKE) qemu_virt probe
	$(PYTHON) bench/side_by_side.py

lint: setup-dev
	$(MAKE) --no-print-directory lint-now

# Without set-up, which `make test` has behind it.
.PHONY: lint-now
lint-now:
	.venv/bin/ruff check
	.venv/bin/ruff format --check --diff
	.venv/bin/mypy
	.venv/bin/lint-imports --no-cache
	$(PYTHON) scripts/house_rules.py
	$(PYTHON) scripts/include_floors.py
	$(PYTHON) scripts/prose.py

docs: predictions
	$(PYTHON) scripts/commands.py
	.venv/bin/sphinx-build -W -q -b html docs build/docs

man: setup
	$(PYTHON) scripts/man.py

predictions: setup-dev
	$(MAKE) virtual
	$(PYTHON) scripts/predictions.py

# What runs beside latlab on a host of another kind, for that host's wheel.
AARCH64_HOST := -DCMAKE_TOOLCHAIN_FILE=$(CURDIR)/cmake/aarch64-linux.cmake
.PHONY: host-aarch64
host-aarch64:
	cmake -S probe -B build/aarch64/probe -G Ninja $(AARCH64_HOST)
	cmake --build build/aarch64/probe
	cmake --preset virtual -B build/aarch64/virtual $(AARCH64_HOST) -DLATLAB_PLANTED_FAULTS=OFF
	cmake --build build/aarch64/virtual --target latlab_virtual latlab_explore

.PHONY: release-tools
release-tools:
	@scripts/setup.sh --tools release

# Who installs it needs no compiler: what `run calls --abi sbi` needs goes in as well.
release: setup-dev release-tools
	.venv/bin/pip install --quiet 'twine>=6,<7'
	$(MAKE) firmware sbi host-aarch64
	$(PYTHON) scripts/release.py
	.venv/bin/twine check --strict dist/*.whl dist/latlab-*[0-9].tar.gz
	lintian --fail-on error,warning dist/*.deb

reproduce: setup-dev
	$(PYTHON) scripts/proofs.py release -- -s

clean:
	rm -rf build dist

# lema: build and test. `make` gives build/lema and build/lema-pin; `make check` tests them.
#
#   CC=gcc|clang    compiler. One BUILD per compiler: the vendored libraries are built with it.
#   BUILD=DIR       where everything that is made goes (default build)
#   PINS=DIR        distribution.manifest, host.manifest and toolchain.profile to compile in;
#                   default: pins of the stand-in toolchain and of this host, made by lema-pin
#   VENDOR_DIR=DIR  take the archives of vendor/*.lock from DIR and touch no network
#   SYSROOT=DIR     vendored libraries already built by another BUILD (default $(BUILD)/sysroot)
#   VARIANT=        release, or san-gcc or san-clang: this host's libc with sanitizers, for tests
#   LAYERS=         layers in the test library; "base host" shows that they need no other

BUILD    = build
SYSROOT  = $(BUILD)/sysroot
PINS     = $(BUILD)/pins
VARIANT  = release
LAYERS   = base host evidence call front
ifneq ($(VARIANT),release)
override CC := $(VARIANT:san-%=%)
else ifeq ($(origin CC),default)
CC       = gcc
endif
export CC BUILD SYSROOT PINS VENDOR_DIR DEBIAN_MIRROR

# --- Sources, by layer; includes point only from a later layer to an earlier one --------------
base     = base/err base/str base/json_gate base/json base/json_write base/sha256 base/clock \
           base/sys base/filter
host     = host/dist host/file host/hash_pool host/kernel host/machine host/manifest host/mounts \
           host/pins_host host/pins_parse host/pins_profile host/tree host/walk host/worker
evidence = evidence/boot evidence/config evidence/latch evidence/ledger evidence/ledger_calls \
           evidence/ledger_line evidence/ledger_read evidence/ledger_write evidence/lock \
           evidence/put evidence/record evidence/record_read evidence/stray evidence/terms
call     = call/attend call/call call/capture call/checks call/confine call/delegated call/finish \
           call/init call/inner call/launch call/launch_child call/preflight call/recover \
           call/runtime call/sandbox call/sandbox_bwrap call/sandbox_direct call/scope \
           call/scope_search call/scope_systemd call/start call/view call/wire call/work
front    = front/cmd_check_runtime front/cmd_doctor front/cmd_http_build front/cmd_info \
           front/cmd_init front/cmd_ledger front/cmd_pins front/cmd_recover front/command \
           front/doctor_probe front/named front/options front/out front/step
main     = front/main
pin      = pin/elf pin/lema_pin pin/pin_archive pin/pin_distribution pin/pin_host pin/pin_root

# --- Flags -------------------------------------------------------------------------------------
# _GNU_SOURCE here and nowhere else: musl and glibc both hide O_PATH, clone flags, memfd and
# statx without it, and a file that forgot it would still compile against one of them.
WARN     = -Wall -Wextra -Werror -Wconversion -Wshadow -Wmissing-prototypes -Wstrict-prototypes \
           -Wvla -Wcast-qual -Wformat=2 -Wundef -Wwrite-strings -Wimplicit-fallthrough
# The last line of HARDEN takes three licences from the optimizer: an aliasing, overflow or NULL
# slip in this source then does what it says. _FORTIFY_SOURCE is missing because it lives in
# glibc's headers; musl has none. -fcf-protection marks indirect targets only: no kernel enforces
# IBT for programs yet, and musl's assembler files keep the linked program from asking for it.
HARDEN   = -fPIE -fvisibility=hidden -fstack-protector-strong -fstack-clash-protection \
           -fcf-protection=full -ftrivial-auto-var-init=zero \
           -fno-strict-aliasing -fno-strict-overflow -fno-delete-null-pointer-checks
# Nothing of path, host or date; no tables for an unwinder, since none is linked.
REPRO    = -ffile-prefix-map=$(CURDIR)=. -fno-ident -fno-asynchronous-unwind-tables \
           -fno-unwind-tables -ffunction-sections -fdata-sections
ifneq (,$(shell $(CC) --version | grep -E 'clang version 1[0-5]\.')) # later ones need no such plea
HARDEN  += -enable-trivial-auto-var-init-zero-knowing-it-will-be-removed-from-clang
endif
S       := $(abspath $(SYSROOT))
RELEASE := -O2 $(HARDEN) $(REPRO) -nostdinc -isystem $(S)/include \
           -isystem $(shell $(CC) -print-file-name=include)
OUT      = $(BUILD)/obj
CFLAGS   = $(RELEASE)
ifneq ($(VARIANT),release)
OUT      = $(BUILD)/$(VARIANT)
FUZZ_san-clang = -fsanitize=fuzzer-no-link
CFLAGS   = -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined \
           -fno-sanitize-recover=all $(FUZZ_$(VARIANT))
endif
C17      = $(CC) -std=c17 -D_GNU_SOURCE $(WARN) -iquote src -iquote $(BUILD)/gen -isystem $(S)/dep/include
COMPILE  = $(C17) $(CFLAGS)

# `musl-gcc -static-pie` writes a program that asks for a loader and does not run; so the start
# files stand here by name. Without C++ and unwinding, gcc's crtbegin and crtend have no work.
LDFLAGS  = -static-pie -nostdlib -nostartfiles -s -Wl,--no-dynamic-linker,-z,text,-z,relro \
           -Wl,-z,now,-z,noexecstack,-z,separate-code,--build-id=none,--gc-sections \
           -Wl,--fatal-warnings $(S)/lib/rcrt1.o $(S)/lib/crti.o
LDLIBS  := $(S)/dep/lib/libbearssl.a $(S)/lib/libc.a \
           $(shell $(CC) -print-libgcc-file-name) $(S)/lib/crtn.o

PINS_OBJ = $(OUT)/host/pins.o $(OUT)/host/pins_data.o
LEMA_OBJ = $(patsubst %,$(OUT)/%.o,$(base) $(host) $(evidence) $(call) $(front) $(main)) $(PINS_OBJ)
PIN_OBJ  = $(patsubst %,$(OUT)/%.o,$(base) $(host) $(pin))
# What the test programs link: the layers asked for, as far as their files exist.
LIB_SRC  = $(wildcard $(foreach layer,$(LAYERS),$($(layer):%=src/%.c)))
LIB_OBJ  = $(LIB_SRC:src/%.c=$(OUT)/%.o) $(if $(filter call,$(LAYERS)),$(PINS_OBJ))
GEN      = $(BUILD)/gen/filter_bpf.h
PIN_FILES = $(PINS)/distribution.manifest $(PINS)/host.manifest $(PINS)/toolchain.profile

# --- Programs ----------------------------------------------------------------------------------
.PHONY: all unit fuzzers vm-tests check demo bench repro size audit lint fuzz soak clean distclean \
        install-deps pins FORCE
.DELETE_ON_ERROR:

all: $(BUILD)/lema $(BUILD)/lema-pin

$(SYSROOT)/stamp: $(wildcard vendor/*.lock) vendor/fetch vendor/build
	vendor/build $(SYSROOT)

# Objects depend on the flags they were compiled with, and on which pins.
$(OUT)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(COMPILE) $(PINS)' | cmp -s - $@ || echo '$(COMPILE) $(PINS)' >$@

$(OUT)/%.o: src/%.c $(OUT)/flags $(SYSROOT)/stamp
	@mkdir -p $(@D)
	$(COMPILE) -MMD -MP -c -o $@ $<

$(OUT)/base/filter.o: $(GEN)

# The pins are searched for by the assembler, so that no path of theirs gets into the object.
$(OUT)/host/pins_data.o: src/host/pins_data.S $(PIN_FILES) $(OUT)/flags
	@mkdir -p $(@D)
	$(CC) -fno-ident -Wa,-I$(PINS) -c -o $@ $<

# The filter program is made from its rows once, at build time, by libseccomp; lema holds only
# the finished array, and libseccomp is not linked into it.
$(BUILD)/gen/filter_gen: src/base/filter_gen.c src/base/filter_rows.h $(SYSROOT)/stamp
	@mkdir -p $(@D)
	$(C17) $(RELEASE) $(LDFLAGS) -o $@ $< $(S)/dep/lib/libseccomp.a $(LDLIBS)
$(GEN): $(BUILD)/gen/filter_gen
	$< >$@

$(OUT)/liblema.a: $(LIB_OBJ)
	rm -f $@
	ar rcsD $@ $(LIB_OBJ)

ifeq ($(VARIANT),release)
$(BUILD)/lema: $(LEMA_OBJ)
	$(CC) $(LDFLAGS) -Wl,-Map=$@.map -o $@ $(LEMA_OBJ) $(LDLIBS)
$(BUILD)/lema-pin: $(PIN_OBJ)
	$(CC) $(LDFLAGS) -Wl,-Map=$@.map -o $@ $(PIN_OBJ) $(LDLIBS)

# --- Default pins: the stand-in toolchain in tests/standin and the files of this host ----------
STANDIN  = lean-standin-linux_x86_64
pins: $(PIN_FILES)

$(BUILD)/standin/stamp: $(shell find tests/standin -type f 2>/dev/null) $(SYSROOT)/stamp
	CFLAGS='$(RELEASE)' LDFLAGS='$(LDFLAGS)' LIBS='$(LDLIBS)' \
	    tests/standin/build $(BUILD)/standin/$(STANDIN)
	touch $@

$(BUILD)/pins/distribution.manifest: $(BUILD)/lema-pin $(BUILD)/standin/stamp
	@mkdir -p $(@D)
	$(BUILD)/lema-pin distribution $(BUILD)/standin/$(STANDIN) $(STANDIN) >$@
$(BUILD)/pins/host.manifest: $(BUILD)/lema-pin
	@mkdir -p $(@D)
	$(BUILD)/lema-pin host >$@
$(BUILD)/pins/toolchain.profile: tests/standin/toolchain.profile
	@mkdir -p $(@D)
	cp $< $@
endif

# --- Test programs: tests/unit/test_NAME.c, tests/fuzz/NAME.c, tests/vmtests/NAME.c -------------
UNIT     = $(patsubst tests/unit/%.c,$(OUT)/unit/%,$(wildcard tests/unit/test_*.c))
FUZZERS  = $(patsubst tests/fuzz/%.c,$(OUT)/fuzz/%,$(wildcard tests/fuzz/*.c))
VM_TESTS = $(patsubst tests/vmtests/%.c,$(BUILD)/tests/vm_%,$(wildcard tests/vmtests/*.c))
TOOLS    = $(patsubst tests/tools/%.c,$(BUILD)/tests/%,$(wildcard tests/tools/*.c))

unit: $(UNIT)
fuzzers: $(FUZZERS)
vm-tests: $(TOOLS) $(VM_TESTS)
TEST     = @mkdir -p $(@D); set -x; $(COMPILE) -iquote tests -MMD -MP

$(OUT)/unit/%: tests/unit/%.c $(OUT)/liblema.a
	$(TEST) -o $@ $< $(OUT)/liblema.a $(S)/dep/lib/libbearssl.a
$(OUT)/fuzz/%: tests/fuzz/%.c $(OUT)/liblema.a
	$(TEST) -fsanitize=fuzzer -o $@ $< $(OUT)/liblema.a $(S)/dep/lib/libbearssl.a
$(BUILD)/tests/vm_%: tests/vmtests/%.c $(OUT)/liblema.a
	$(TEST) $(LDFLAGS) $(VM_LINK) -o $@ $< $(OUT)/liblema.a $(LDLIBS)
$(BUILD)/tests/attack: $(wildcard tests/gauntlet/*.[ch]) $(SYSROOT)/stamp
	$(TEST) $(LDFLAGS) -o $@ $(filter %.c,$^) $(LDLIBS)
$(BUILD)/tests/vm_faults: VM_LINK = -Wl,--wrap=kind_wall_ms,--wrap=scope_limits,--wrap=preflight_try
$(BUILD)/tests/%: tests/tools/%.c $(OUT)/liblema.a
	$(TEST) $(LDFLAGS) -o $@ $< $(OUT)/liblema.a $(LDLIBS)

# --- Jobs, each a script of its own -------------------------------------------------------------
check demo: # these build what they run
	tests/$@
bench repro audit lint size: all
	tests/$@
fuzz: all
	tests/$@/run
soak: # hours, a guest for each: 1,000 calls, 200 kills, 2,000 at random, each system call failing
	(printf 'many %s-long\n' calls kills soak; printf 'inject all-%s\n' $$(seq 8)) | \
	    xargs -L1 tests/vm_suite

install-deps: # node is a second reader of the JSON; one that is there already is good enough
	apt-get install -y --no-install-recommends gcc libc6-dev linux-libc-dev make clang \
	    clang-format clang-tidy libclang-rt-14-dev cppcheck binutils git xz-utils strace mandoc \
	    bubblewrap qemu-system-x86 qemu-utils mmdebstrap busybox-static e2fsprogs cpio python3 \
	    $(shell command -v node >/dev/null || echo nodejs)

clean: # the vendored libraries and their archives stay
	find $(BUILD) -mindepth 1 -maxdepth 1 ! -name sysroot ! -name vendor -exec rm -rf {} +
distclean:
	rm -rf $(BUILD)

-include $(shell find $(OUT) $(BUILD)/tests -name '*.d' 2>/dev/null)

# The short front of Meson. `make run` and `make test` install what is missing and need nothing else.
.PHONY: build run test bench bench-search sanitizers asan asan-stories tsan fuzz components lint fmt clean install deb image

BUILD = build

run:
	@scripts/install-deps
	@$(MAKE) --no-print-directory build
	@scripts/demo

build: $(BUILD)/build.ninja
	@ninja -C $(BUILD) $(if $(V),-v,--quiet)

# Two hundred programs of tests are linked; what is shipped is linked as the machine does it.
FAST_LINKER = $(if $(shell command -v mold),CC_LD=mold CXX_LD=mold)

$(BUILD)/build.ninja:
	@$(FAST_LINKER) meson setup $(BUILD) >/dev/null

# make test          everything, ends with "N passed, N failed"
# make test T=split  the unit tests and stories whose name contains it
test:
	@scripts/install-deps test
	@scripts/test $(if $(T),"$(T)")

# What is undefined ends a program, as a wrong address does.
export UBSAN_OPTIONS = halt_on_error=1:print_stacktrace=1:suppressions=$(CURDIR)/tests/fixtures/ubsan.supp

# All builds of what is below.
sanitizers: build build-asan/build.ninja build-tsan/build.ninja
	@ninja -C build-asan $(if $(V),-v,--quiet)
	@ninja -C build-tsan $(if $(V),-v,--quiet) $(THREADED) $(STARTED)

# One build serves the unit tests under the sanitizers and the fuzz targets.
asan: build-asan/build.ninja
	@ninja -C build-asan $(if $(V),-v,--quiet)
	@scripts/test-unit build-asan

# Those of the stories that bring the service most foreign bytes, on the same build.
ASAN_STORIES = connections uploads limits attached messages stream sources fetch pages settings \
	mcp chat

asan-stories: build-asan/build.ninja
	@ninja -C build-asan $(if $(V),-v,--quiet) docent
	@DOCENT_BINARY=build-asan/docent scripts/test-stories $(ASAN_STORIES:%=tests/api/%.test.mjs)

# Both in one library that is shared: two hundred programs are linked with it.
SANITIZED = -Db_lundef=false -Doptimization=1 -Ddebug=false

# Checks that cannot be gone on from are a quarter faster to compile. Meson asks no ccache for a compiler that is named.
build-asan/build.ninja:
	@CC="$(shell command -v ccache) clang" $(FAST_LINKER) meson setup build-asan -Dfuzz=true \
		-Db_sanitize=address,undefined $(SANITIZED) \
		-Dc_args='-g1 -fno-sanitize-recover=undefined -fsanitize-recover=pointer-overflow' >/dev/null

# What starts no thread is left out, as an ordinary build tells.
THREADED = $(shell scripts/threaded-tests $(BUILD))
# Programs that tests start.
STARTED = tests/unit/parse/parse_worker tests/unit/parse/bad_worker

tsan: build build-tsan/build.ninja
	@ninja -C build-tsan $(if $(V),-v,--quiet) $(THREADED) $(STARTED)
	@printf '%s\n' $(THREADED:%=build-tsan/%) | $(FIXED) scripts/test-unit -

# Some kernels place memory where the thread sanitizer does not expect it, unless they are told not to.
FIXED = $(shell setarch -R true 2>/dev/null && echo setarch -R)

build-tsan/build.ninja:
	@$(FAST_LINKER) meson setup build-tsan -Db_sanitize=thread $(SANITIZED) -Dc_args=-g1 >/dev/null

# make fuzz SECONDS=60   each target for so long
fuzz: build-asan/build.ninja
	@ninja -C build-asan $(if $(V),-v,--quiet)
	@scripts/fuzz build-asan $(or $(SECONDS),30)

bench: build-release/build.ninja
	@ninja -C build-release $(if $(V),-v,--quiet) docent benches
	@bench/run $(B)

# make bench-search      the quality table of docs/makers/search.md, checked by another scorer
# make bench-search B=med
bench-search: build-release/build.ninja
	@ninja -C build-release $(if $(V),-v,--quiet) docent benches
	@bench/quality.sh build-release $(B)

build-release/build.ninja:
	@meson setup build-release --buildtype=release >/dev/null

# Every component of the pages in its states, served at 127.0.0.1:8010.
components:
	@scripts/components

lint: build
	@scripts/lint

fmt:
	@git ls-files '*.c' '*.h' '*.cc' | xargs clang-format -i
	@git ls-files '*.mjs' 'web/*.ts' 'web/*.tsx' 'web/*.css' ':!web/vendor' | xargs tests/api/node_modules/.bin/prettier --config tests/api/package.json --log-level warn --write

# make install            to /usr/local, with manual pages, completions and a unit of systemd
# make install PREFIX=/usr DESTDIR=/tmp/root
PREFIX = /usr/local

install:
	@test -d build-install || meson setup build-install --buildtype=release -Dtests=false \
		--prefix=$(PREFIX) >/dev/null
	@meson configure build-install --prefix=$(PREFIX)
	@ninja -C build-install $(if $(V),-v,--quiet)
	@DESTDIR="$(DESTDIR)" meson install -C build-install --strip $(if $(V),,--quiet)

# Debian packages of the tree as it stands, in build/deb.
deb:
	@scripts/make-deb

# An image for containers (OCI) with these packages in it, in build/image.
image:
	@scripts/make-image

clean:
	rm -rf build build-asan build-tsan build-release build-install

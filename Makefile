# Thin: CMake does the work (see CMakePresets.json), these are the short names.
#   make demo       install what is missing, build, let a ball break a wall: picture, film, plot, recording in out/demo
#   make view       the same run live in a browser: pause it, turn gravity, pull bricks with the mouse
#   make test       install what is missing, build, run every test, sanitizers, fuzzing, checks
#   make test-long  the long tests too
#   make fuzz-long  each fuzz target for FUZZ_SECONDS (default an hour); executions, coverage
#   make soak       1e7 steps, a day of a drum, 1,000 contexts, 10,000 recordings, times SOAK_SCALE
#   make bench      benchmarks; results in out/bench
#   make bench-peers  another library's solvers beside ours on the same problem files (PEER_FILES,
#                     default the problems in $SCREE_SHARED or ../shared); tables, plots in out/bench
#   make bench-engines  spheres, boxes and a chain by LIGGGHTS, LAMMPS, ODE, Bullet and Scree; out/engines
#   make bench-mechanics  mechanisms by Simbody, tetrahedra by CalculiX, both by Scree; out/mechanics
#   make studies    exact friction, what accuracy costs, and scenes of the gallery against published
#                   laws; tables, plots in out/studies
#   make gallery-pages  web pages that play the scenes of the gallery, in out/pages
#   make docs       the documentation as pages, in out/docs/html
#   make install    into PREFIX (default /usr/local)
#   make wheel      the Python module as a wheel in out/wheel
#   make tarball    a tree that runs wherever it is unpacked, in out/tarball
#   make deb        Debian packages, looked at by lintian, in out/deb
#   make format     rewrite sources by .clang-format;  make check  only look
MAKEFLAGS += --no-print-directory
JOBS   ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
SOURCES = $(shell find include src cli tests bench examples -name '*.[ch]' -o -name '*.inc')

configure = cmake --preset $(1) -DSCREE_WERROR=ON $(2) > build/$(1).log 2>&1 || { tail -30 build/$(1).log; exit 1; }
compile = cmake --build build/$(1) -j $(JOBS)
run_tests = cd build/$(1) && ctest -j $(JOBS) --output-on-failure $(2)

all: release
release debug: setup | build
	@$(call configure,$@)
	$(call compile,$@)

test: release
	@$(call run_tests,release,-LE long)
	@$(MAKE) asan fuzz check
	@echo "make test: all passed"
test-long: release
	@tools/setup --paraview
	$(call run_tests,release,)
	@$(MAKE) tsan
asan: setup | build
	@$(call configure,asan)
	$(call compile,asan)
	@$(call run_tests,asan,-LE "long|slow|once")
# Two threads at least, or there is nothing to find.
tsan: setup | build
	@$(call configure,tsan,-DSCREE_WERROR=OFF)
	$(call compile,tsan)
	OMP_NUM_THREADS=2 ctest --preset tsan -j 1 -LE "long|slow|once"
fuzz: setup | build
	@$(call configure,fuzz,-DSCREE_WERROR=OFF -DSCREE_FUZZ_SECONDS=$(FUZZ_SECONDS))
	$(call compile,fuzz)
	@$(call run_tests,fuzz,)

fuzz-long: setup | build
	@$(call configure,fuzz,-DSCREE_WERROR=OFF)
	$(call compile,fuzz)
	tools/run-fuzz build/fuzz $(if $(filter file default,$(origin FUZZ_SECONDS)),3600,$(FUZZ_SECONDS)) $(JOBS)

SOAK_SCALE ?= 1
soak: release
	build/release/tests/soak $(SOAK_SCALE) scenes/drum.yaml

bench: release
	tools/run-benchmarks build/release out/bench
studies: release
	@for study in exact-friction accuracy hopper dominoes column-collapse drum shaker order steppers laws shear penalty realtime mechanisms; do \
	  echo "== $$study"; bench/studies/$$study --out out/studies || exit 1; done
PEER_SHARED = $(or $(SCREE_SHARED),../shared)
PEER_FILES ?= $(wildcard $(addprefix $(PEER_SHARED)/problems/,local/*.hdf5 global/*.hdf5 rolling/*.hdf5))
PEER_FLAGS ?=
bench-peers: setup | build
	@tools/setup --peers
	@$(call configure,release,-DSCREE_PEERS=ON)
	$(call compile,release) --target bench-peers
	@mkdir -p out/bench
	build/release/bench-peers $(PEER_FLAGS) --out out/bench $(PEER_FILES) | tee out/bench/peers.txt
bench-engines: release
	@tools/setup --engines
	bench/engines/compare --scree build/release/scree --out out/engines
bench-mechanics: release
	@tools/setup --engines
	bench/mechanics/compare --scree build/release/scree --out out/mechanics
ifneq ($(wildcard tools/demo),)
.PHONY: demo
demo: | build
	@tools/setup --build
	@$(call configure,release)
	$(call compile,release) --target scree_command
	tools/demo build/release
endif
# The next step after the demo: the wall, live; open the address that it tells.
view: | build
	@tools/setup --build
	@$(call configure,release)
	@$(call compile,release) --target scree_command > build/view.log 2>&1 || { tail -30 build/view.log; exit 1; }
	build/release/scree run wall --view
gallery-pages: packaged
	tools/make-gallery --pages --quick --scree build/install/scree
# Built apart, without tests and benchmarks.
packaged: | build
	@tools/setup --build
	@$(call configure,release,-B build/install -DSCREE_TESTS=OFF)
	$(call compile,install)
install: packaged
	DESTDIR=$(DESTDIR) cmake --install build/install --prefix $(PREFIX)

docs: setup | build
	@$(call configure,release)
	$(call compile,release) --target scree_command
	tools/build-docs build/release/scree out/docs

# Debian's python3, which has cffi and numpy; nothing is fetched from the network.
PYTHON ?= /usr/bin/python3
wheel: packaged
	SCREE_LIBRARY=$(CURDIR)/build/install/libscree.so $(PYTHON) -m pip wheel --quiet --no-build-isolation --no-deps --no-index -w out/wheel .
	@ls out/wheel/*.whl

tarball: packaged
	tools/make-tarball build/install out/tarball
deb:
	@tools/setup --deb
	@JOBS=$(JOBS) tools/make-deb out/deb

check: release
	@clang-format --dry-run -Werror $(SOURCES) && echo "format: clean"
	@tools/check-layers
	@tools/check-headers
	@tools/check-words
	@JOBS=$(JOBS) tools/check-tidy
format:
	@clang-format -i $(SOURCES)
setup:
	@tools/setup
build:
	@mkdir -p build
clean:
	rm -rf build
.PHONY: view all release debug test test-long asan tsan fuzz fuzz-long soak bench studies bench-peers bench-engines bench-mechanics gallery-pages packaged install wheel tarball deb docs check format setup clean

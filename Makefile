.DEFAULT_GOAL := help
.PHONY: help setup demo demo-service check-service load sbom test test-core rules bench soak fuzz sanitize lint format docs vectors manual program release install uninstall clean

VERIFY_TOKEN := .build/debug/verify-token

comma := ,

# The destination of `make install`; DESTDIR is prepended, for packagers.
PREFIX ?= /usr/local
DESTDIR ?=
export PREFIX DESTDIR

# The command supports accounts in a SQLite file. POSTGRESQL=1 adds accounts in PostgreSQL, which require libpq to be installed
# wherever the command runs.
POSTGRESQL ?=
INSTALL_TRAITS := CommandLine,HTTPClient,SQLite,Hummingbird$(if $(filter 1,$(POSTGRESQL)),$(comma)PostgreSQL)

# The installed command needs no Swift runtime (Apple's systems include one), and has no library search path of its own.
# The prefix map makes the paths in assertions and errors of C code relative to this directory.
INSTALL_BUILD := -c release --traits $(INSTALL_TRAITS) --scratch-path .build-install --disable-local-rpath
INSTALL_BUILD += $(foreach language,cc cxx,-X$(language) '-ffile-prefix-map=$(CURDIR)/=')
# No program links to an executable, so the 29,000 symbols that Swift would export are removed, with the code that only they use.
ifneq ($(shell uname),Darwin)
INSTALL_BUILD += --static-swift-stdlib -Xlinker -s -Xlinker --no-export-dynamic
endif

# The audience, nonce and time of the demo token, as described in TestVectors/demo/README.md.
DEMO_APP_ID := 1234509876543210
DEMO_NONCE := made-up-nonce-4f1c9a
DEMO_TIME := 1760000000

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Check the requirements of the build, and install missing ones if possible
	@scripts/setup

# The demo is offline, so it is built without key fetching, in a fraction of the time.
DEMO_BUILD := --disable-default-traits --traits CommandLine --scratch-path .build-demo
DEMO_TOKEN := .build-demo/debug/verify-token

demo: setup ## Verify a sample token offline, and show every check
	scripts/build -c debug $(DEMO_BUILD) --product verify-token
	$(DEMO_TOKEN) verify TestVectors/demo/token.jwt --provider facebook \
	    --app-id $(DEMO_APP_ID) --nonce $(DEMO_NONCE) \
	    --keys TestVectors/demo/keys.json --allow-published-test-keys \
	    --at $(DEMO_TIME) --explain --show-claims
	@echo
	@echo "Verified: the token of a fictitious user, created by another implementation, at a time when it was valid."
	@echo "Its key had to be allowed explicitly: the private key is in this repository, so anyone can sign with it."
	@echo "Next: pass a wrong --nonce to see a refusal, or create your own tokens:"
	@echo "  $(DEMO_TOKEN) sample /tmp/sample"
	@echo "This build cannot fetch keys. \"make install\" builds the complete command: verify-token keys --provider facebook"

demo-service: ## Run the service on this machine, with two providers
	@scripts/setup sqlite postgresql python
	scripts/build $(TEST_BUILD) --product verify-token
	@scripts/service $(VERIFY_TOKEN)

check-service: ## Test the service with proxies, a browser, kills, outages and a second instance
	@scripts/setup test service
	scripts/build $(TEST_BUILD)
	@scripts/check-service $(VERIFY_TOKEN)

sbom: ## List the components of the installed command, and their licences
	@scripts/setup test
	@scripts/sbom --check

test: ## Run all tests, and check that rules, codes, vectors and examples are complete
	@scripts/setup test
	@scripts/test

test-core: setup ## Test only the modules that verify tokens, without dependencies: the daily loop
	@scripts/test-core

rules: ## Update the column "tested in" of the tables in docs/, from the log of the last `make test`
	@scripts/check-rules --write .build-logs/rules.tsv

# Only `bench` downloads and builds jwt-kit for the comparison, which takes minutes; the other targets omit the trait JWTKit.
BENCH_BUILD := --package-path Benchmarks --scratch-path .build-benchmarks -c release

bench: program ## Measure the cost of a verification, and print it beside the goals
	scripts/build $(BENCH_BUILD) --product AllocationBenchmark
	scripts/build $(BENCH_BUILD) --product KeyCacheBenchmark
	scripts/build $(BENCH_BUILD) --product LoginBenchmark
	.build-benchmarks/release/LoginBenchmark
	.build-benchmarks/release/KeyCacheBenchmark

# For `make soak`: the number of mutated tokens, the rounds of each race and of kills of a server, the minutes that 32 clients
# work on each store, the accounts among which each store is measured, the minutes of a mixed load among them, and the kills
# of the service on each store.
MUTATIONS ?= 10000000
ROUNDS ?= 200
MINUTES ?= 10
ACCOUNTS ?= 0
MIXED ?= 0
KILLS ?= 50

soak: ## Long runs: unknown keys, ten million mutated tokens, 300 kills, 20 minutes of concurrent clients
	@scripts/setup test service
	scripts/build $(BENCH_BUILD) --disable-default-traits --product KeyCacheSoak
	.build-benchmarks/release/KeyCacheSoak
	scripts/build $(BENCH_BUILD) --disable-default-traits --product MutationSoak
	.build-benchmarks/release/MutationSoak $(MUTATIONS)
	ROUNDS=$(ROUNDS) MINUTES=$(MINUTES) ACCOUNTS=$(ACCOUNTS) MIXED=$(MIXED) scripts/soak-accounts
	scripts/build $(TEST_BUILD) --product verify-token
	@scripts/check-service $(VERIFY_TOKEN) kills --rounds $(KILLS)

# BEFORE is the command of an earlier release to compare with, beside its SignInServer. POSTGRESQL=1 also measures sessions in PostgreSQL.
load: ## Measure the service: beside Envoy and a bare server, sign-ins, its start, and memory over ten minutes
	@scripts/setup test service
	@$(MAKE) --no-print-directory program
	scripts/build $(INSTALL_BUILD) --product EchoServer
	scripts/build $(INSTALL_BUILD) --product SignInServer
	@scripts/check-service .build-install/release/verify-token load .build-install/release/EchoServer --minutes $(MINUTES)
	@scripts/check-service .build-install/release/verify-token compare .build-install/release/EchoServer \
	    $(if $(filter 1,$(POSTGRESQL)),--postgresql)
	@scripts/check-service .build-install/release/verify-token rates $(if $(BEFORE),--before $(BEFORE))

fuzz: setup ## Fuzz the parsers of untrusted input, TIME=60 seconds or RUNS executions for each target
	@TIME="$(TIME)" RUNS="$(RUNS)" JOBS="$(JOBS)" TARGETS="$(TARGETS)" SEED="$(SEED)" scripts/fuzz

sanitize: setup ## Test with the address, leak and thread sanitizers
	@scripts/sanitize

lint: setup ## Check format, house rules and architecture
	@scripts/lint

format: ## Format the Swift files in place
	swift format --in-place --parallel --recursive Sources Tests Snippets Benchmarks Fuzz Package.swift

docs: ## Build the documentation; warnings are errors
	@scripts/setup sqlite postgresql
	@scripts/docs

# The same build as that of `make test`.
TEST_BUILD := -c debug --enable-all-traits

vectors: ## Run the test vectors with the command
	@scripts/setup sqlite postgresql
	scripts/build $(TEST_BUILD) --product verify-token
	$(VERIFY_TOKEN) vectors TestVectors

manual: ## Generate the manual page, after a change of commands or options
	@scripts/setup sqlite postgresql
	scripts/build $(TEST_BUILD) --product verify-token
	scripts/manual $(VERIFY_TOKEN) > share/man/verify-token.1.new
	mv share/man/verify-token.1.new share/man/verify-token.1

# The linker warns about `mktemp', which Foundation calls for atomic writes. The command uses none, and Foundation opens the file
# with O_CREAT and O_EXCL, as the warning recommends.
program: ## Build the command for release; POSTGRESQL=1 adds accounts in PostgreSQL
	@scripts/setup sqlite $(if $(filter 1,$(POSTGRESQL)),postgresql)
	scripts/build $(INSTALL_BUILD) --product verify-token

install: ## Build the command for release, and install it to PREFIX (/usr/local); POSTGRESQL=1 as above
	@scripts/install --check
	@$(MAKE) --no-print-directory program
	@scripts/install .build-install/release/verify-token

uninstall: ## Remove the installed files from PREFIX
	@scripts/install --uninstall

release: ## Pack VERSION into .build-release and try it: source, program, Debian package, bill of materials; POSTGRESQL=1 as above
	@scripts/release --check "$(VERSION)"
	@$(MAKE) --no-print-directory program
	@POSTGRESQL="$(POSTGRESQL)" scripts/release "$(VERSION)" .build-install/release/verify-token
	@scripts/check-release

clean: ## Remove all build directories
	rm -rf .build .build-*

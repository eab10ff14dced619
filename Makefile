.DEFAULT_GOAL := help
.PHONY: help setup demo demo-service check-service load sbom test test-core rules bench soak fuzz sanitize lint format docs vectors manual program install uninstall clean

VERIFY_TOKEN := .build/debug/verify-token

comma := ,

# Where `make install` puts things; DESTDIR stands before it, for packagers.
PREFIX ?= /usr/local
DESTDIR ?=
export PREFIX DESTDIR

# Accounts in one SQLite file are part of the command; those in PostgreSQL only where POSTGRESQL=1 says so, since libpq must
# then be wherever the command runs.
POSTGRESQL ?=
INSTALL_TRAITS := CommandLine,HTTPClient,SQLite,Hummingbird$(if $(filter 1,$(POSTGRESQL)),$(comma)PostgreSQL)

# What is installed runs where no Swift is, and looks for libraries in no place of its own. Apple's systems bring Swift.
# The C in it names its files, in assertions and errors: from here on, not from the root of the machine that built it.
INSTALL_BUILD := -c release --traits $(INSTALL_TRAITS) --scratch-path .build-install --disable-local-rpath
INSTALL_BUILD += $(foreach language,cc cxx,-X$(language) '-ffile-prefix-map=$(CURDIR)/=')
# Nobody links to a program: its 29,000 symbols, which Swift would have it export, are left out, and what only they kept.
ifneq ($(shell uname),Darwin)
INSTALL_BUILD += --static-swift-stdlib -Xlinker -s -Xlinker --no-export-dynamic
endif

# What TestVectors/demo/README.md says of the token: made for this audience, nonce and time.
DEMO_APP_ID := 1234509876543210
DEMO_NONCE := made-up-nonce-4f1c9a
DEMO_TIME := 1760000000

help: ## Show what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Check what the build needs, and install it where that is possible
	@scripts/setup

# Without what fetches keys: the demo is offline, and so is built in a fraction of the time.
DEMO_BUILD := --disable-default-traits --traits CommandLine --scratch-path .build-demo
DEMO_TOKEN := .build-demo/debug/verify-token

demo: setup ## Verify a token made for the purpose, offline, and show every check
	scripts/build -c debug $(DEMO_BUILD) --product verify-token
	$(DEMO_TOKEN) verify TestVectors/demo/token.jwt --provider facebook \
	    --app-id $(DEMO_APP_ID) --nonce $(DEMO_NONCE) \
	    --keys TestVectors/demo/keys.json --allow-published-test-keys \
	    --at $(DEMO_TIME) --explain --show-claims
	@echo
	@echo "Verified: a made-up person's token, made by another implementation, with the clock set to the time it was good."
	@echo "Its key had to be allowed: the private half is in this repository, so anybody can sign with it."
	@echo "Next: give a wrong --nonce and see why it is refused, or make tokens of your own:"
	@echo "  $(DEMO_TOKEN) sample /tmp/sample"
	@echo "This build fetches no keys. \"make install\" brings the whole command: verify-token keys --provider facebook"

demo-service: ## Serve sign-in on this machine, with two providers to sign in with
	@scripts/setup sqlite postgresql python
	scripts/build $(TEST_BUILD) --product verify-token
	@scripts/service $(VERIFY_TOKEN)

check-service: ## Try the service with proxies, a browser, kills, outages and a second instance
	@scripts/setup test service
	scripts/build $(TEST_BUILD)
	@scripts/check-service $(VERIFY_TOKEN)

sbom: ## List what is in the installed command, and under which licences
	@scripts/setup test
	@scripts/sbom --check

test: ## Run every test, and check that rules, codes, vectors and examples are complete
	@scripts/setup test
	@scripts/test

test-core: setup ## Test the modules that verify tokens, without dependencies: the daily loop
	@scripts/test-core

rules: ## Write the suites that test each rule into the tables of docs/, from the log of the last `make test`
	@scripts/check-rules --write .build-logs/rules.tsv

# Builds without the trait JWTKit download nothing. Only `bench` compares with jwt-kit, and builds it, which takes minutes.
BENCH_BUILD := --package-path Benchmarks --scratch-path .build-benchmarks -c release

bench: program ## Measure what a verification costs, and print ratios beside goals
	scripts/build $(BENCH_BUILD) --product AllocationBenchmark
	scripts/build $(BENCH_BUILD) --product KeyCacheBenchmark
	scripts/build $(BENCH_BUILD) --product LoginBenchmark
	.build-benchmarks/release/LoginBenchmark
	.build-benchmarks/release/KeyCacheBenchmark

# How many tokens `make soak` changes, how often it runs each race and kills a server, for how many minutes 32 clients work on a
# store, and how often the service is killed on each.
MUTATIONS ?= 10000000
ROUNDS ?= 200
MINUTES ?= 10
KILLS ?= 50

soak: ## Do for long what the tests do for short: unknown keys, ten million changed tokens, 300 kills, 20 minutes of clients
	@scripts/setup test service
	scripts/build $(BENCH_BUILD) --disable-default-traits --product KeyCacheSoak
	.build-benchmarks/release/KeyCacheSoak
	scripts/build $(BENCH_BUILD) --disable-default-traits --product MutationSoak
	.build-benchmarks/release/MutationSoak $(MUTATIONS)
	ROUNDS=$(ROUNDS) MINUTES=$(MINUTES) scripts/soak-accounts
	scripts/build $(TEST_BUILD) --product verify-token
	@scripts/check-service $(VERIFY_TOKEN) kills --rounds $(KILLS)

# BEFORE names the command of an earlier release, to compare with.
load: ## Measure what verifications, sign-ins and accounts cost over HTTP, and work for ten minutes
	@scripts/setup test service
	@$(MAKE) --no-print-directory program
	scripts/build $(INSTALL_BUILD) --product EchoServer
	@scripts/check-service .build-install/release/verify-token load .build-install/release/EchoServer --minutes $(MINUTES)
	@scripts/check-service .build-install/release/verify-token rates $(if $(BEFORE),--before $(BEFORE))

fuzz: setup ## Attack what reads strangers' input, TIME=60 seconds each target
	@TIME="$(TIME)" TARGETS="$(TARGETS)" SEED="$(SEED)" scripts/fuzz

sanitize: setup ## Test with the address, leak and thread sanitizers
	@scripts/sanitize

lint: setup ## Check format, house rules and architecture
	@scripts/lint

format: ## Format the Swift files in place
	swift format --in-place --parallel --recursive Sources Tests Snippets Benchmarks Fuzz Package.swift

docs: ## Build the documentation; a warning is an error
	@scripts/setup sqlite postgresql
	@scripts/docs

# As `make test` builds it, in the same place.
TEST_BUILD := -c debug --enable-all-traits

vectors: ## Run the test vectors with the command line
	@scripts/setup sqlite postgresql
	scripts/build $(TEST_BUILD) --product verify-token
	$(VERIFY_TOKEN) vectors TestVectors

manual: ## Write the manual page anew, after a change of commands or options
	@scripts/setup sqlite postgresql
	scripts/build $(TEST_BUILD) --product verify-token
	scripts/manual $(VERIFY_TOKEN) > share/man/verify-token.1.new
	mv share/man/verify-token.1.new share/man/verify-token.1

# The linker warns of `mktemp': Foundation calls it to write a file atomically, which this command never asks for, and opens
# what it names only if no such file is there (O_CREAT and O_EXCL), which is what the warning wants.
program: ## Build the command for release, as it is installed; POSTGRESQL=1 with accounts in PostgreSQL too
	@scripts/setup sqlite $(if $(filter 1,$(POSTGRESQL)),postgresql)
	scripts/build $(INSTALL_BUILD) --product verify-token

install: ## Build the command for release, and install it to PREFIX (/usr/local); POSTGRESQL=1 as above
	@scripts/install --check
	@$(MAKE) --no-print-directory program
	@scripts/install .build-install/release/verify-token

uninstall: ## Remove what was installed to PREFIX
	@scripts/install --uninstall

clean: ## Remove everything that was built
	rm -rf .build .build-*

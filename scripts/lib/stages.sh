# shellcheck shell=bash
# Stages with seconds, for scripts/test and .ci/run. To be sourced by bash, in the root of the project.
#
#   stage NAME COMMAND…         output goes to .build-logs/NAME.log; one line is shown: seconds, and its last line
#   open_stage NAME COMMAND…    output is shown as it comes
#   stages_done WHAT            the total
#   swift_build OPTION…         swift build, of which nothing is compiled twice
#   sixteen COMMAND…            runs 16 tests at once: all at once have their files and connections open together, and none is in time
#
# A stage that fails ends the script with status 1, its name, and the lines of its log that matter most.

STAGES_LOGS=.build-logs
STAGES_COUNT=0
STAGES_BEGAN=$SECONDS
mkdir -p "$STAGES_LOGS"

# SwiftPM hands a package's traits to the compiler in an order that differs from one run to the next, and each new order compiles
# everything anew. The tests run without it, so that no order is what they live on.
swift_build() { SWIFT_DETERMINISTIC_HASHING=1 swift build "$@"; }

sixteen() { SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=16 "$@"; }

stage() {
    local name=$1 began=$SECONDS log
    shift
    log=$STAGES_LOGS/$name.log
    printf '%-14s ' "$name"
    if ! "$@" >"$log" 2>&1 </dev/null; then
        printf '%4d s  FAILED\n' $((SECONDS - began))
        # What went wrong may stand far above the end.
        {
            grep -E 'error:|✘|FAILED' "$log" | awk '!seen[$0]++' | head -n 40 && echo '...'
            tail -n 15 "$log"
        } | sed 's/^/    /'
        printf 'stage %s failed; its whole output: %s\n' "$name" "$log"
        exit 1
    fi
    printf '%4d s  %s\n' $((SECONDS - began)) "$(tail -n 1 "$log" | cut -c 1-120)"
    STAGES_COUNT=$((STAGES_COUNT + 1))
}

open_stage() {
    local name=$1 began=$SECONDS
    shift
    printf '== %s\n' "$name"
    if ! "$@" </dev/null; then
        printf '== %s FAILED after %d s\n' "$name" $((SECONDS - began))
        exit 1
    fi
    printf '== %s: %d s\n' "$name" $((SECONDS - began))
    STAGES_COUNT=$((STAGES_COUNT + 1))
}

stages_done() {
    printf '%s: %d stages in %d s\n' "$1" "$STAGES_COUNT" $((SECONDS - STAGES_BEGAN))
}

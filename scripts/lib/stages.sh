# shellcheck shell=bash
# Stages with their durations, for scripts/test and .ci/run. To be sourced by bash, in the root of the project.
#
#   stage NAME COMMAND…         writes the output to .build-logs/NAME.log, and prints the seconds and the last line of the log
#   behind NAME COMMAND…        starts a stage in the background, parallel to the stages that follow
#   join NAME                   waits for a background stage, and prints its line
#   open_stage NAME COMMAND…    prints the output directly, for commands with stages of their own
#   stages_done WHAT            prints the total, and at the end of the outermost script the number of passed tests
#
# If a stage fails, the script prints its name and the relevant lines of its log, and exits with status 1.

STAGES_LOGS=.build-logs
STAGES_COUNT=0
STAGES_BEGAN=$SECONDS
STAGES_OUTERMOST=
mkdir -p "$STAGES_LOGS"
# One line for each log with tests: the number of passed tests, and the stage.
if [ -z "${STAGES_PASSED-}" ]; then
    STAGES_OUTERMOST=1
    export STAGES_PASSED=$PWD/$STAGES_LOGS/passed.tsv
    : >"$STAGES_PASSED"
fi

# Prints the number of passed tests in a log of Swift Testing, test vectors, rigs or schemathesis.
count_passed() {
    sed -nE \
        -e 's/.*Test run with ([0-9]+) tests? .*passed after.*/\1/p' \
        -e 's/^([0-9]+) passed, 0 failed$/\1/p' \
        -e 's/.*[ :]([0-9]+) checks( passed)?$/\1/p' \
        -e 's/^ *[0-9]+ generated, ([0-9]+) passed.*/\1/p' \
        "$1" | awk '{ sum += $1 } END { print sum + 0 }'
}

stage() {
    local name=$1 began=$SECONDS status=0
    shift
    printf '%-14s ' "$name"
    "$@" >"$STAGES_LOGS/$name.log" 2>&1 </dev/null || status=$?
    end_stage "$name" $((SECONDS - began)) "$status"
}

behind() {
    local name=$1
    shift
    (
        began=$SECONDS status=0
        "$@" >"$STAGES_LOGS/$name.log" 2>&1 </dev/null || status=$?
        echo "$((SECONDS - began)) $status" >"$STAGES_LOGS/$name.end"
    ) &
    printf -v "STAGE_${name//-/_}" %s $!
}

join() {
    local name=$1 process=STAGE_${1//-/_} seconds status
    wait "${!process}" || true
    read -r seconds status <"$STAGES_LOGS/$name.end"
    printf '%-14s ' "$name"
    end_stage "$name" "$seconds" "$status"
}

end_stage() {
    local name=$1 seconds=$2 status=$3 log=$STAGES_LOGS/$1.log passed
    if [ "$status" != 0 ]; then
        printf '%4d s  FAILED\n' "$seconds"
        # The errors may be far above the end of the log.
        {
            grep -E 'error:|✘|FAILED' "$log" | awk '!seen[$0]++' | head -n 40 && echo '...'
            tail -n 15 "$log"
        } | sed 's/^/    /'
        printf 'stage %s failed; full output: %s\n' "$name" "$log"
        # shellcheck disable=SC2046 # A list of process IDs.
        kill $(jobs -p) 2>/dev/null || true
        exit 1
    fi
    printf '%4d s  %s\n' "$seconds" "$(tail -n 1 "$log" | cut -c 1-120)"
    passed=$(count_passed "$log")
    [ "$passed" = 0 ] || printf '%s\t%s\n' "$passed" "$name" >>"$STAGES_PASSED"
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
    if [ -n "$STAGES_OUTERMOST" ] && [ -s "$STAGES_PASSED" ]; then
        awk '{ sum += $1 } END { printf "tests: %d passed, 0 failed\n", sum }' "$STAGES_PASSED"
    fi
}

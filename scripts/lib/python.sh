# shellcheck shell=bash
# Python with the packages that some checks use. To be sourced by bash, in the root of the project.
#
#   make_environment [FOLDER REQUIREMENTS]    makes FOLDER unless it is up to date, and ends the script if it cannot
#   $VENV_PYTHON                              the interpreter in it
#
# The packages come by hash from REQUIREMENTS. Without arguments they are those of the checks of the test vectors.
# PYTHON=… takes another interpreter than python3.

VENV=.build-python
VENV_PYTHON=$VENV/bin/python
VENV_REQUIREMENTS=TestVectors/requirements.txt
export PYTHONDONTWRITEBYTECODE=1 PYTHONUTF8=1

make_environment() {
    local python=${PYTHON:-python3} name=${0##*/} wanted
    if [[ $# -eq 2 ]]; then
        VENV=$1 VENV_PYTHON=$1/bin/python VENV_REQUIREMENTS=$2
    fi
    if ! command -v "$python" >/dev/null; then
        printf '%s: %s is missing; install Python 3.11 or later with its venv module\n' "$name" "$python" >&2
        exit 1
    fi
    # The packages are compiled for one version of Python, so another version needs another environment.
    wanted="$({ "$python" --version; cat "$VENV_REQUIREMENTS"; } | cksum)"
    if [[ -x $VENV_PYTHON && $(cat "$VENV/requirements.cksum" 2>/dev/null) == "$wanted" ]]; then
        return
    fi
    rm -rf "$VENV"
    if ! "$python" -m venv "$VENV"; then
        printf '%s: cannot make a virtual environment; on Debian, apt-get install python3-venv\n' "$name" >&2
        exit 1
    fi
    if ! "$VENV_PYTHON" -m pip install --quiet --disable-pip-version-check --require-hashes \
        --requirement "$VENV_REQUIREMENTS"; then
        printf '%s: cannot install the packages of %s\n' "$name" "$VENV_REQUIREMENTS" >&2
        exit 1
    fi
    # Last, so that an environment half made is made anew.
    printf '%s\n' "$wanted" >"$VENV/requirements.cksum"
}

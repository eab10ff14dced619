# shellcheck shell=bash
# A virtual environment with the Python packages of some checks. To be sourced by bash, in the root of the project.
#
#   make_environment [FOLDER REQUIREMENTS]    creates FOLDER unless it is up to date, and exits if it cannot
#   $VENV_PYTHON                              its interpreter
#
# REQUIREMENTS pins the packages by hash. By default they are those for the checks of the test vectors.
# PYTHON=… selects another interpreter than python3.

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
        printf '%s: cannot create a virtual environment; on Debian, apt-get install python3-venv\n' "$name" >&2
        exit 1
    fi
    if ! "$VENV_PYTHON" -m pip install --quiet --disable-pip-version-check --require-hashes \
        --requirement "$VENV_REQUIREMENTS"; then
        printf '%s: cannot install the packages of %s\n' "$name" "$VENV_REQUIREMENTS" >&2
        exit 1
    fi
    # Written last, so that an incomplete environment is created again.
    printf '%s\n' "$wanted" >"$VENV/requirements.cksum"
}

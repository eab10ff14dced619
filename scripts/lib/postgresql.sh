# shellcheck shell=bash
# A separate PostgreSQL server for tests. To be sourced by bash; scripts/postgresql describes its use.
#
#   postgresql_run COMMAND…          runs a command with a server that is removed afterwards
#   postgresql_new                   creates a server, and prints its directory
#   postgresql_start DIRECTORY       postgresql_stop DIRECTORY fast|immediate       postgresql_remove DIRECTORY

# On Debian, the programs of the server are not in PATH.
postgresql_program() {
    local found
    found=$(command -v "$1") || found=$(ls -d /usr/lib/postgresql/*/bin/"$1" /opt/homebrew/opt/postgresql*/bin/"$1" 2>/dev/null | sort -V | tail -n 1)
    [ -n "$found" ] || {
        echo "postgresql: $1 not found; scripts/setup test installs it" >&2
        return 1
    }
    # Resolve links, because the program finds its files relative to its own path.
    readlink -f "$found"
}

# The server refuses to run as root, so root runs it as an unprivileged user.
postgresql_as() {
    local directory=$1 user=nobody
    shift
    if [ "$(id -u)" != 0 ]; then
        (cd "$directory" && "$@")
        return
    fi
    ! id postgres >/dev/null 2>&1 || user=postgres
    if command -v setpriv >/dev/null; then
        (cd "$directory" && setpriv --reuid "$user" --regid "$(id -g "$user")" --clear-groups "$@")
    else
        (cd "$directory" && su -s /bin/sh "$user" -c '"$0" "$@"' -- "$@")
    fi
}

# Runs a command without the open file descriptors of this shell, except the standard ones.
postgresql_close() (
    for open in /dev/fd/*; do
        open=${open##*/}
        case $open in [0-2]) ;; *) eval "exec $open>&-" ;; esac
    done
    "$@"
)

postgresql_new() {
    local directory initdb user=nobody
    initdb=$(postgresql_program initdb)
    # Not in TMPDIR: the path of a socket may have at most 107 bytes.
    directory=$(mktemp -d /tmp/login-pg.XXXXXX)
    if [ "$(id -u)" = 0 ]; then
        ! id postgres >/dev/null 2>&1 || user=postgres
        chown "$user" "$directory"
    fi
    postgresql_as "$directory" "$initdb" --pgdata "$directory/data" --username login --auth trust --encoding UTF8 \
        --locale C --no-sync >"$directory/initdb.log" 2>&1 </dev/null || {
        cat "$directory/initdb.log" >&2
        rm -rf "$directory"
        return 1
    }
    # Only the owner and root can open the socket, so connections need no password; one role has a password, for tests.
    printf '%s\n' 'local all login_password scram-sha-256' 'local all all trust' >"$directory/data/pg_hba.conf"
    cat >>"$directory/data/postgresql.conf" <<CONFIGURATION
listen_addresses = ''
unix_socket_directories = '$directory'
unix_socket_permissions = 0700
max_connections = 500
shared_buffers = 64MB
autovacuum = off
fsync = ${LIMITED_LOGIN_FSYNC-off}
full_page_writes = ${LIMITED_LOGIN_FSYNC-off}
lc_messages = 'C'
deadlock_timeout = 200ms
${LIMITED_LOGIN_POSTGRESQL_SETTINGS-}
CONFIGURATION
    echo "$directory"
}

postgresql_start() {
    local pg_ctl
    pg_ctl=$(postgresql_program pg_ctl)
    # The server keeps inherited descriptors open, so it gets none: a reader of our output would otherwise wait until the server
    # ends.
    postgresql_close postgresql_as "$1" "$pg_ctl" start -w -t 60 -D "$1/data" -l "$1/server.log" </dev/null >/dev/null 2>&1 || {
        tail -n 20 "$1/server.log" >&2
        return 1
    }
}

postgresql_stop() {
    local pg_ctl
    pg_ctl=$(postgresql_program pg_ctl)
    # It finds the server by the process ID in postmaster.pid.
    postgresql_as "$1" "$pg_ctl" stop -w -t 60 -m "$2" -D "$1/data" </dev/null >/dev/null 2>&1
}

postgresql_remove() {
    # Only directories that this script has created are removed.
    case $1 in /tmp/login-pg.??????) ;; *) echo "postgresql: $1 was not created by this script" >&2 && return 1 ;; esac
    [ ! -e "$1/data/postmaster.pid" ] || postgresql_stop "$1" immediate || true
    rm -rf "$1"
}

postgresql_run() {
    local directory status=0
    directory=$(postgresql_new)
    # shellcheck disable=SC2064
    trap "postgresql_remove '$directory'" EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    postgresql_start "$directory"
    LIMITED_LOGIN_POSTGRESQL="host=$directory user=login dbname=postgres" "$@" || status=$?
    exit "$status"
}

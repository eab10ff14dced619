// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors
//
// What Swift needs of libpq, and nothing more.

#ifndef CLOGIN_POSTGRESQL_SHIM_H
#define CLOGIN_POSTGRESQL_SHIM_H

#include <libpq-fe.h>
#include <poll.h>

// The names of fields are macros for characters, which Swift would take for a type of its own.
static inline const char *CLogin_PQ_sqlstate(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_SQLSTATE);
}
static inline const char *CLogin_PQ_table(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_TABLE_NAME);
}
static inline const char *CLogin_PQ_constraint(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_CONSTRAINT_NAME);
}

// Waits until there is something to read, or where that is asked for to write, or the time is over; a signal may end it earlier.
static inline void CLogin_PQ_wait(const PGconn *connection, int writes, int milliseconds) {
    struct pollfd socket = {PQsocket(connection), (short)(writes ? POLLIN | POLLOUT : POLLIN), 0};
    (void)poll(&socket, 1, milliseconds);
}

// Without this, libpq prints what the server notices to standard error, with values of rows in it.
static inline void CLogin_PQ_ignore(void *nothing, const PGresult *result) {
    (void)nothing;
    (void)result;
}
static inline void CLogin_PQ_ignore_notices(PGconn *connection) {
    PQsetNoticeReceiver(connection, CLogin_PQ_ignore, 0);
}

#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// System calls for the benchmarks: running a program and measuring what it used, and making memory unreadable.

#ifndef CMACHINE_H
#define CMACHINE_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    /// The exit status; 128 plus the signal's number if a signal ended the program; -1 if it could not be started.
    int status;
    double wall_seconds;
    /// The processor time, user and system mode together.
    double cpu_seconds;
    /// The peak memory. It is at least the parent's: Linux passes the parent's own peak on to the child.
    int64_t peak_bytes;
} CMachine_Run;

/// Runs a program and waits until it exits. `arguments` holds its name and arguments, each terminated by a NUL byte.
/// Its standard output goes to a file, which is created or truncated, and its standard error to ours.
CMachine_Run CMachine_run(const char *arguments, size_t size, const char *output);

/// Makes the whole pages of a range unreadable, or readable and writable again; returns their size in bytes, 0 on
/// failure.
size_t CMachine_protect(const void *start, size_t size, int is_readable);

#endif

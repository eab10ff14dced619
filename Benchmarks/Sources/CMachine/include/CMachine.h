// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// What is asked of the system: to run another program and say what it took, and to make memory unreadable.

#ifndef CMACHINE_H
#define CMACHINE_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    /// The exit status; 128 and the number of the signal if one ended it; -1 if it could not be started.
    int status;
    double wall_seconds;
    /// Of its processors, in user and system mode together.
    double cpu_seconds;
    /// The most memory it had at once. What starts it counts too: Linux passes its own peak on to the child.
    int64_t peak_bytes;
} CMachine_Run;

/// Runs a program and waits for its end. Its name and arguments stand one after the other, each ended by a zero. Its output
/// goes to a file, which is made anew, and what it says on standard error to ours.
CMachine_Run CMachine_run(const char *arguments, size_t size, const char *output);

/// Makes the whole pages of a range unreadable, or readable and writable again; how many bytes they are, 0 if it fails.
size_t CMachine_protect(const void *start, size_t size, int is_readable);

#endif

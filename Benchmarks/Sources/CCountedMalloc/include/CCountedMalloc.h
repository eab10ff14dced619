// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// Counts what the heap is asked for, by standing in for malloc and its relatives in the whole process: in Swift's library and
// in OpenSSL as in ours. Link it into an executable that counts, and into no other.

#ifndef CCOUNTED_MALLOC_H
#define CCOUNTED_MALLOC_H

#include <stdint.h>

typedef struct {
    /// Blocks asked for. One that was made larger counts again.
    uint64_t allocations;
    /// Bytes asked for.
    uint64_t bytes;
    /// Those of the blocks that OpenSSL asked for.
    uint64_t openssl_allocations;
} CCountedMalloc_Counts;

/// What was asked for since the process began, by all its threads.
CCountedMalloc_Counts CCountedMalloc_counts(void);

/// Whether it can count on this system: only glibc lets others stand in for its allocator and use it.
int CCountedMalloc_works(void);

#endif

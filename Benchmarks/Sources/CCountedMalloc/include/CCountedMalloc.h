// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// Counts heap allocations by replacing malloc and related functions in the whole process: in the Swift runtime and in
// OpenSSL as in our own code. Link it only into an executable that counts.

#ifndef CCOUNTED_MALLOC_H
#define CCOUNTED_MALLOC_H

#include <stdint.h>

typedef struct {
    /// The number of allocated blocks. A reallocation counts again.
    uint64_t allocations;
    /// The number of allocated bytes.
    uint64_t bytes;
    /// The number of blocks that OpenSSL allocated.
    uint64_t openssl_allocations;
} CCountedMalloc_Counts;

/// Returns the allocations of all threads since the process started.
CCountedMalloc_Counts CCountedMalloc_counts(void);

/// Returns whether counting works on this system: only glibc allows its allocator to be replaced and called.
int CCountedMalloc_works(void);

#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#include "CCountedMalloc.h"

#include <openssl/crypto.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

static atomic_uint_fast64_t allocations;
static atomic_uint_fast64_t bytes;
static atomic_uint_fast64_t openssl_allocations;

CCountedMalloc_Counts CCountedMalloc_counts(void) {
    return (CCountedMalloc_Counts){
        .allocations = atomic_load(&allocations),
        .bytes = atomic_load(&bytes),
        .openssl_allocations = atomic_load(&openssl_allocations),
    };
}

#ifdef __GLIBC__

// Follows "Replacing malloc" in the glibc manual:
// https://sourceware.org/glibc/manual/latest/html_node/Replacing-malloc.html
// The names below are glibc's own for the functions that are replaced. free needs no replacement: all blocks come from
// glibc.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static void count(size_t size) {
    atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&bytes, size, memory_order_relaxed);
}

void *malloc(size_t size) {
    count(size);
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count(number * size);
    return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
    count(size);
    return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
    count(size);
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **block, size_t alignment, size_t size) {
    *block = memalign(alignment, size);
    return *block == NULL ? 12 : 0;  // ENOMEM
}

static void *openssl_malloc(size_t size, const char *file, int line) {
    (void)file, (void)line;
    atomic_fetch_add_explicit(&openssl_allocations, 1, memory_order_relaxed);
    return malloc(size);
}

static void *openssl_realloc(void *block, size_t size, const char *file, int line) {
    (void)file, (void)line;
    atomic_fetch_add_explicit(&openssl_allocations, 1, memory_order_relaxed);
    return realloc(block, size);
}

static void openssl_free(void *block, const char *file, int line) {
    (void)file, (void)line;
    free(block);
}

static int works;

// OpenSSL accepts other allocation functions only before its first allocation.
__attribute__((constructor)) static void tell_openssl(void) {
    works = CRYPTO_set_mem_functions(openssl_malloc, openssl_realloc, openssl_free) == 1;
}

int CCountedMalloc_works(void) { return works; }

#else

int CCountedMalloc_works(void) { return 0; }

#endif

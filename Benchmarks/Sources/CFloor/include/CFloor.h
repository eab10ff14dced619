// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// The minimum cost of a token or a proof: one SHA-256 of the signing input and one verification by OpenSSL, with
// everything prepared that can be. No parsing, no base64url, no copy and no allocation of our own.

#ifndef CFLOOR_H
#define CFLOOR_H

#include <stddef.h>
#include <stdint.h>

typedef struct CFloor CFloor;

/// Prepares to verify RS256 signatures with the key of this modulus and exponent, both big-endian. Not thread-safe.
/// Returns NULL if OpenSSL refuses the key.
CFloor *CFloor_new(const uint8_t *modulus, size_t modulus_size, const uint8_t *exponent, size_t exponent_size);

/// Prepares to verify ES256 signatures with the key of this point of P-256, uncompressed. Not thread-safe. Returns NULL
/// if OpenSSL refuses the key.
CFloor *CFloor_new_p256(const uint8_t *point, size_t point_size);

void CFloor_free(CFloor *floor);

/// Verifies a signature, which is in DER for ES256, the given number of times; returns how many times it was valid.
size_t CFloor_verify(
    CFloor *floor, const uint8_t *input, size_t input_size, const uint8_t *signature, size_t signature_size, size_t times);

/// Creates a key from these numbers and frees it, the given number of times; returns how many times OpenSSL accepted
/// it.
size_t CFloor_import(
    const uint8_t *modulus, size_t modulus_size, const uint8_t *exponent, size_t exponent_size, size_t times);

/// Writes the key to a file in PEM, as the openssl command reads it; returns whether that succeeded.
int CFloor_write_key(const CFloor *floor, const char *path);

/// Returns the version of OpenSSL at run time, which may differ from that of the headers.
const char *CFloor_openssl_version(void);

#endif

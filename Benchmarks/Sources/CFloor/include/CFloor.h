// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// The least that a token costs: one SHA-256 of what was signed and one RSA operation, by OpenSSL, with everything that can
// be prepared prepared. No parsing, no base64url, no copy, no allocation of ours.

#ifndef CFLOOR_H
#define CFLOOR_H

#include <stddef.h>
#include <stdint.h>

typedef struct CFloor CFloor;

/// Prepares to verify RS256 signatures of the key with this modulus and exponent, both big-endian. For one thread at a time.
/// NULL if OpenSSL does not take the key.
CFloor *CFloor_new(const uint8_t *modulus, size_t modulus_size, const uint8_t *exponent, size_t exponent_size);

void CFloor_free(CFloor *floor);

/// Verifies a signature so many times; how many times the answer was yes.
size_t CFloor_verify(
    CFloor *floor, const uint8_t *input, size_t input_size, const uint8_t *signature, size_t signature_size, size_t times);

/// Makes a key of these numbers, and frees it, so many times; how many times OpenSSL took it.
size_t CFloor_import(
    const uint8_t *modulus, size_t modulus_size, const uint8_t *exponent, size_t exponent_size, size_t times);

/// Writes the key in PEM, as the openssl command reads it, to a file; whether it is there now.
int CFloor_write_key(const CFloor *floor, const char *path);

/// The version of the OpenSSL that is running, which need not be that of the headers.
const char *CFloor_openssl_version(void);

#endif

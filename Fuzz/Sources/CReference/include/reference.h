// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#ifndef REFERENCE_H
#define REFERENCE_H

#include <stddef.h>
#include <stdint.h>

// An RSA key pair. The header uses no type name of OpenSSL: the library imports the same C types into Swift
// differently, and the compiler confuses the two where it sees both.
typedef struct reference_key ReferenceKey;

// Creates a key pair from its eight numbers in the order of RFC 7518 §6.3: n, e, d, p, q, dp, dq, qi. They are
// concatenated, big-endian, with the lengths in counts. Returns NULL if they are not a key pair.
ReferenceKey *reference_key(const uint8_t *numbers, const size_t counts[8]);

// Signs with RS256. Returns the length of the signature; 0 if the buffer is too small or signing fails.
size_t reference_sign(ReferenceKey *key, const uint8_t *message, size_t length, uint8_t *signature, size_t room);

// Returns 1 if this is the key's RS256 signature of the message, else 0.
int reference_verify(
    ReferenceKey *key, const uint8_t *message, size_t length, const uint8_t *signature, size_t signature_length
);

#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#ifndef REFERENCE_H
#define REFERENCE_H

#include <stddef.h>
#include <stdint.h>

// An RSA key pair. No name of OpenSSL stands here: the library shows Swift another face of the same C type, and where both are
// seen, the compiler confuses them.
typedef struct reference_key ReferenceKey;

// Makes a key pair of its eight numbers, as RFC 7518 §6.3 orders them: n, e, d, p, q, dp, dq, qi. They stand one after the
// other, big-endian, as many bytes each as counts says. NULL if they are no key pair.
ReferenceKey *reference_key(const uint8_t *numbers, const size_t counts[8]);

// Signs by RS256. Returns the length of the signature; 0 if there was no room or it could not be made.
size_t reference_sign(ReferenceKey *key, const uint8_t *message, size_t length, uint8_t *signature, size_t room);

// 1 if this is the key's signature of the message by RS256, else 0.
int reference_verify(
    ReferenceKey *key, const uint8_t *message, size_t length, const uint8_t *signature, size_t signature_length
);

#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors
//
// What Swift needs of libcrypto, and nothing more. A wrapper stands here only where Swift cannot call the original;
// each says why.

#ifndef CLOGIN_OPENSSL_SHIM_H
#define CLOGIN_OPENSSL_SHIM_H

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
// For memchr and memcmp.
#include <string.h>

// EVP_PKEY_up_ref answers an int; Swift's retain operation must answer nothing. And Swift retains what an optional key
// holds without asking whether there is one, which EVP_PKEY_up_ref does not survive.
static inline void CLogin_EVP_PKEY_retain(EVP_PKEY *key) {
    if (key != NULL) EVP_PKEY_up_ref(key);
}

// Kept beside its twin, so that the pair named in the API notes is read in one place. EVP_PKEY_free takes NULL.
static inline void CLogin_EVP_PKEY_release(EVP_PKEY *key) { EVP_PKEY_free(key); }

// A thread is a number on one system, and a pointer on another.
static inline size_t CLogin_thread(void) { return (size_t)CRYPTO_THREAD_get_current_id(); }

// EVP_PKEY_PUBLIC_KEY is a compound macro, which Swift does not import.
enum { CLogin_EVP_PKEY_PUBLIC_KEY = EVP_PKEY_PUBLIC_KEY };

// OSSL_PARAM_BLD_push_* keep the pointer to a name until the parameters are freed; the pointer that Swift makes of a
// string macro ends with the call.
static const char *const CLogin_RSA_modulus = OSSL_PKEY_PARAM_RSA_N;
static const char *const CLogin_RSA_exponent = OSSL_PKEY_PARAM_RSA_E;
static const char *const CLogin_EC_group = OSSL_PKEY_PARAM_GROUP_NAME;
static const char *const CLogin_EC_point = OSSL_PKEY_PARAM_PUB_KEY;

#endif

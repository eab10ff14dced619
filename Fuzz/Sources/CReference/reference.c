// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#include "reference.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

// ReferenceKey is EVP_PKEY under another name.
static EVP_PKEY *openssl(ReferenceKey *key) { return (EVP_PKEY *)key; }

ReferenceKey *reference_key(const uint8_t *numbers, const size_t counts[8]) {
    static const char *const names[8] = {
        OSSL_PKEY_PARAM_RSA_N,         OSSL_PKEY_PARAM_RSA_E,         OSSL_PKEY_PARAM_RSA_D,
        OSSL_PKEY_PARAM_RSA_FACTOR1,   OSSL_PKEY_PARAM_RSA_FACTOR2,   OSSL_PKEY_PARAM_RSA_EXPONENT1,
        OSSL_PKEY_PARAM_RSA_EXPONENT2, OSSL_PKEY_PARAM_RSA_COEFFICIENT1,
    };
    BIGNUM *values[8] = {NULL};
    EVP_PKEY *key = NULL;
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    int good = builder != NULL;
    for (int index = 0; index < 8; index++) {
        values[index] = BN_bin2bn(numbers, (int)counts[index], NULL);
        numbers += counts[index];
        good = good && values[index] != NULL && OSSL_PARAM_BLD_push_BN(builder, names[index], values[index]) == 1;
    }
    OSSL_PARAM *parameters = good ? OSSL_PARAM_BLD_to_param(builder) : NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
    if (parameters == NULL || context == NULL || EVP_PKEY_fromdata_init(context) != 1 ||
        EVP_PKEY_fromdata(context, &key, EVP_PKEY_KEYPAIR, parameters) != 1) {
        key = NULL;
    }
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(builder);
    for (int index = 0; index < 8; index++) { BN_clear_free(values[index]); }
    return (ReferenceKey *)key;
}

size_t reference_sign(ReferenceKey *key, const uint8_t *message, size_t length, uint8_t *signature, size_t room) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    EVP_PKEY_CTX *parameters = NULL;
    size_t written = room;
    int good = context != NULL && EVP_DigestSignInit(context, &parameters, EVP_sha256(), NULL, openssl(key)) == 1 &&
               EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PADDING) == 1 &&
               EVP_DigestSign(context, signature, &written, message, length) == 1;
    EVP_MD_CTX_free(context);
    return good ? written : 0;
}

int reference_verify(
    ReferenceKey *key, const uint8_t *message, size_t length, const uint8_t *signature, size_t signature_length
) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    EVP_PKEY_CTX *parameters = NULL;
    int good = context != NULL && EVP_DigestVerifyInit(context, &parameters, EVP_sha256(), NULL, openssl(key)) == 1 &&
               EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PADDING) == 1 &&
               EVP_DigestVerify(context, signature, signature_length, message, length) == 1;
    EVP_MD_CTX_free(context);
    return good;
}

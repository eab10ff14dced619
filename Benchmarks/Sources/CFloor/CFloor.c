// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#include "CFloor.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <stdio.h>
#include <stdlib.h>

struct CFloor {
    EVP_MD *sha256;
    EVP_PKEY *key;
    EVP_PKEY_CTX *context;
};

static EVP_PKEY *import_key(
    const uint8_t *modulus, size_t modulus_size, const uint8_t *exponent, size_t exponent_size) {
    EVP_PKEY *key = NULL;
    BIGNUM *n = BN_bin2bn(modulus, (int)modulus_size, NULL);
    BIGNUM *e = BN_bin2bn(exponent, (int)exponent_size, NULL);
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    OSSL_PARAM *parameters = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
    if (n != NULL && e != NULL && builder != NULL && context != NULL
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n) == 1
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e) == 1
        && (parameters = OSSL_PARAM_BLD_to_param(builder)) != NULL && EVP_PKEY_fromdata_init(context) == 1
        && EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1) {
        key = NULL;
    }
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(builder);
    BN_free(e);
    BN_free(n);
    return key;
}

static EVP_PKEY *import_p256_key(const uint8_t *point, size_t point_size) {
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, point_size),
        OSSL_PARAM_construct_end(),
    };
    if (context != NULL && EVP_PKEY_fromdata_init(context) == 1
        && EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1) {
        key = NULL;
    }
    EVP_PKEY_CTX_free(context);
    return key;
}

// Takes ownership of the key. A padding of 0 is for keys without padding.
static CFloor *prepare(EVP_PKEY *key, int padding) {
    CFloor *floor = calloc(1, sizeof *floor);
    if (floor == NULL) {
        EVP_PKEY_free(key);
        return NULL;
    }
    floor->sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
    floor->key = key;
    floor->context = floor->key == NULL ? NULL : EVP_PKEY_CTX_new_from_pkey(NULL, floor->key, NULL);
    if (floor->sha256 == NULL || floor->context == NULL || EVP_PKEY_verify_init(floor->context) != 1
        || (padding != 0 && EVP_PKEY_CTX_set_rsa_padding(floor->context, padding) != 1)
        || EVP_PKEY_CTX_set_signature_md(floor->context, floor->sha256) != 1) {
        CFloor_free(floor);
        return NULL;
    }
    return floor;
}

CFloor *CFloor_new(const uint8_t *modulus, size_t modulus_size, const uint8_t *exponent, size_t exponent_size) {
    return prepare(import_key(modulus, modulus_size, exponent, exponent_size), RSA_PKCS1_PADDING);
}

CFloor *CFloor_new_p256(const uint8_t *point, size_t point_size) {
    return prepare(import_p256_key(point, point_size), 0);
}

void CFloor_free(CFloor *floor) {
    if (floor == NULL) return;
    EVP_PKEY_CTX_free(floor->context);
    EVP_PKEY_free(floor->key);
    EVP_MD_free(floor->sha256);
    free(floor);
}

size_t CFloor_verify(
    CFloor *floor, const uint8_t *input, size_t input_size, const uint8_t *signature, size_t signature_size, size_t times) {
    size_t valid = 0;
    for (size_t number = 0; number < times; number++) {
        uint8_t digest[EVP_MAX_MD_SIZE];
        unsigned int digest_size = 0;
        valid += EVP_Digest(input, input_size, digest, &digest_size, floor->sha256, NULL) == 1
                 && EVP_PKEY_verify(floor->context, signature, signature_size, digest, digest_size) == 1;
    }
    return valid;
}

size_t CFloor_import(
    const uint8_t *modulus, size_t modulus_size, const uint8_t *exponent, size_t exponent_size, size_t times) {
    size_t taken = 0;
    for (size_t number = 0; number < times; number++) {
        EVP_PKEY *key = import_key(modulus, modulus_size, exponent, exponent_size);
        taken += key != NULL;
        EVP_PKEY_free(key);
    }
    return taken;
}

int CFloor_write_key(const CFloor *floor, const char *path) {
    FILE *file = fopen(path, "w");
    if (file == NULL) return 0;
    int written = PEM_write_PUBKEY(file, floor->key) == 1;
    return fclose(file) == 0 && written;
}

const char *CFloor_openssl_version(void) { return OpenSSL_version(OPENSSL_VERSION); }

// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors
//
// What Swift needs of libidn2, and nothing more.

#ifndef CLOGIN_IDN_SHIM_H
#define CLOGIN_IDN_SHIM_H

#include <idn2.h>
#include <stddef.h>
#include <stdint.h>

// Returns the ASCII form of a domain, by UTS 46 without the transitional mapping, and RFC 5891 §5; NULL if it has none. Free it with
// idn2_free. IDN2_USE_STD3_ASCII_RULES is not set, because libidn2 2.3 then removes the characters that these rules forbid: "exam_ple"
// would become "example".
static inline uint8_t *CLogin_IDN_ascii(const uint8_t *domain) {
    uint8_t *ascii = NULL;
    int flags = IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL | IDN2_ALABEL_ROUNDTRIP;
    return idn2_lookup_u8(domain, &ascii, flags) == IDN2_OK ? ascii : NULL;
}

// Returns whether a label of an ASCII form (xn--…) stands for a name that can be registered, and the name for this label (RFC 5891 §4).
// This is stricter than a look-up: it also checks the context of characters such as the middle dot.
static inline int CLogin_IDN_is_registrable(const char *label) {
    char *name = NULL;
    uint8_t *again = NULL;
    int is_registrable = idn2_to_unicode_8z8z(label, &name, 0) == IDN2_OK
        && idn2_register_u8((const uint8_t *)name, (const uint8_t *)label, &again, 0) == IDN2_OK;
    idn2_free(name);
    idn2_free(again);
    return is_registrable;
}

#endif

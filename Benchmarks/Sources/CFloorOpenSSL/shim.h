// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// The C targets include OpenSSL's own headers; this module brings what pkg-config says of where they and the library are.
#include <openssl/crypto.h>

// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// The C targets include OpenSSL's own headers; this module adds the paths of headers and library that pkg-config
// reports.
#include <openssl/crypto.h>

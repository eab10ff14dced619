// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import CLoginOpenSSL

/// Keeps libcrypto from freeing its memory when the process exits.
///
/// By default it does, while other threads may still use it or end, and a thread that ends frees a part of the same
/// memory: the process then aborts after its work is done. The system reclaims the memory in any case.
///
/// The first call into libcrypto decides, so this call must precede all others of the process. ``withOpenSSL(_:)``
/// makes it. Call it before another library, such as libpq, may initialize libcrypto.
package func keepOpenSSLAtExit() {
    _ = initialization
}

private let initialization: Int32 = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)

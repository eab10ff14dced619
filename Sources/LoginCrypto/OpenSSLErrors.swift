// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import CLoginOpenSSL

/// Runs calls into libcrypto, and removes the entries that they add to the error queue.
///
/// The queue belongs to the thread and outlives the call that filled it. A refused RSA signature leaves entries that
/// the next user of this thread, for example a TLS library, would mistake for its own. Earlier entries of other code
/// stay. `body` is synchronous, so no suspension can move it to another thread.
func withOpenSSL<Result: ~Copyable, Failure: Error>(
    _ body: () throws(Failure) -> Result
) throws(Failure) -> Result {
    keepOpenSSLAtExit()
    ERR_set_mark()
    defer { ERR_pop_to_mark() }
    return try body()
}

/// Whether this thread's error queue is empty.
///
/// Tests check it after refusals (T-075).
package var openSSLErrorQueueIsEmpty: Bool {
    keepOpenSSLAtExit()
    return ERR_peek_error() == 0
}

/// The version of the libcrypto in use, for example `OpenSSL 3.0.19 27 Jan 2026`.
package var openSSLVersion: String {
    unsafe String(cString: OpenSSL_version(OPENSSL_VERSION))
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// An exclusive lock on a file, which the system releases at the latest when the process ends (flock(2)).
struct FileLock {
    private let descriptor: Int32

    /// Locks a file, and creates it with mode 0600 if it is missing.
    ///
    /// The result is nil if the file is locked already, in this or another process, or cannot be created.
    init?(path: String) {
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return nil }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
    }

    /// Releases the lock; called once.
    func release() { close(descriptor) }
}

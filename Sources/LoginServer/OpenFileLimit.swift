// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// The maximum number of files and connections that the process may have open.
///
/// Many systems begin with a lower one than they permit. Without a free descriptor, libraries of the system may end the
/// process.
enum OpenFileLimit {
    #if canImport(Glibc)
    private static var openFiles: __rlimit_resource_t { __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)) }
    #else
    private static var openFiles: Int32 { RLIMIT_NOFILE }
    #endif

    /// Raises the limit, as far as the system permits.
    ///
    /// - Parameter needed: The number of files, 0 or more.
    /// - Returns: The limit afterwards, `needed` or more if the system permits it.
    static func raise(to needed: Int) -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(openFiles, &limit) == 0 else { return needed }
        let current = limit.rlim_cur
        guard current < rlim_t(needed) else { return Int(clamping: current) }
        limit.rlim_cur = min(rlim_t(needed), limit.rlim_max)
        return Int(clamping: unsafe setrlimit(openFiles, &limit) == 0 ? limit.rlim_cur : current)
    }
}
#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTPClient
internal import LoginTokens
internal import NIOPosix
internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// Resolves host names with the system's resolver (`getaddrinfo`).
///
/// A call may block for half a minute if a name server is unresponsive. It therefore runs on dedicated threads, and the
/// waiting task can be cancelled.
struct SystemResolver: NameResolver {
    /// The threads for lookups: at most four run at once, and further ones wait for a thread.
    private static let threads = {
        let threads = NIOThreadPool(numberOfThreads: 4)
        threads.start()
        return threads
    }()

    private let threads: NIOThreadPool
    private let ask: @Sendable (String) -> [IPAddress]

    init() {
        self.init(threads: Self.threads, ask: Self.systemAddresses)
    }

    /// Creates a resolver.
    ///
    /// - Parameters:
    ///   - threads: The thread pool for lookups, already started.
    ///   - ask: A closure that returns the addresses of a host, and may block.
    init(threads: NIOThreadPool, ask: @escaping @Sendable (String) -> [IPAddress]) {
        self.threads = threads
        self.ask = ask
    }

    func addresses(of name: String) async throws(TransportFailure) -> [IPAddress] {
        let lookup = Lookup()
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { (waiting: CheckedContinuation<Lookup.Answer, Never>) in
                lookup.wait(waiting)
                threads.submit { [ask] state in
                    // Lookups of cancelled tasks are skipped. Otherwise the threads could fall behind forever.
                    guard state == .active, lookup.isWanted else { return lookup.end(Lookup.left) }
                    lookup.end(.success(ask(name)))
                }
            }
        } onCancel: {
            lookup.end(Lookup.left)
        }
        return try answer.get()
    }

    private static func systemAddresses(of name: String) -> [IPAddress] {
        var hints = unsafe addrinfo()
        // Without flags, all addresses are returned, whatever interfaces this machine has.
        unsafe hints.ai_flags = 0
        unsafe hints.ai_family = AF_UNSPEC
        #if canImport(Glibc)
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        unsafe hints.ai_socktype = SOCK_STREAM
        #endif
        unsafe hints.ai_protocol = Int32(IPPROTO_TCP)
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(name, nil, &hints, &list) == 0 else { return [] }
        defer { unsafe freeaddrinfo(list) }
        var addresses: [IPAddress] = []
        var next = unsafe list
        while let entry = unsafe next {
            if let address = unsafe Self.address(entry.pointee) { addresses.append(address) }
            unsafe next = entry.pointee.ai_next
        }
        return addresses
    }

    private static func address(_ entry: addrinfo) -> IPAddress? {
        guard let address = unsafe UnsafeRawPointer(entry.ai_addr) else { return nil }
        let size = unsafe Int(entry.ai_addrlen)
        switch unsafe entry.ai_family {
        case AF_INET where size >= MemoryLayout<sockaddr_in>.size:
            let address = unsafe address.loadUnaligned(as: sockaddr_in.self).sin_addr
            return .v4(UInt32(bigEndian: address.s_addr))
        case AF_INET6 where size >= MemoryLayout<sockaddr_in6>.size:
            let address = unsafe address.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            return unsafe withUnsafeBytes(of: address) { bytes in
                .v6(unsafe bytes.reduce(0) { $0 << 8 | UInt128($1) })
            }
        default:
            return nil
        }
    }
}

/// A wait for the result of a lookup: the first result is used, be it the addresses or the cancellation.
private final class Lookup: Sendable {
    typealias Answer = Result<[IPAddress], TransportFailure>

    static let left = Answer.failure(TransportFailure(.interrupted, "the address lookup was cancelled"))

    private enum State {
        case begun
        case waiting(CheckedContinuation<Answer, Never>)
        case ended(Answer)
    }

    private let state = Mutex(State.begun)

    var isWanted: Bool {
        state.withLock { state in
            if case .ended = state { false } else { true }
        }
    }

    func wait(_ continuation: CheckedContinuation<Answer, Never>) {
        let answer: Answer? = state.withLock { state in
            if case .ended(let answer) = state { return answer }
            state = .waiting(continuation)
            return nil
        }
        if let answer { continuation.resume(returning: answer) }
    }

    func end(_ answer: Answer) {
        let continuation: CheckedContinuation<Answer, Never>? = state.withLock { state in
            defer { if case .ended = state {} else { state = .ended(answer) } }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
        continuation?.resume(returning: answer)
    }
}
#endif

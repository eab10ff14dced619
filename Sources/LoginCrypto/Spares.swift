// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import CLoginOpenSSL
internal import Synchronization

/// Objects of libcrypto's that are dear to make, and that can be used again.
///
/// Each use has one to itself, and gives it back. A copy for each use would take blocks of the heap, and counts of references
/// that threads change in turn. A thread looks first where it left one, so threads that do the same work keep out of each
/// other's way.
@safe
struct Spares: ~Copyable, Sendable {
    /// One for each of so many threads: what more of them leave is freed.
    static let capacity = 16

    private let free: @convention(c) (OpaquePointer?) -> Void
    private nonisolated(unsafe) let places: UnsafeMutablePointer<Place>

    /// No objects yet.
    ///
    /// - Parameter free: What frees one.
    init(free: @escaping @convention(c) (OpaquePointer?) -> Void) {
        unsafe self.free = unsafe free
        unsafe places = .allocate(capacity: Self.capacity)
        for index in 0..<Self.capacity { unsafe (places + index).initialize(to: Place()) }
    }

    deinit {
        for index in 0..<Self.capacity {
            if let spare = unsafe places[index].spare.load(ordering: .acquiring) { unsafe free(spare) }
        }
        unsafe places.deinitialize(count: Self.capacity)
        unsafe places.deallocate()
    }

    /// One for the caller alone, who gives it back after use; nil where there is none, and one has to be made.
    func take() -> OpaquePointer? {
        let first = Self.firstPlace
        for index in first..<(first + Self.capacity) {
            let place = unsafe places + index % Self.capacity
            guard unsafe place.pointee.spare.load(ordering: .relaxed) != nil else { continue }
            if let spare = unsafe place.pointee.spare.exchange(nil, ordering: .acquiring) { return unsafe spare }
        }
        return nil
    }

    /// Keeps one for the next use.
    func giveBack(_ spare: OpaquePointer) {
        let first = Self.firstPlace
        for index in first..<(first + Self.capacity) {
            let place = unsafe places + index % Self.capacity
            let (isKept, _) = unsafe place.pointee.spare.compareExchange(
                expected: nil,
                desired: spare,
                ordering: .releasing
            )
            if isKept { return }
        }
        unsafe free(spare)
    }

    /// Where this thread looks first.
    private static var firstPlace: Int {
        // The highest four bits of a product depend on all bits of its factors.
        Int(truncatingIfNeeded: (UInt64(CLogin_thread()) &* 0x9E37_79B9_7F4A_7C15) >> 60)
    }
}

/// Where one spare lies, alone in its line of the processor's cache.
@safe
private struct Place: ~Copyable {
    let spare = unsafe Atomic<OpaquePointer?>(nil)
    private let rest: (Int, Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0, 0)
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import CLoginOpenSSL
internal import Synchronization

/// A pool of libcrypto objects that are expensive to create and can be reused.
///
/// A caller has exclusive use of an object until it returns it. Creating a copy for each use would allocate memory and
/// make threads contend for reference counts. A thread first tries the slot it used last, so threads that do the same
/// work rarely interfere.
@safe
struct Spares: ~Copyable, Sendable {
    /// The maximum number of pooled objects, one for each of as many threads; further returned objects are freed.
    static let capacity = 16

    private let free: @convention(c) (OpaquePointer?) -> Void
    private nonisolated(unsafe) let places: UnsafeMutablePointer<Place>

    /// Creates an empty pool.
    ///
    /// - Parameter free: The function that frees an object.
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

    /// Returns an object for exclusive use, which the caller must return; nil if the pool is empty.
    func take() -> OpaquePointer? {
        let first = Self.firstPlace
        for index in first..<(first + Self.capacity) {
            let place = unsafe places + index % Self.capacity
            guard unsafe place.pointee.spare.load(ordering: .relaxed) != nil else { continue }
            if let spare = unsafe place.pointee.spare.exchange(nil, ordering: .acquiring) { return unsafe spare }
        }
        return nil
    }

    /// Returns an object to the pool, or frees it if the pool is full.
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

    /// The index of the slot that this thread tries first.
    private static var firstPlace: Int {
        // The highest four bits of a product depend on all bits of its factors.
        Int(truncatingIfNeeded: (UInt64(CLogin_thread()) &* 0x9E37_79B9_7F4A_7C15) >> 60)
    }
}

/// A slot of the pool, in a cache line of its own.
@safe
private struct Place: ~Copyable {
    let spare = unsafe Atomic<OpaquePointer?>(nil)
    private let rest: (Int, Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0, 0)
}

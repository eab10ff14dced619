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
struct ObjectPool: ~Copyable, Sendable {
    /// The maximum number of pooled objects, one for each of as many threads; further returned objects are freed.
    static let capacity = 16

    private let free: @convention(c) (OpaquePointer?) -> Void
    private nonisolated(unsafe) let slots: UnsafeMutablePointer<Slot>

    /// Creates an empty pool.
    ///
    /// - Parameter free: The function that frees an object.
    init(free: @escaping @convention(c) (OpaquePointer?) -> Void) {
        unsafe self.free = unsafe free
        unsafe slots = .allocate(capacity: Self.capacity)
        for index in 0..<Self.capacity { unsafe (slots + index).initialize(to: Slot()) }
    }

    deinit {
        for index in 0..<Self.capacity {
            if let object = unsafe slots[index].object.load(ordering: .acquiring) { unsafe free(object) }
        }
        unsafe slots.deinitialize(count: Self.capacity)
        unsafe slots.deallocate()
    }

    /// Returns an object for exclusive use, which the caller must return; nil if the pool is empty.
    func take() -> OpaquePointer? {
        let first = Self.firstSlot
        for index in first..<(first + Self.capacity) {
            let slot = unsafe slots + index % Self.capacity
            guard unsafe slot.pointee.object.load(ordering: .relaxed) != nil else { continue }
            if let object = unsafe slot.pointee.object.exchange(nil, ordering: .acquiring) { return unsafe object }
        }
        return nil
    }

    /// Returns an object to the pool, or frees it if the pool is full.
    func giveBack(_ object: OpaquePointer) {
        let first = Self.firstSlot
        for index in first..<(first + Self.capacity) {
            let slot = unsafe slots + index % Self.capacity
            let (isKept, _) = unsafe slot.pointee.object.compareExchange(
                expected: nil,
                desired: object,
                ordering: .releasing
            )
            if isKept { return }
        }
        unsafe free(object)
    }

    /// The index of the slot that this thread tries first.
    private static var firstSlot: Int {
        // The highest four bits of a product depend on all bits of its factors.
        Int(truncatingIfNeeded: (UInt64(CLogin_thread()) &* 0x9E37_79B9_7F4A_7C15) >> 60)
    }
}

/// A slot of the pool, in a cache line of its own.
@safe
private struct Slot: ~Copyable {
    let object = unsafe Atomic<OpaquePointer?>(nil)
    private let rest: (Int, Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0, 0)
}

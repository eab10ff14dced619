// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A binary heap of keys in the order of their expiry.
///
/// Lifetimes differ, so entries do not expire in the order in which they were added. A scan of all entries on each call
/// would let a flood of attempts slow down all others.
struct ExpiryQueue<Key: Sendable>: Sendable {
    struct Item: Sendable {
        let expiry: Double
        let key: Key
    }

    /// The heap: each item expires no later than its children, at twice its index plus one and plus two.
    private var items: [Item] = []

    /// The number of items.
    var count: Int { items.count }

    /// The item that expires first.
    var first: Item? { items.first }

    mutating func insert(_ item: Item) {
        items.append(item)
        var child = items.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard items[child].expiry < items[parent].expiry else { return }
            items.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes and returns the item that expires first; the queue must not be empty.
    mutating func removeFirst() -> Item {
        items.swapAt(0, items.count - 1)
        let first = items.removeLast()
        var parent = 0
        while true {
            var smallest = parent
            for child in 2 * parent + 1...2 * parent + 2
            where child < items.count && items[child].expiry < items[smallest].expiry {
                smallest = child
            }
            guard smallest != parent else { return first }
            items.swapAt(smallest, parent)
            parent = smallest
        }
    }
}

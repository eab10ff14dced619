// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import NIOCore
internal import Synchronization

/// The connections that wait for their clients, in the order in which they began to wait.
///
/// Each operation takes a constant time on average, because each request of a server begins and ends a wait.
struct WaitingList<Member: Hashable & Sendable>: Sendable {
    private let maximum: Int
    /// The turn of each member; a higher one began to wait later.
    private var turns: [Member: UInt64] = [:]
    /// The turns of members, and those of former members until they are removed.
    private var order: [(turn: UInt64, member: Member)] = []
    /// The number of turns at the beginning of ``order`` that are over.
    private var over = 0
    private var lastTurn: UInt64 = 0

    /// Creates an empty list.
    ///
    /// - Parameter maximum: The maximum number of members, 1 or more.
    init(maximum: Int) { self.maximum = maximum }

    /// Adds a member to the end of the list.
    ///
    /// - Parameter member: The member, which is not on the list.
    /// - Returns: The member that has waited longest and was removed, if the list was full.
    mutating func add(_ member: Member) -> Member? {
        lastTurn += 1
        turns[member] = lastTurn
        order.append((lastTurn, member))
        if order.count > 2 * turns.count + 64 {
            order.removeAll { turns[$0.member] != $0.turn }
            over = 0
        }
        return turns.count > maximum ? removeFirst() : nil
    }

    /// Removes a member, if it is on the list.
    mutating func remove(_ member: Member) { turns[member] = nil }

    private mutating func removeFirst() -> Member? {
        while over < order.count {
            let (turn, member) = order[over]
            over += 1
            guard turns[member] == turn else { continue }
            turns[member] = nil
            return member
        }
        return nil
    }
}

/// Closes the connection that has waited longest for its client when too many wait.
///
/// A connection waits from its opening to the end of its first request, again from the end of each response, and while
/// its client does not read a response. Each piece of a body moves it to the end. A request that is sent at once is
/// therefore answered, however many connections others hold: by heads or bodies that are not complete, by sending
/// nothing, or by not reading responses.
final class WaitingConnections: Sendable {
    private struct State {
        var list: WaitingList<ObjectIdentifier>
        var channels: [ObjectIdentifier: any Channel] = [:]
    }

    private let state: Mutex<State>

    /// Creates an empty list.
    ///
    /// - Parameter maximum: The maximum number of connections that wait, 1 or more.
    init(maximum: Int) { state = Mutex(State(list: WaitingList(maximum: maximum))) }

    /// Adds a connection, and closes the one that has waited longest if there are too many.
    ///
    /// - Parameter channel: The connection, which does not wait yet.
    /// - Returns: Whether a connection was closed.
    func begin(_ channel: any Channel) -> Bool {
        let closed = state.withLock { state in
            state.channels[ObjectIdentifier(channel)] = channel
            return state.list.add(ObjectIdentifier(channel)).flatMap { state.channels.removeValue(forKey: $0) }
        }
        closed?.close(promise: nil)
        return closed != nil
    }

    /// Removes a connection, if it waits.
    func end(_ channel: any Channel) {
        state.withLock { state in
            guard state.channels.removeValue(forKey: ObjectIdentifier(channel)) != nil else { return }
            state.list.remove(ObjectIdentifier(channel))
        }
    }
}
#endif

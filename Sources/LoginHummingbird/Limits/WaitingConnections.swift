// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import NIOCore
internal import Synchronization

/// The connections that wait for their clients, in the order in which they began to wait.
///
/// Adding and removing takes a constant time on average, because each request of a server begins and ends a wait. Only the
/// search for the one that gives way passes over those that have waited longer in smaller networks.
struct WaitingList<Member: Hashable & Sendable>: Sendable {
    private let maximum: Int
    /// The turn and the network of each member; a higher turn began later.
    private var waits: [Member: (turn: UInt64, network: String?)] = [:]
    /// The turns of members, and those of former members until they are removed.
    private var order: [(turn: UInt64, member: Member)] = []
    /// The number of turns at the beginning of ``order`` that are over.
    private var over = 0
    private var lastTurn: UInt64 = 0
    /// The number of members of each network.
    private var counts: [String: Int] = [:]
    /// The number of networks with each number of members.
    private var networks: [Int] = [0, 0]

    /// Creates an empty list.
    ///
    /// - Parameter maximum: The maximum number of members, 1 or more.
    init(maximum: Int) { self.maximum = maximum }

    /// Adds a member to the end of the list.
    ///
    /// If there are too many, one of the network that has most members is removed. A client whose head is on its way
    /// has one, so it does not give way to the many of others who renew their waits faster than it can send.
    ///
    /// - Parameters:
    ///   - member: The member, which is not on the list.
    ///   - network: Its network; nil for one by itself.
    /// - Returns: The member that has waited longest in its network and was removed, if the list was full.
    mutating func add(_ member: Member, of network: String? = nil) -> Member? {
        lastTurn += 1
        waits[member] = (lastTurn, network)
        order.append((lastTurn, member))
        if let network { recount(network, by: 1) }
        if order.count > 2 * waits.count + 64 {
            order.removeAll { waits[$0.member]?.turn != $0.turn }
            over = 0
        }
        return waits.count > maximum ? removeOldestOfLargest() : nil
    }

    /// Removes a member, if it is on the list.
    mutating func remove(_ member: Member) {
        if let network = waits.removeValue(forKey: member)?.network { recount(network, by: -1) }
    }

    private mutating func recount(_ network: String, by change: Int) {
        let before = counts[network, default: 0]
        let after = before + change
        counts[network] = after == 0 ? nil : after
        if after == networks.count { networks.append(0) }
        networks[before] -= 1
        networks[after] += 1
    }

    private mutating func removeOldestOfLargest() -> Member? {
        let largest = max(networks.lastIndex { $0 > 0 } ?? 1, 1)
        while over < order.count, waits[order[over].member]?.turn != order[over].turn { over += 1 }
        let oldest = order[over...].first { turn, member in
            guard let wait = waits[member], wait.turn == turn else { return false }
            return (wait.network.flatMap { counts[$0] } ?? 1) == largest
        }
        guard let member = oldest?.member else { return nil }
        remove(member)
        return member
    }
}

/// Closes the connection that has waited longest for its client when too many wait, in the network that has most of them.
///
/// A connection waits from its opening to the end of its first request, again from the end of each response, and while
/// its client does not read a response. Each 4 KiB of a body move it to the end. A request that is sent at once is
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
    /// - Parameters:
    ///   - channel: The connection, which does not wait yet.
    ///   - network: The network of its client; nil for a proxy, whose connections carry the requests of many.
    /// - Returns: Whether a connection was closed.
    func begin(_ channel: any Channel, of network: String?) -> Bool {
        let closed = state.withLock { state in
            state.channels[ObjectIdentifier(channel)] = channel
            return state.list.add(ObjectIdentifier(channel), of: network)
                .flatMap { state.channels.removeValue(forKey: $0) }
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

// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if PostgreSQL
import LoginAccounts
import TestSupport
import Testing

@testable import LoginStorePostgreSQL

/// The parts that need no server.
@Suite struct PostgreSQLPartsTests {
    @Test(arguments: [
        ("40001", StoreError.Code.busy, true), ("40P01", .busy, true), ("55P03", .busy, true), ("0A000", .busy, true),
        ("26000", .busy, true), ("40002", .constraint, true), ("40003", .unavailable, true),
        ("08006", .unavailable, false),
        ("57P01", .unavailable, false), ("57P03", .unavailable, true), ("53300", .unavailable, true),
        ("53100", .unavailable, true),
        ("57014", .unavailable, true), ("58030", .unavailable, true), ("25P03", .unavailable, false),
        ("23505", .constraint, true),
        ("22021", .constraint, true), ("42601", .constraint, true), ("54000", .constraint, true),
        ("42P01", .schema, true),
        ("42703", .schema, true), ("42501", .schema, true), ("XX001", .damaged, true), ("XX000", .unavailable, true),
        ("", .unavailable, false),
    ])
    func `each SQLSTATE has one error code`(state: String, code: StoreError.Code, isConnected: Bool) {
        let error = SQLState(state.isEmpty ? nil : state).error(names: ["login_account"], isConnected: isConnected)
        #expect(error.code == code)
        #expect(error.detail.contains(state))
        #expect(error.detail.contains("lost") == !isConnected)
    }

    @Test func `waiting tasks get connections in the order of arrival`() async throws {
        let queue = ConnectionQueue(size: 1, timeout: .seconds(3600))
        let slot = try await queue.take()
        let order = Shared<[Int]>([])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    guard let slot = try? await queue.take() else { return }
                    order.change { $0.append(number) }
                    queue.give(back: slot)
                }
                try await eventually("it waits") { queue.waitingCount > number }
            }
            queue.give(back: slot)
        }
        #expect(order.now == Array(0..<20))
    }

    @Test func `the number of waiting tasks is limited, and the next one is refused at once`() async throws {
        let queue = ConnectionQueue(size: 1, timeout: .seconds(3600))
        _ = try await queue.take()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<ConnectionQueue.waitingMax { group.addTask { _ = try? await queue.take() } }
            try await eventually("all wait") { queue.waitingCount == ConnectionQueue.waitingMax }
            await #expect { _ = try await queue.take() } throws: {
                ($0 as? StoreError)?.detail.contains("too many") == true
            }
            group.cancelAll()
        }
        #expect(queue.waitingCount == 0)
    }

    @Test func `failed connections delay the next attempt increasingly, and a success resets the delay`() {
        var reconnecting = Reconnecting()
        var now = ContinuousClock.now
        var waits: [Duration] = []
        for _ in 0..<10 {
            reconnecting.failed(StoreError(.unavailable, "gone"), at: now)
            // Simultaneous failures count once.
            reconnecting.failed(StoreError(.unavailable, "gone"), at: now)
            let began = now
            while reconnecting.error(at: now) != nil { now += .milliseconds(1) }
            waits.append(now - began)
        }
        #expect(waits.prefix(3) == [.milliseconds(50), .milliseconds(100), .milliseconds(200)])
        #expect(waits.suffix(3) == [.milliseconds(1600), .milliseconds(1600), .milliseconds(1600)])
        reconnecting.succeeded()
        #expect(reconnecting.error(at: now) == nil)
        reconnecting.failed(StoreError(.unavailable, "gone"), at: now)
        #expect(reconnecting.error(at: now + .milliseconds(50)) == nil)
    }

    @Test func `parameters of 64 MiB are accepted, and larger ones are refused`() throws {
        let most = [UInt8](repeating: 1, count: 64 << 20)
        _ = try Parameters([.bytes(most)])
        #expect { try Parameters([.bytes(most), .integer(1)]) } throws: { ($0 as? StoreError)?.code == .constraint }
    }
}
#endif

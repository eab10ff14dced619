// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginAccounts

/// Users of accounts that ``Load`` has written: each signs in, makes requests, refreshes tokens, and signs out later.
///
/// The accounts are chosen at random, so that few of their rows are in the memory of the database.
struct Visitor: Sendable {
    private let place: Workplace
    private let times: Times
    private let accounts: Int

    /// The tokens of the open sessions, the oldest first.
    private var open: [SessionTokens] = []

    /// The maximum number of sessions that stay open.
    private static let sessions = 50

    /// The number of requests of a visit, each with the token of any open session.
    private static let requests = 20

    /// Creates users.
    ///
    /// - Parameters:
    ///   - place: The accounts.
    ///   - times: The durations of the operations.
    ///   - accounts: The number of accounts.
    init(_ place: Workplace, _ times: Times, among accounts: Int) {
        self.place = place
        self.times = times
        self.accounts = accounts
    }

    /// Signs one user in, and works with the open sessions.
    mutating func visit() async throws {
        let credential = try await place.credential(Load.person(Int.random(in: 1...accounts)), Workplace.alpha)
        let result = try await times.measure("sign-in, known") { try await place.auth.signIn(with: credential).get() }
        guard !result.isNewUser else { throw WorkerError(description: "there are fewer accounts than stated") }
        open.append(result.tokens)
        // The first request with new tokens records that they have arrived.
        try await request("first request", result.tokens)
        for _ in 0..<Self.requests { try await request("request", open[Int.random(in: open.indices)]) }
        let number = Int.random(in: open.indices)
        let token = open[number].refreshToken
        let refreshed = try await times.measure("refresh") { try await place.auth.refresh(token) }
        open[number] = refreshed.tokens
        try await request("first request", refreshed.tokens)
        guard open.count > Self.sessions else { return }
        let session = try await request("request", open.removeFirst())
        try await times.measure("sign-out") { try await session.signOut() }
    }

    @discardableResult
    private func request(_ operation: String, _ tokens: SessionTokens) async throws -> Session {
        try await times.measure(operation) { try await place.auth.session(tokens.sessionToken) }
    }
}

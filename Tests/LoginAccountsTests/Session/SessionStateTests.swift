// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LoginAccounts
import TestSupport
import Testing

@Suite(.rule("SS-1", "R-SES-0")) struct SessionStateTests {
    /// All transitions.
    static let edges: [SessionState: [SessionEvent: SessionState]] = [
        .created: [
            .tokenLoaded: .createdTokenLoaded, .openingBegan: .createdOpening, .loginFailed: .closedLoginFailed,
        ],
        .createdTokenLoaded: [.opened: .open, .loginFailed: .closedLoginFailed],
        .createdOpening: [.opened: .open, .loginFailed: .closedLoginFailed],
        .open: [.tokenExtended: .openTokenExtended, .permissionsDeclined: .open, .closed: .closed],
        .openTokenExtended: [
            .tokenExtended: .openTokenExtended, .permissionsDeclined: .openTokenExtended, .closed: .closed,
        ],
    ]

    @Test(arguments: SessionState.allCases, SessionEvent.allCases)
    func `every state knows what every event makes of it`(_ state: SessionState, _ event: SessionEvent) {
        let expected = Self.edges[state]?[event].map { SessionTransition.becomes($0) } ?? .invalidTransition
        #expect(state.after(event) == expected)
    }

    @Test(.rule("SS-3"), arguments: [SessionState.open, .openTokenExtended])
    func `declining further permissions changes nothing`(_ state: SessionState) {
        #expect(state.after(.permissionsDeclined) == .becomes(state))
    }

    @Test func `whatever happens, a session opens at most once and is over only once`() {
        var numbers = SeededNumbers(seed: 2026)
        var opened = 0
        for _ in 0..<10_000 {
            var state = SessionState.created
            var opening = 0
            for _ in 0..<24 {
                let event = SessionEvent.allCases.randomElement(using: &numbers) ?? .closed
                guard case .becomes(let next) = state.after(event) else { continue }
                #expect(!state.isTerminal, "\(state) is left by \(event)")
                if next.isOpen && !state.isOpen { opening += 1 }
                #expect(!state.isOpen || next.isOpen || next == .closed)
                state = next
            }
            #expect(opening <= 1)
            opened += opening
        }
        // Make sure that the random walks reach open sessions.
        #expect(opened > 1000)
    }

    @Test func `a state is open, over, or neither`() {
        #expect(SessionState.allCases.filter(\.isOpen) == [.open, .openTokenExtended])
        #expect(SessionState.allCases.filter(\.isTerminal) == [.closedLoginFailed, .closed])
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import TestSupport
import Testing

@testable import LoginClient

@Suite(.rule("SS-1", "R-SES-0")) struct ClientSessionStateTests {
    /// All transitions.
    static let edges: [ClientSessionState: [ClientSessionEvent: ClientSessionState]] = [
        .created: [
            .tokenLoaded: .createdTokenLoaded, .openingBegan: .createdOpening, .loginFailed: .closedLoginFailed,
        ],
        .createdTokenLoaded: [.opened: .open, .loginFailed: .closedLoginFailed, .closed: .closed],
        .createdOpening: [.opened: .open, .loginFailed: .closedLoginFailed],
        .open: [.tokenExtended: .openTokenExtended, .closed: .closed],
        .openTokenExtended: [.tokenExtended: .openTokenExtended, .closed: .closed],
    ]

    @Test(arguments: ClientSessionState.allCases, ClientSessionEvent.allCases)
    func `each session state has the specified next state for every event`(
        _ state: ClientSessionState,
        _ event: ClientSessionEvent
    ) {
        #expect(state.after(event) == Self.edges[state]?[event])
    }

    @Test func `a session opens at most once and closes only once in any sequence of events`() {
        var numbers = SeededNumbers(seed: 2026)
        var opened = 0
        for _ in 0..<10_000 {
            var state = ClientSessionState.created
            var opening = 0
            for _ in 0..<24 {
                let event = ClientSessionEvent.allCases.randomElement(using: &numbers) ?? .closed
                guard let next = state.after(event) else { continue }
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

    @Test func `two session states are open, and two are terminal`() {
        #expect(ClientSessionState.allCases.filter(\.isOpen) == [.open, .openTokenExtended])
        #expect(ClientSessionState.allCases.filter(\.isTerminal) == [.closedLoginFailed, .closed])
    }
}

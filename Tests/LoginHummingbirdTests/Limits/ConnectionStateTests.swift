// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import Testing

@testable import LoginHummingbird

@Suite struct ConnectionStateTests {
    @Test func `a complete request waits for its response, after which the next request is forwarded`() {
        var state = ConnectionState.idle
        for _ in 0..<2 {
            state.beginRequest(.persists)
            #expect(state.forwards && state.reads)
            state.endRequest()
            #expect(!state.forwards && state.reads && !state.closesAfterResponse)
            let isLast = state.endResponse()
            #expect(!isLast && state == .idle)
        }
    }

    @Test func `a response before the end of its request is the last one, and the rest of the request is read`() {
        var state = ConnectionState.idle
        state.beginRequest(.persists)
        #expect(state.closesAfterResponse)
        let isLast = state.endResponse()
        #expect(isLast && state == .closing(reads: true))
        #expect(state.isClosing && !state.forwards && !state.isLingering)
        state.endOutput()
        #expect(state == .lingering(reads: true))
    }

    @Test(arguments: [true, false])
    func `a response with Connection: close is the last one, also if it begins before the end of its request`(
        isEarly: Bool
    ) {
        var state = ConnectionState.idle
        state.beginRequest(.persists)
        if isEarly { state.markResponseAsLast() }
        state.endRequest()
        if !isEarly { state.markResponseAsLast() }
        #expect(state == .responding(.closes))
        let isLast = state.endResponse()
        #expect(isLast && state == .closing(reads: true))
    }

    @Test func `nothing is read after a request for another protocol, and nothing after its response`() {
        var state = ConnectionState.idle
        state.beginRequest(.closesUnread)
        #expect(state.reads)
        state.endRequest()
        state.markResponseAsLast()
        #expect(!state.reads)
        let isLast = state.endResponse()
        #expect(isLast && state == .closing(reads: false))
        state.endOutput()
        #expect(!state.reads && state.isLingering)
    }

    @Test func `a rejected connection forwards nothing`() {
        var state = ConnectionState.idle
        state.reject()
        #expect(state.isClosing && !state.forwards)
    }
}
#endif

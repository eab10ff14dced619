// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import Testing

@testable import LoginHummingbird

@Suite struct WaitingConnectionsTests {
    @Test func `the connection that has waited longest gives way, and only if too many wait`() {
        var list = WaitingList<Int>(maximum: 2)
        #expect(list.add(1) == nil && list.add(2) == nil)
        #expect(list.add(3) == 1)
        list.remove(2)
        #expect(list.add(4) == nil)
        list.remove(1)
        #expect(list.add(5) == 3)
        // One that returns waits anew.
        list.remove(4)
        #expect(list.add(4) == nil)
        #expect(list.add(6) == 5 && list.add(7) == 4)
    }

    @Test func `the order of waiting survives many waits that end`() {
        var list = WaitingList<Int>(maximum: 3)
        #expect(list.add(-1) == nil && list.add(-2) == nil)
        for number in 0..<10_000 {
            #expect(list.add(number) == nil)
            list.remove(number)
        }
        #expect(list.add(1) == nil)
        #expect(list.add(2) == -1 && list.add(3) == -2 && list.add(4) == 1)
    }

    @Test func `the network with most connections gives way, however often they begin to wait anew`() {
        var list = WaitingList<Int>(maximum: 5)
        #expect(list.add(0, of: "victim") == nil)
        for number in 1...4 { #expect(list.add(number, of: "flood") == nil) }
        for number in 5..<1000 { #expect(list.add(number, of: number.isMultiple(of: 2) ? "flood" : "other") != 0) }
        list.remove(0)
        #expect(list.add(0, of: "victim") == nil)
    }

    @Test func `connections of no network, which are a proxy's, give way in their order`() {
        var list = WaitingList<Int>(maximum: 3)
        #expect(list.add(1) == nil && list.add(2) == nil && list.add(3, of: "a") == nil)
        #expect(list.add(4) == 1)
        #expect(list.add(5, of: "a") == 3)
        list.remove(5)
        #expect(list.add(6, of: "b") == nil && list.add(7, of: "c") == 2)
    }
}
#endif

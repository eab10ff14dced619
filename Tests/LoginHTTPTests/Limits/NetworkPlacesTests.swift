// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import LoginTokens
import Testing

@testable import LoginHTTP

@Suite struct NetworkPlacesTests {
    /// Takes places, and returns how many were taken.
    private func take(_ count: Int, _ network: String?, of places: inout NetworkPlaces) -> Int {
        var taken = 0
        for _ in 0..<count where places.take(network) { taken += 1 }
        return taken
    }

    @Test func `a network has at most fifty bodies, and each that ends makes room for another`() {
        var places = NetworkPlaces.bodies(connections: 800)
        #expect(take(100, "a", of: &places) == 50)
        places.free("a")
        #expect(take(2, "a", of: &places) == 1)
        #expect(take(100, "b", of: &places) == 50)
    }

    @Test func `while more than a quarter of the connections are used for bodies, a network has at most ten`() {
        var places = NetworkPlaces.bodies(connections: 800)
        for number in 0..<4 { #expect(take(50, "\(number)", of: &places) == 50) }
        #expect(take(50, "5", of: &places) == 10)
        // The networks with more keep what they have, and get nothing new.
        #expect(take(1, "0", of: &places) == 0)
    }

    @Test func `many networks cannot use up the bodies of a server whose connections have a maximum`() {
        for connections in [800, 100, 3, 1] {
            var places = NetworkPlaces.bodies(connections: connections)
            for number in 0..<1000 { #expect(take(10, "\(number)", of: &places) == 10) }
        }
        var unlimited = NetworkPlaces.bodies(connections: nil)
        #expect(take(1000, nil, of: &unlimited) == Limits.bodies)
    }

    @Test func `a client without an address has only the limit of all`() {
        var places = NetworkPlaces.bodies(connections: 800)
        #expect(take(300, nil, of: &places) == 300)
        for _ in 0..<300 { places.free(nil) }
        #expect(take(50, "a", of: &places) == 50)
    }

    @Test func `places that are taken stay so when the number of connections changes`() {
        var places = NetworkPlaces.bodies(connections: 800)
        #expect(take(40, "a", of: &places) == 40)
        places.resize(to: .bodies(connections: 60))
        #expect(take(50, "b", of: &places) == 10)
        for _ in 0..<30 { places.free("a") }
        #expect(take(1, "a", of: &places) == 0 && take(1, "c", of: &places) == 1)
    }

    @Test(arguments: [(0, 5_000), (1, 5_000), (4096, 6_000), (65_536, 21_000), (Int.max / 1000, 2_251_799_813_690_247)])
    func `a body has five seconds, and a second for each 4 KiB that have arrived`(bytes: Int, milliseconds: Int) {
        #expect(BodyPace.allowance(received: bytes) == .milliseconds(milliseconds))
    }
}
#endif

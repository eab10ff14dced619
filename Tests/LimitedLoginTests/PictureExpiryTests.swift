// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LimitedLogin
internal import LoginTesting
internal import TestSupport
internal import Testing

/// The expiry of a picture's URL, which Facebook writes into the parameter `ext` or `oe`.
@Suite struct PictureExpiryTests {
    let bench: FacebookBench

    init() throws {
        bench = try FacebookBench()
    }

    @Test(
        .rule("F3.9"),
        arguments: [
            ("https://cdn.example/pic?asid=1&height=50&width=50&ext=1762592000&hash=abc", 1_762_592_000),
            ("https://cdn.example/pic?ext=0", 0), ("https://cdn.example/pic?ext=253402300799", 253_402_300_799),
            ("https://cdn.example/pic?ext=1&ext=2", 1), ("https://cdn.example/pic?ext=1#ext=2", 1),
            ("https://scontent.example/v/pic.jpg?stp=x&oe=690EB100&_nc_sid=1", 1_762_570_496),
            ("https://scontent.example/v/pic.jpg?oe=ffffffff", 4_294_967_295),
            ("https://cdn.example/pic?oe=690EB100&ext=1", 1),
        ]
    )
    func `the expiry of a picture is the parameter ext or oe of its URL`(picture: String, seconds: Double) throws {
        let profile = try bench.verify(claims: ["picture": .string(picture)]).profile
        #expect(profile.imageURL?.absoluteString == picture)
        #expect(profile.imageURLExpirationDate == Date(timeIntervalSince1970: seconds))
    }

    @Test(
        .rule("F3.9"),
        arguments: [
            "https://cdn.example/pic", "https://cdn.example/pic?", "https://cdn.example/pic?ext",
            "https://cdn.example/pic?ext=",
            "https://cdn.example/pic?ext=soon", "https://cdn.example/pic?ext=1.5", "https://cdn.example/pic?ext=-1",
            "https://cdn.example/pic?ext=253402300800", "https://cdn.example/pic?ext=99999999999999999999",
            "https://cdn.example/pic?EXT=1", "https://cdn.example/ext=1", "https://cdn.example/pic#ext=1",
            "https://cdn.example/pic?ext&ext=1", "https://cdn.example/pic?next=1",
            "https://cdn.example/pic?oe", "https://cdn.example/pic?oe=", "https://cdn.example/pic?oe=690EB1000",
            "https://cdn.example/pic?oe=690EB10", "https://cdn.example/pic?oe=690EB10G",
            "https://cdn.example/pic?ext=soon&oe=690EB100",
        ]
    )
    func `a picture URL without a time in ext or oe has no expiry`(picture: String) throws {
        let profile = try bench.verify(claims: ["picture": .string(picture)]).profile
        #expect(profile.imageURL?.absoluteString == picture)
        #expect(profile.imageURLExpirationDate == nil)
        #expect(profile.notes.isEmpty)
    }

    @Test func `an invalid picture URL has no expiry`() throws {
        let profile = try bench.verify(claims: ["picture": "http://cdn.example/pic?ext=1762592000"]).profile
        #expect(profile.imageURL == nil)
        #expect(profile.imageURLExpirationDate == nil)
    }
}

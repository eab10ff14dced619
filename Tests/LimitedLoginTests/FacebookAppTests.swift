// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import LimitedLogin
import Testing

@Suite struct FacebookAppTests {
    @Test(arguments: ["1", "1234509876543210", "12345678901234567890"])
    func `an app ID is one to twenty digits`(id: String) throws {
        #expect(try FacebookApp(id: id).id == id)
    }

    @Test(arguments: ["", "123456789012345678901", "12a", " 12", "12\n", "１２"])
    func `any other app ID is refused`(id: String) {
        #expect(throws: FacebookAppError.id) { try FacebookApp(id: id) }
    }

    @Test(arguments: ["", "secret\n", "se cret", "sécret", String(repeating: "a", count: 257)])
    func `an app secret with white space, or an empty one, is refused`(secret: String) {
        #expect(throws: FacebookAppError.secret) { try FacebookApp(id: "1", secret: secret) }
    }

    @Test func `an app secret can have 256 characters`() throws {
        _ = try FacebookApp(id: "1", secret: String(repeating: "a", count: 256))
    }

    @Test(arguments: ["v21.0", "v1.10", "v999.999"])
    func `a Graph API version is v and two numbers`(version: String) throws {
        #expect(try FacebookApp(id: "1", graphVersion: version).graphVersion == version)
    }

    @Test(arguments: ["", "21.0", "v21", "v21.0.1", "v21.", "v.0", "V21.0", "v21.0/../me", "v1000.0"])
    func `any other version is refused`(version: String) {
        #expect(throws: FacebookAppError.graphVersion) { try FacebookApp(id: "1", graphVersion: version) }
    }

    @Test func `no text shows the secret`() throws {
        let app = try FacebookApp(id: "1", secret: "made-up-secret")
        var dumped = ""
        dump(app, to: &dumped)
        for text in ["\(app)", String(reflecting: app), dumped] { #expect(!text.contains("made-up-secret")) }
    }
}

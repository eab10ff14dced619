// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LimitedLogin
import LoginProviders
internal import TestSupport
internal import Testing

/// The encoding of a configuration between a server and its app.
@Suite struct LoginConfigurationCodingTests {
    /// Returns the encoded members of a configuration, changed by the test.
    static func members(_ change: (inout [String: String]) -> Void = { _ in }) -> Data {
        var members = [
            "requestedPermissions": "[\"email\"]", "tracking": "\"limited\"", "nonce": "\"n-1\"",
            "appSwitch": "\"enabled\"", "codeVerifier": "\"\(CodeVerifierTests.known)\"",
        ]
        change(&members)
        return Data("{\(members.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ","))}".utf8)
    }

    func decode(_ json: Data) throws -> LoginConfiguration {
        try JSONDecoder().decode(LoginConfiguration.self, from: json)
    }

    @Test(.rule("F4.16"), arguments: LoginTracking.allCases, [LoginAuthType.rerequest, .reauthorize, nil])
    func `an encoded configuration decodes to an equal one`(tracking: LoginTracking, authType: LoginAuthType?) throws {
        let configuration = try LoginConfiguration(
            validating: [.email, .userFriends],
            tracking: tracking,
            nonce: "ä\"\\/🙂",
            messengerPageID: tracking == .limited ? "42" : nil,
            authType: authType,
            appSwitch: .disabled
        )
        #expect(try decode(JSONEncoder().encode(configuration)) == configuration)
    }

    @Test func `members are named like the properties, and permissions are sorted`() throws {
        let verifier = try #require(CodeVerifier(CodeVerifierTests.known))
        let configuration = try LoginConfiguration(
            validating: [.userFriends, .email],
            tracking: .limited,
            nonce: "n-1",
            messengerPageID: "42",
            codeVerifier: verifier
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let json = try String(decoding: encoder.encode(configuration), as: UTF8.self)
        #expect(
            json == """
                {"appSwitch":"enabled","authType":"rerequest","codeVerifier":"\(CodeVerifierTests.known)",\
                "messengerPageID":"42","nonce":"n-1","requestedPermissions":["email","user_friends"],\
                "tracking":"limited"}
                """
        )
    }

    @Test func `the page ID and auth_type can be missing or null`() throws {
        let missing = try decode(Self.members())
        #expect(missing.messengerPageID == nil && missing.authType == nil)
        let null = try decode(
            Self.members {
                $0["authType"] = "null"
                $0["messengerPageID"] = "null"
            }
        )
        #expect(null == missing)
    }

    @Test(arguments: ["requestedPermissions", "tracking", "nonce", "appSwitch", "codeVerifier"])
    func `other members must not be missing, null or of another type, and have no defaults`(member: String) {
        for value in [nil, "null", "5", "{}", "true", "[[]]", "[5]"] {
            #expect(throws: DecodingError.self) { try decode(Self.members { $0[member] = value }) }
        }
    }

    @Test(
        .rule("F4.6", "F4.16"),
        arguments: [
            ("tracking", "Limited"), ("tracking", ""), ("tracking", "1"), ("authType", ""), ("authType", "Rerequest"),
            ("authType", "reauthenticate"), ("appSwitch", "true"), ("codeVerifier", "short"),
        ]
    )
    func `an unknown value is refused`(member: String, value: String) {
        #expect(throws: DecodingError.self) { try decode(Self.members { $0[member] = "\"\(value)\"" }) }
    }

    @Test(
        arguments: [
            ("nonce", "\"\"", LoginConfigurationError.Code.nonceEmpty), ("nonce", "\"a\\nb\"", .nonceWhiteSpace),
            ("nonce", "\"\(String(repeating: "n", count: 257))\"", .tooLarge),
            ("requestedPermissions", "[\"Email\"]", .permission),
            ("requestedPermissions", "[\"email\",\"user_likes\"]", .permissionNotLimited),
            ("requestedPermissions", "[\((0..<100).map { "\"p\($0)\"" }.joined(separator: ","))]", .tooLarge),
            ("messengerPageID", "\"\(String(repeating: "4", count: 257))\"", .tooLarge),
        ]
    )
    func `decoding refuses what the initializers refuse, with the same error`(
        member: String,
        value: String,
        code: LoginConfigurationError.Code
    ) throws {
        _ = try decode(Self.members())
        let error = #expect(throws: DecodingError.self) { try decode(Self.members { $0[member] = value }) }
        guard case .dataCorrupted(let context) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect((context.underlyingError as? LoginConfigurationError)?.code == code)
    }

    @Test func `a duplicate permission counts once`() throws {
        let json = Self.members { $0["requestedPermissions"] = "[\"email\",\"email\"]" }
        #expect(try decode(json).requestedPermissions == [.email])
    }

    @Test(arguments: ["", "{", "[]", "null", "\"n\"", "{}", String(repeating: "[", count: 100_000)])
    func `data that is not a configuration is refused`(json: String) {
        #expect(throws: (any Error).self) { try decode(Data(json.utf8)) }
    }
}

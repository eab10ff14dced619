// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
public import LimitedLogin
public import LoginTesting
public import LoginTokens

/// The token that all benchmarks use, and everything needed to verify it.
///
/// It has every claim that Facebook's documentation names, is signed with RS256 and a key of 2,048 bits, and is
/// verified with the system's clock and the verifier's own defaults.
public struct LoginCase: Sendable {
    /// The issuer of the token.
    public let issuer: TestIssuer

    /// The token.
    public let token: String

    /// The nonce of the token.
    public let nonce = "4f1c9a0b7d2e4f1c9a0b7d2e4f1c9a0b"

    /// The issuer's keys.
    public let keys: KeySnapshot

    /// The verifier that a server uses.
    public let limitedLogin: LimitedLoginVerifier

    /// The same checks without those particular to Facebook's claims.
    public let verifier: TokenVerifier

    /// Creates the token.
    public init() throws {
        // The test issuer sets `iat` a minute back; by this clock, it is a few seconds ago. Tokens may be ten minutes
        // old.
        let clock = ManualClock(Date().addingTimeInterval(55))
        issuer = TestIssuer.facebook(appID: "1234509876543210", clock: clock)
        token = issuer.token(nonce: nonce, Self.addClaims)
        keys = issuer.keys
        limitedLogin = try LimitedLoginVerifier(appIDs: [issuer.audience], keys: keys)
        verifier = TokenVerifier(policy: try Self.policy(for: issuer), keys: keys)
    }

    /// Returns the policy that `LimitedLoginVerifier` applies.
    public static func policy(for issuer: TestIssuer) throws -> TokenPolicy {
        try TokenPolicy(provider: issuer.provider, audiences: [issuer.audience], maximumAge: .seconds(600))
    }

    /// Returns a token that differs from the valid one.
    ///
    /// - Parameter change: Changes the token before it is signed.
    /// - Returns: The token.
    public func token(_ change: (inout TestToken) -> Void) -> String {
        issuer.token(nonce: nonce) { token in
            Self.addClaims(&token)
            change(&token)
        }
    }

    /// Returns valid tokens that differ by their `jti`.
    public func distinctTokens(_ count: Int) -> [String] {
        (0..<count).map { number in
            token {
                $0.claims["jti"] = .string("AbCd." + String(repeating: "0", count: 56) + String(10_000_000 + number))
            }
        }
    }

    /// Adds the claims of a user who shared everything, as long as Facebook's.
    ///
    /// The person and the places are made up.
    private static func addClaims(_ token: inout TestToken) {
        let picture = "https://platform-lookaside.fbsbx.com/platform/profilepic/"
        token.claims["given_name"] = "Quilla"
        token.claims["middle_name"] = "Quux"
        token.claims["family_name"] = "Testperson"
        token.claims["name"] = "Quilla Testperson"
        token.claims["picture"] = .string(
            picture + "?asid=1000000000000001&height=100&width=100&ext=1762592000&hash=AbMadeUpHash123"
        )
        token.claims["email"] = "quilla@person.invalid"
        token.claims["user_friends"] = ["10220000000000003", "10220000000000001"]
        token.claims["user_birthday"] = "01/31/1990"
        token.claims["user_age_range"] = ["min": 21]
        token.claims["user_hometown"] = ["id": "112000000000001", "name": "Nowhere, Testland"]
        token.claims["user_location"] = ["id": "112000000000002", "name": "Somewhere, Testland"]
        token.claims["user_gender"] = "female"
        token.claims["user_link"] = "https://www.facebook.com/app_scoped_user_id/1000000000000001/"
        token.claims["cnf"] = ["jkt": "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"]
    }
}

extension LoginCase {
    /// The key set, as the provider publishes it.
    public var keySetText: String { issuer.keySet.text }

    /// The signing input.
    public var signingInput: [UInt8] { Array(token.utf8.prefix(token.utf8.count - 1 - segments[2].utf8.count)) }

    /// The signature.
    public var signature: [UInt8] { decode(segments[2]) }

    /// Creates the floor for this token, or another one of the issuer: one for each thread.
    public func floor(of token: String? = nil) throws -> Floor {
        try Floor(of: token ?? self.token, signedBy: issuer.key)
    }

    private var segments: [String] { token.split(separator: ".").map(String.init) }
}

/// Decodes base64url without padding.
func decode(_ base64URL: String) -> [UInt8] {
    let padding = String(repeating: "=", count: (4 - base64URL.utf8.count % 4) % 4)
    let base64 = base64URL.replacing("-", with: "+").replacing("_", with: "/") + padding
    return Array(Data(base64Encoded: base64) ?? Data())
}

/// The reason why a row cannot be measured, or its result is invalid.
public struct NotMeasurable: Error, CustomStringConvertible {
    /// The reason.
    public let description: String

    /// Creates the error with this reason.
    public init(_ description: String) {
        self.description = description
    }
}

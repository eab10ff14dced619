// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import Foundation
internal import LoginTokens

/// The notes on an unverified token, for questions that are often asked about such tokens.
///
/// About the user, a note tells no more than which claims there are.
struct InspectionNotes {
    let token: UnverifiedToken
    let now: Date

    /// The notes: those on the token, then those on the user.
    var all: [String] {
        let notes = [algorithm, graph, issuer, age, nonce] + (isFacebook ? [keyID, email, friends] : [])
        return notes.compactMap(\.self)
    }

    private var isFacebook: Bool {
        token.claims.issuer.map(Provider.facebook.issuers.contains) ?? false
    }

    private var algorithm: String? {
        guard let name = token.header.algorithm, name.hasPrefix("HS") else { return nil }
        let note = "alg is \(quoted(name)), a signature with a shared secret"
        guard isFacebook else { return note + ", which --secret-file of verify and access contains" }
        return
            note
            + ". Facebook signs ID tokens with RS256, and signed requests with the app secret; verify-token signed-request "
            + "verifies those"
    }

    private var graph: String? {
        guard token.header["nonce"] != nil else { return nil }
        return
            "the header has a nonce, as in tokens for Microsoft Graph, which only Graph can verify: request a token with a scope of "
            + "your own API"
    }

    private var keyID: String? {
        guard token.header.keyID == nil else { return nil }
        return "kid is missing: ID tokens of Facebook contain the ID of the signing key"
    }

    private var issuer: String? {
        guard token.claims.issuer == "https://facebook.com" else { return nil }
        return
            "Facebook used this iss until August 2021, and has used https://www.facebook.com since: accept both, as "
            + "--provider facebook does"
    }

    private var age: String? {
        guard let issuedAt = token.claims.issuedAt, now.timeIntervalSince(issuedAt) > 600 else { return nil }
        return
            "issued more than ten minutes ago: Facebook's SDK shows no claims of such a token, and at sign-in it is refused as too-old "
            + "even before it expires. Send a token as soon as the app receives it"
    }

    private var nonce: String? {
        guard let nonce = token.claims.nonce else { return nil }
        if nonce.utf8.count == 64, nonce.utf8.allSatisfy(isHexadecimal) {
            return
                "the nonce looks like a SHA-256: if it is the hash of the value that the server issued, use --nonce-sha256"
        }
        guard UUID(uuidString: nonce) != nil else { return nil }
        return
            "the nonce is a UUID: if the app sets no nonce, Facebook's SDK generates one, which the server does not know"
    }

    private var email: String? {
        guard token.claims["email"] == nil else { return nil }
        return
            "no email: the user declined it or has none at Facebook, or the app did not request it; it is always optional"
    }

    private var friends: String? {
        guard token.claims["user_friends"] != nil else { return nil }
        return "user_friends contains the app-scoped IDs of friends who also use this app; Facebook sends no names"
    }

    private func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
    }
}
#endif

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
        let notes = [algorithm, issuer, age, nonce] + (isFacebook ? [keyID, email, friends] : [])
        return notes.compactMap(\.self)
    }

    private var isFacebook: Bool {
        token.claims.issuer.map(Provider.facebook.issuers.contains) ?? false
    }

    private var algorithm: String? {
        guard let name = token.header.algorithm, name.hasPrefix("HS") else { return nil }
        return
            "alg is \(quoted(name)), a signature with a shared secret. Facebook signs its ID tokens by RS256; what it signs with "
            + "the app secret is a signed_request, which verify-token signed-request verifies"
    }

    private var keyID: String? {
        guard token.header.keyID == nil else { return nil }
        return "kid is missing: Facebook's ID tokens name the key that signed them"
    }

    private var issuer: String? {
        guard token.claims.issuer == "https://facebook.com" else { return nil }
        return
            "iss is what Facebook wrote until August 2021. Since then it is https://www.facebook.com: accept both, as "
            + "--provider facebook does"
    }

    private var age: String? {
        guard let issuedAt = token.claims.issuedAt, now.timeIntervalSince(issuedAt) > 600 else { return nil }
        return
            "issued more than ten minutes ago: Facebook's SDK then shows no claims, and at sign-in such a token is refused as "
            + "too-old, expired or not. Send a token as soon as the app has it"
    }

    private var nonce: String? {
        guard let nonce = token.claims.nonce else { return nil }
        if nonce.utf8.count == 64, nonce.utf8.allSatisfy(isHexadecimal) {
            return
                "the nonce has the form of a SHA-256: if it is the hash of what the server issued, compare by --nonce-sha256"
        }
        guard UUID(uuidString: nonce) != nil else { return nil }
        return "the nonce is a UUID: where the app sets none, Facebook's SDK makes one, which the server does not know"
    }

    private var email: String? {
        guard token.claims["email"] == nil else { return nil }
        return "no email: the person declined it, has none at Facebook, or the app did not ask. Nobody has to have one"
    }

    private var friends: String? {
        guard token.claims["user_friends"] != nil else { return nil }
        return "user_friends are IDs within this app of friends who use it too; Facebook tells no names"
    }

    private func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
    }
}
#endif

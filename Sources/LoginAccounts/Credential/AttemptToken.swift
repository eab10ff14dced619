// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginText

/// The secret of an attempt, from which its nonce follows: who has the nonce, which the provider and its token show, has not
/// the secret.
struct AttemptToken: Sendable {
    /// What the client keeps.
    let text: String

    private static let prefix = "lla_"
    private static let byteCount = 32

    /// A new one.
    init() {
        text = Self.prefix + Base64URL.encode(randomBytes(count: Self.byteCount))
    }

    /// One that came back; nil where no attempt has such a secret, so that no store is asked for it.
    init?(_ text: String) {
        let bytes = text.utf8
        guard bytes.count <= 64, bytes.starts(with: Self.prefix.utf8),
            Base64URL.decode(Array(bytes.dropFirst(Self.prefix.utf8.count)))?.count == Self.byteCount
        else { return nil }
        self.text = text
    }

    /// By which the store knows it.
    var hash: [UInt8] { Digest.sha256.hash(text.utf8) }

    /// What the provider signs: 43 characters without white space.
    var nonce: String {
        Base64URL.encode(Digest.sha256.authenticationCode(of: "limited-login nonce, version 1".utf8, key: text.utf8))
    }
}

extension AttemptPurpose {
    /// The stable name of the purpose.
    var name: String {
        switch self {
        case .signIn: "sign-in"
        case .link: "link"
        case .reauthenticate: "reauthenticate"
        }
    }

    /// The session that it belongs to.
    var session: Session? {
        switch self {
        case .signIn: nil
        case .link(let session), .reauthenticate(let session): session
        }
    }
}

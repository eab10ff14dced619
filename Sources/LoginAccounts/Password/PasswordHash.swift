// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginText
internal import LoginTokens

/// A password hash as it is stored: `$scrypt$ln=17,r=8,p=1$SALT$HASH`, with salt and hash in base64url.
struct PasswordHash: Sendable {
    /// The stored text.
    let text: String

    private let scrypt: Scrypt
    private let salt: [UInt8]
    private let hash: [UInt8]

    private static let saltBytes = 16

    /// Hashes a password with the given cost, which determines the duration.
    init(_ password: String, cost: PasswordCost) {
        let salt = randomBytes(count: Self.saltBytes)
        self.init(cost.scrypt, salt: salt, hash: cost.scrypt.hash(Array(password.utf8), salt: salt))
    }

    /// Returns a random hash for an address without a password, so that the comparison takes the same time.
    ///
    /// It matches no password.
    static func ofNobody(cost: PasswordCost) -> PasswordHash {
        PasswordHash(cost.scrypt, salt: randomBytes(count: saltBytes), hash: randomBytes(count: Scrypt.byteCount))
    }

    private init(_ scrypt: Scrypt, salt: [UInt8], hash: [UInt8]) {
        self.scrypt = scrypt
        self.salt = salt
        self.hash = hash
        let parameters = "ln=\(scrypt.costLog2),r=\(scrypt.blockSize),p=\(scrypt.parallelization)"
        text = "$scrypt$\(parameters)$\(Base64URL.encode(salt))$\(Base64URL.encode(hash))"
    }

    /// Parses a stored hash; nil if it is invalid.
    init?(text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)
        guard text.utf8.count <= 200, parts.count == 5, parts[0].isEmpty, parts[1].elementsEqual("scrypt".utf8),
            let scrypt = Self.parameters(parts[2]),
            let salt = Base64URL.decode(parts[3]), !salt.isEmpty,
            let hash = Base64URL.decode(parts[4]), hash.count == Scrypt.byteCount
        else { return nil }
        self.init(scrypt, salt: salt, hash: hash)
    }

    /// Returns whether a password matches.
    ///
    /// The duration is the same for a right and a wrong password.
    func matches(_ password: String) -> Bool {
        constantTimeEquals(scrypt.hash(Array(password.utf8), salt: salt), hash)
    }

    /// Whether the hash has another cost, and should be replaced.
    func isWeaker(than cost: PasswordCost) -> Bool { scrypt != cost.scrypt }

    private static func parameters(_ text: Substring.UTF8View) -> Scrypt? {
        let parts = text.split(separator: UInt8(ascii: ","))
        guard parts.count == 3,
            let costLog2 = number(parts[0], named: "ln="),
            let blockSize = number(parts[1], named: "r="),
            let parallelization = number(parts[2], named: "p=")
        else { return nil }
        return Scrypt(costLog2: costLog2, blockSize: blockSize, parallelization: parallelization)
    }

    private static func number(_ text: Substring.UTF8View, named name: String) -> Int? {
        guard text.starts(with: name.utf8) else { return nil }
        return Int(Substring(text.dropFirst(name.utf8.count)))
    }
}

extension PasswordHash: Redacted {
    /// A fixed text, without the hash.
    var description: String { "hash of a password" }
}

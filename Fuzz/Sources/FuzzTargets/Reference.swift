// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import CReference
internal import Foundation
internal import HostileInput

/// A reference in plain C for the two issuers of the test vectors: signs and verifies without any of the library's
/// code.
@safe final class Reference: Sendable {
    /// The issuer of most test vectors.
    static let issuerA = Reference("issuer-a")
    /// The issuer of the second key in the set.
    static let issuerB = Reference("issuer-b")

    /// The key's ID.
    let keyID: String
    /// The public key as a JSON Web Key with its required members only.
    let publicKey: String
    /// Used on one thread only: libFuzzer's.
    nonisolated(unsafe) private let key: OpaquePointer

    private init(_ name: String) {
        let path = "TestVectors/generator/keys/\(name).json"
        guard let json = FileManager.default.contents(atPath: path),
            let members = try? JSONSerialization.jsonObject(with: json) as? [String: Any],
            let keyID = members["kid"] as? String
        else { fatalError("cannot read \(path): run it in the root of the project") }
        let numbers = ["n", "e", "d", "p", "q", "dp", "dq", "qi"].map { name in
            Segments.decode(Array((members[name] as? String ?? "").utf8)) ?? []
        }
        guard let key = unsafe reference_key(Array(numbers.joined()), numbers.map(\.count)) else {
            fatalError("\(path) is not an RSA key")
        }
        self.keyID = keyID
        publicKey = #"{"e":"\#(members["e"] ?? "")","kty":"RSA","n":"\#(members["n"] ?? "")"}"#
        unsafe self.key = key
    }

    /// Returns the RS256 signature of a message.
    func signature(of message: [UInt8]) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: 256)
        let count = unsafe reference_sign(key, message, message.count, &signature, signature.count)
        expect(count == 256 && isValid(signature, of: message), "the reference cannot sign")
        return signature
    }

    /// Whether a signature is this key's RS256 signature of the message.
    func isValid(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        unsafe reference_verify(key, message, message.count, signature, signature.count) == 1
    }

    /// Whether a token has an RS256 signature of one of the two issuers, and canonical base64url in every segment.
    static func signed(_ token: [UInt8]) -> Bool {
        let segments = Segments(token)
        guard segments.texts.count == 3, let header = segments.decoded(0), segments.decoded(1) != nil,
            let signature = segments.decoded(2),
            let parameters = try? JSONSerialization.jsonObject(with: Data(header)) as? [String: Any],
            parameters["alg"] as? String == "RS256"
        else { return false }
        let message = Array(token.prefix(token.count - segments.texts[2].count - 1))
        let keyID = parameters["kid"] as? String
        return [issuerA, issuerB].contains { (keyID ?? $0.keyID) == $0.keyID && $0.isValid(signature, of: message) }
    }

    /// Returns the claims of a token, decoded by Foundation.
    static func claims(of token: [UInt8]) -> [String: Any]? {
        guard let payload = Segments(token).decoded(1) else { return nil }
        return try? JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any]
    }
}

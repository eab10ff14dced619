// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTesting

@testable internal import LoginText
@testable internal import LoginTokens

/// Differences between the results of the fast and the simple readers; nil where they agree.
enum Difference {
    /// Compares base64url: both return the same bytes, or none.
    static func ofBase64URL(_ text: [UInt8]) -> String? {
        Base64URL.decode(text) == ClearBase64URL.decode(text) ? nil : "base64url differs"
    }

    /// Compares JSON: both return the same table, or the same error at the same byte.
    static func ofJSON(_ text: [UInt8], limits: JSONLimits = .token) -> String? {
        let quick = Result { () throws(JSONError) in try JSONDocument.read(text, limits: limits).nodes }
        let clear = Result { () throws(JSONError) in try ClearJSONReader.read(text, limits: limits) }
        switch (quick, clear) {
        case (.success(let quick), .success(let clear)):
            return quick.elementsEqual(clear) { isSame($0, $1, in: text) } ? nil : "the tables differ"
        case (.failure(let quick), .failure(let clear)):
            return quick.description == clear.description ? nil : "\(quick) differs from \(clear)"
        case (.success, .failure(let error)): return "accepted, and not clearly: \(error)"
        case (.failure(let error), .success): return "clearly acceptable, and refused: \(error)"
        }
    }

    /// Compares the form of a token: both return the same segments, or the same code.
    static func ofForm(_ text: String) -> String? {
        let quick = Result { () throws(TokenRefusal) in try CompactJWS(text) }
        let clear = Result { () throws(TokenRefusal) in try ClearCompactJWS(text) }
        switch (quick, clear) {
        case (.success(let quick), .success(let clear)):
            guard quick.payload == clear.payload else { return "the payloads differ" }
            guard quick.signature == clear.signature else { return "the signatures differ" }
            guard quick.headerSegment.elementsEqual(clear.signingInput.prefix { $0 != UInt8(ascii: ".") }) else {
                return "the headers differ"
            }
            return ofSigned(clear.signingInput) ?? ofJSON(clear.header) ?? ofJSON(clear.payload)
        case (.failure(let quick), .failure(let clear)):
            return quick.code == clear.code ? nil : "\(quick.code) differs from \(clear.code)"
        case (.success, .failure(let error)): return "accepted, and not clearly: \(error.code)"
        case (.failure(let error), .success(let clear)):
            // The simple reader does not parse the header.
            guard [.header, .criticalHeader].contains(error.code) else {
                return "clearly acceptable, and refused: \(error.code)"
            }
            return ofJSON(clear.header)
        }
    }

    private static func isSame(_ quick: JSONNode, _ clear: JSONNode, in text: [UInt8]) -> Bool {
        let first = quick.kind == .string && quick.start < quick.end ? text[Int(quick.start)] : 0
        return quick.kind == clear.kind && quick.hasEscapes == clear.hasEscapes && quick.start == clear.start
            && quick.end == clear.end && quick.next == clear.next && quick.first == first
    }

    /// Compares the signing input, which no reader exposes: a signature of these bytes must be valid.
    private static func ofSigned(_ signingInput: [UInt8]) -> String? {
        let signature = Base64URL.encode(signer.key.signature(of: signingInput))
        guard signingInput.count + 1 + signature.utf8.count <= Limits.tokenBytes else { return nil }
        let token = try? CompactJWS("\(String(decoding: signingInput, as: UTF8.self)).\(signature)")
        return token?.isSigned(by: signer.verifier, algorithm: .ed25519) == true ? nil : "what was signed differs"
    }

    /// A key that signs quickly.
    private static let signer: (key: TestKey, verifier: JSONWebKey) = {
        let key = TestKey(.ed25519)
        guard let verifier = try? key.publicKey() else { fatalError("a key that was made cannot be used") }
        return (key, verifier)
    }()
}

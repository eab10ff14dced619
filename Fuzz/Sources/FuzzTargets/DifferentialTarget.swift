// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import HostileInput
internal import LoginTesting

@testable internal import LoginCrypto
@testable internal import LoginTokens

extension FuzzTarget {
    /// The quick readers against the slow and clear ones: the same answer, or the same error at the same byte.
    static let differential = FuzzTarget(
        "differential",
        maximumBytes: Limits.tokenBytes + 1024,
        seeds: { vectors in try FuzzTarget.json.seeds(vectors) + FuzzTarget.token.seeds(vectors) },
        mutate: { input, seed, plain in
            // A token has dots outside of quotation marks; what begins like JSON is none.
            let mutate =
                [UInt8(ascii: "{"), UInt8(ascii: "[")].contains(input.first)
                ? FuzzTarget.json.mutate : FuzzTarget.token.mutate
            return mutate?(input, seed, plain) ?? plain(input, Limits.tokenBytes)
        },
        run: { input in
            compareBase64URL(input)
            compareJSON(input)
            compareForms(String(decoding: input, as: UTF8.self))
        }
    )
}

private func compareBase64URL(_ input: [UInt8]) {
    for text in [input[...]] + input.split(separator: UInt8(ascii: ".")) {
        expect(Base64URL.decode(text) == ClearBase64URL.decode(Array(text)), "base64url differs")
    }
}

private func compareJSON(_ input: [UInt8]) {
    // The second meets its bounds sooner.
    for limits in [JSONLimits.token, JSONLimits(bytes: 256, depth: 3, members: 4)] {
        let quick = Result { () throws(JSONError) in try JSONDocument.read(input, limits: limits).nodes }
        let clear = Result { () throws(JSONError) in try ClearJSONReader.read(input, limits: limits) }
        switch (quick, clear) {
        case (.success(let quick), .success(let clear)):
            let same = quick.elementsEqual(clear) { quick, clear in
                quick.kind == clear.kind && quick.hasEscapes == clear.hasEscapes && quick.start == clear.start
                    && quick.end == clear.end && quick.next == clear.next
            }
            expect(same, "the tables differ")
        case (.failure(let quick), .failure(let clear)):
            expect(quick.description == clear.description, "\(quick) differs from \(clear)")
        case (.success, .failure(let error)): expect(false, "accepted, and not clearly: \(error)")
        case (.failure(let error), .success): expect(false, "clearly acceptable, and refused: \(error)")
        }
    }
}

private func compareForms(_ text: String) {
    let quick = Result { () throws(TokenRefusal) in try CompactJWS(text) }
    let clear = Result { () throws(TokenRefusal) in try ClearCompactJWS(text) }
    switch (quick, clear) {
    case (.success(let quick), .success(let clear)):
        expect(Array(quick.payload) == clear.payload, "the payloads differ")
        expect(Array(quick.signature) == clear.signature, "the signatures differ")
        expect(
            quick.headerSegment.elementsEqual(clear.signingInput.prefix { $0 != UInt8(ascii: ".") }),
            "the headers differ"
        )
        expectSigned(clear.signingInput)
        for segment in [clear.header, clear.payload] { compareJSON(segment) }
    case (.failure(let quick), .failure(let clear)):
        expect(quick.code == clear.code, "\(quick.code) differs from \(clear.code)")
    case (.success, .failure(let error)): expect(false, "accepted, and not clearly: \(error.code)")
    case (.failure(let error), .success(let clear)):
        // What the header says, the clear reader does not ask.
        expect([.header, .criticalHeader].contains(error.code), "clearly acceptable, and refused: \(error.code)")
        compareJSON(clear.header)
    }
}

/// Traps unless what is verified of a token are the bytes that were signed.
private func expectSigned(_ signingInput: [UInt8]) {
    let signature = Base64URL.encode(signer.key.signature(of: signingInput))
    guard signingInput.count + 1 + signature.utf8.count <= Limits.tokenBytes else { return }
    let token = try? CompactJWS("\(String(decoding: signingInput, as: UTF8.self)).\(signature)")
    expect(token?.isSigned(by: signer.verifier, algorithm: .ed25519) == true, "what was signed differs")
}

/// A key that signs quickly.
private let signer: (key: TestKey, verifier: JSONWebKey) = {
    let key = TestKey(.ed25519)
    guard let verifier = try? key.publicKey() else { fatalError("a key that was made cannot be used") }
    return (key, verifier)
}()

// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import HostileInput

@testable internal import LoginTokens

extension FuzzTarget {
    /// JWK sets: every key is used or set aside with a reason, within the limits, and none verifies a signature not its
    /// own.
    static let keySet = FuzzTarget(
        "jwk-set",
        maximumBytes: 16 * 1024,
        seeds: { vectors in
            let keys = vectors.vectors.filter { $0.kind == "key" }.compactMap { $0.members["key"] }
            return try vectors.keySets.filter { $0.count < 16 * 1024 }
                + keys.map { try TestVectorFiles.canonical(["keys": [$0]]) }
        },
        mutate: { input, seed, plain in
            var mutator = TokenMutator(seed: seed)
            return mutator.below(2) == 0 ? mutator.edited(input) : plain(input, 16 * 1024)
        },
        run: { input in tryKeySet(input) }
    )
}

private let message = Array("what was signed".utf8)
private let signature = Reference.issuerA.signature(of: message)
private let signer = JSONWebKeySet.thumbprint(ofKeyNamed: Reference.issuerA.keyID)

private func tryKeySet(_ input: [UInt8]) {
    let set: JSONWebKeySet
    do throws(KeySetError) {
        set = try JSONWebKeySet(json: input, allowPublishedTestKeys: true)
    } catch {
        expectShowable(error.description, hiding: [input])
        return
    }
    let json = try? JSONSerialization.jsonObject(with: Data(input)) as? [String: Any]
    if let named = json?["keys"] as? [Any] {
        expect(set.keys.count + set.unusableKeys.count == named.count, "a key was lost")
    }
    expect((1...Limits.keySetKeys).contains(set.keys.count + set.unusableKeys.count), "there are too many keys")
    for key in set.unusableKeys { expectShowable(key.description) }
    for key in set.keys {
        expectShowable(key.description)
        expect(!key.algorithms.isEmpty, "a key has no algorithm")
        expect(Segments.decode(Array(key.thumbprint.utf8))?.count == 32, "a thumbprint is not a SHA-256 digest")
        if key.type == "RSA" { expect(Limits.rsaModulusBits.contains(key.bits), "a key has \(key.bits) bits") }
        for algorithm in key.algorithms {
            let length = algorithm == .es512 ? 132 : key.type == "RSA" ? (key.bits + 7) / 8 : key.bits / 8 * 2
            for other in [UInt8(0), 1, 255] {
                let forged = [UInt8](repeating: other, count: length)
                expect(
                    !key.isValidSignature(forged, of: message, algorithm: algorithm),
                    "a key verifies an invalid signature"
                )
            }
            let isValid = key.isValidSignature(signature, of: message, algorithm: algorithm)
            expect(
                isValid == (algorithm == .rs256 && key.thumbprint == signer),
                "a key verifies another key's signature, or refuses its own"
            )
        }
    }
    let published = try? JSONWebKeySet(json: input)
    expect(published.map { $0.keys.count <= set.keys.count } == true, "more keys are published than were read")
}

extension JSONWebKeySet {
    fileprivate static func thumbprint(ofKeyNamed name: String) -> String {
        let json = FileManager.default.contents(atPath: "TestVectors/demo/keys.json") ?? Data()
        let keys = try? JSONWebKeySet(json: json, allowPublishedTestKeys: true).keys
        guard let key = keys?.first(where: { $0.keyID == name }) else { fatalError("the demo lacks the key \(name)") }
        return key.thumbprint
    }
}

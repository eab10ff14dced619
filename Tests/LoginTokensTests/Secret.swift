// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import Foundation
internal import LoginTesting

/// HMAC secrets of algorithm-confusion attacks: each form of a public key that a library may hold.
enum Secret: String, CaseIterable, Sendable {
    case pem, pemWithoutLastLineBreak, pemAfterSpace, der, jwk, jwkSet, numbers, empty, zero

    func bytes(of key: TestKey) throws -> [UInt8] {
        switch self {
        case .pem: return Array((try pem(key)).utf8)
        case .pemWithoutLastLineBreak: return Array((try pem(key)).dropLast().utf8)
        case .pemAfterSpace: return Array((" " + (try pem(key))).utf8)
        case .der: return try DER.publicKey(key.json)
        case .jwk: return Array(key.json.text.utf8)
        case .jwkSet: return Array((["keys": [key.json]] as TestJSON).text.utf8)
        case .numbers: return try ["n", "x", "y"].flatMap { try key.json.decoded($0) }
        case .empty: return []
        case .zero: return [0]
        }
    }

    private func pem(_ key: TestKey) throws -> String {
        let base64 = Data(try DER.publicKey(key.json))
            .base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN PUBLIC KEY-----\n\(base64)\n-----END PUBLIC KEY-----\n"
    }
}

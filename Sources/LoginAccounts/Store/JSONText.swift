// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The JSON of structured values, as a store keeps it.
enum JSONText {
    /// Encodes a value.
    static func encode(_ value: some Encodable) throws(StoreError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else {
            throw StoreError(.damaged, "a value cannot be encoded as JSON")
        }
        return String(decoding: data, as: UTF8.self)
    }

    /// Decodes a value that this service has encoded.
    static func decode<Value: Decodable>(_ text: String, as type: Value.Type = Value.self) throws(StoreError) -> Value {
        guard let value = try? JSONDecoder().decode(type, from: Data(text.utf8)) else {
            throw StoreError(.damaged, "a row has unexpected JSON")
        }
        return value
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension Tweaks {
    /// The maximum size of a document to import: 256 KiB, which is 256 texts of the maximum length.
    public static let importBytes = 256 * 1024

    /// The document of an export.
    private struct Export: Codable {
        /// The overrides as texts, by tweak ID.
        let values: [String: String]
    }

    /// Returns the values that operators have set, as JSON: `{"values": {"import.queue.pause": "60"}}`.
    ///
    /// - Returns: The document, with all stored values, also of tweaks that only other versions declare.
    public func exportJSON() -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(Export(values: overrides)) else {
            preconditionFailure("texts can be encoded as JSON")
        }
        return String(decoding: data, as: UTF8.self) + "\n"
    }

    /// Replaces the values that operators have set with those of an export.
    ///
    /// Declared tweaks that the document does not contain are reset. The document may contain values of tweaks that
    /// only other versions of the program declare: they are stored, and listed in ``TweakReport/unknown``. Such stored
    /// values that the document does not contain are not changed.
    ///
    /// - Parameters:
    ///   - json: The document, ``importBytes`` at most.
    ///   - revision: The overall revision that the author has seen (``TweakReport/revision``).
    ///   - author: The operator, for the history: 64 bytes at most.
    /// - Throws: ``TweakError``: `invalid-value` for the first value that is not accepted, or a malformed document;
    ///   `unknown-tweak` for a malformed ID, `no-value` for the ID of an action; `overtaken`, `store-unavailable`.
    ///   Nothing is changed then.
    public func importJSON(_ json: String, expecting revision: Int64, by author: String) async throws(TweakError) {
        guard json.utf8.count <= Self.importBytes,
            let export = try? JSONDecoder().decode(Export.self, from: Data(json.utf8))
        else {
            let limit = "\(Self.importBytes / 1024) KiB"
            throw TweakError(.value, "the document is not an export of tweaks, or is larger than \(limit)")
        }
        try await load()
        try await write(changes(to: export.values), revision, author)
    }
}

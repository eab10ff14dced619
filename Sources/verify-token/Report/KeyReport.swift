// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine
internal import LoginServer
internal import LoginTokens

/// A report on an issuer's keys, or on why there are none.
struct KeyReport {
    /// The name of the provider; nil if none was given.
    let provider: String?
    let origin: KeyOrigin?
    let keys: Result<JSONWebKeySet, VerificationUnavailable>

    /// The usable keys.
    var usable: [JSONWebKey] { (try? keys.get())?.keys ?? [] }

    /// The reason why no token can be verified; nil if there is a usable key.
    private var undecided: VerificationUnavailable? {
        switch keys {
        case .failure(let unavailable): unavailable
        case .success(let keys) where keys.keys.isEmpty:
            VerificationUnavailable(detail: "none of \(keys.unusableKeys.count) keys is usable")
        case .success: nil
        }
    }

    /// The unusable keys.
    var unusable: [UnusableKey] { (try? keys.get())?.unusableKeys ?? [] }
}

// MARK: Text

extension KeyReport {
    /// Returns a line for each key, after a title and the origin of the keys.
    ///
    /// - Parameter palette: The colors that mark usable and unusable keys.
    /// - Returns: The report without a line break at the end.
    func text(palette: Palette) -> String {
        if case .failure(let unavailable) = keys {
            return palette.paint("undecided", of: unavailable.description, .yellow)
        }
        let count = usable.count + unusable.count
        let whose = provider.map { "\(printable($0)): " } ?? ""
        let title = "\(whose)\(usable.count) of \(count) \(count == 1 ? "key" : "keys") usable"
        let rows = usable.map(row) + unusable.map(row)
        let lines = [title] + (origin.map { ["  \($0.summary)"] } ?? []) + [""] + aligned(rows, palette)
        return (lines + (notes.isEmpty ? [] : [""]) + notes.map { "  note: \($0)" }).joined(separator: "\n")
    }

    private func row(_ key: JSONWebKey) -> [String] {
        ["usable", shown(key.keyID), key.description, key.thumbprint, key.algorithmNames.joined(separator: " ")]
    }

    private func row(_ key: UnusableKey) -> [String] {
        ["unusable", shown(key.keyID), "\(key.reason): \(key.detail)"]
    }

    private func shown(_ keyID: String?) -> String { keyID.map { quoted($0) } ?? "no ID" }

    /// Returns rows with aligned columns.
    ///
    /// The last cell of a row is not padded.
    private func aligned(_ rows: [[String]], _ palette: Palette) -> [String] {
        let widths = (0..<5).map { column in
            rows.filter { $0.count > column + 1 }.map { $0[column].count }.max() ?? 0
        }
        return rows.map { row in
            let cells = row.indices.map { $0 == row.count - 1 ? row[$0] : padded(row[$0], to: widths[$0]) }
            let line = cells.joined(separator: "  ")
            return "  " + palette.paint("unusable", of: palette.paint("usable", of: line, .green), .red)
        }
    }

    /// The notes on the set.
    private var notes: [String] { (try? keys.get())?.notes ?? [] }
}

// MARK: JSON

extension KeyReport: Encodable {
    private enum Key: CodingKey {
        case provider, code, message, source, keys, notes, version
    }

    private enum MemberKey: CodingKey {
        case kid, usable, type, curve, bits, algorithms, thumbprint, reason, detail
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(provider, forKey: .provider)
        try container.encode(undecided?.code.rawValue, forKey: .code)
        try container.encode(undecided?.description, forKey: .message)
        try container.encode(origin, forKey: .source)
        try container.encode(VerifyToken.version, forKey: .version)
        var list = container.nestedUnkeyedContainer(forKey: .keys)
        for key in usable {
            var item = list.nestedContainer(keyedBy: MemberKey.self)
            try item.encode(key.keyID, forKey: .kid)
            try item.encode(true, forKey: .usable)
            try item.encode(key.type, forKey: .type)
            try item.encode(key.curve, forKey: .curve)
            try item.encode(key.bits, forKey: .bits)
            try item.encode(key.algorithmNames, forKey: .algorithms)
            try item.encode(key.thumbprint, forKey: .thumbprint)
        }
        for key in unusable {
            var item = list.nestedContainer(keyedBy: MemberKey.self)
            try item.encode(key.keyID, forKey: .kid)
            try item.encode(false, forKey: .usable)
            try item.encode(key.reason.rawValue, forKey: .reason)
            try item.encode(key.detail, forKey: .detail)
        }
        try container.encode(notes, forKey: .notes)
    }
}
#endif

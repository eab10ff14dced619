// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// How a person was proven, and when.
public struct AuthenticationMethod: Sendable, Hashable {
    /// The name: `pwd`, `otp` or `sms` as RFC 8176 has them; `fed` where a provider did it, and `recovery` for a recovery code.
    public let name: String

    /// When; where it was shown several times, the last time.
    public let at: Date
}

extension AuthenticationMethod: CustomStringConvertible {
    /// The name.
    public var description: String { name }
}

/// How a person was proven, and when, as a session keeps it.
struct ProvenMethod: Sendable, Hashable {
    /// A name of ours: lower-case letters alone, so that JSON needs nothing escaped.
    let name: String
    /// When, at last.
    let at: StoreTime

    init(_ name: String, at: StoreTime) {
        self.name = name
        self.at = at
    }
}

extension [ProvenMethod] {
    /// Reads what ``text`` has written.
    ///
    /// Each check of a session does so, which is why no decoder is made for it.
    ///
    /// - Throws: ``StoreError``: `damaged`.
    init(text: String) throws(StoreError) {
        guard let elements = (try? JSONDocument.read([UInt8](text.utf8)))?.root.elements else { throw Self.damaged }
        self = []
        for element in elements {
            guard let name = element["method"]?.string, let milliseconds = element["at"]?.integer,
                name.utf8.allSatisfy({ (0x61...0x7A).contains($0) })
            else { throw Self.damaged }
            append(ProvenMethod(name, at: StoreTime(milliseconds: Int64(milliseconds))))
        }
    }

    private static var damaged: StoreError {
        StoreError(.damaged, "a session was opened by a method that has no name or no time")
    }

    /// The JSON, those shown earlier first.
    var text: String {
        var json = JSONWriter()
        json.addArray {
            for method in self {
                $0.addObject {
                    $0.add("at", json: String(method.at.milliseconds).utf8)
                    $0.add("method", method.name)
                }
            }
        }
        return String(decoding: json.bytes, as: UTF8.self)
    }

    /// The same with further methods: one that is there already has been shown anew.
    func adding(_ methods: [ProvenMethod]) -> [ProvenMethod] {
        filter { known in !methods.contains { $0.name == known.name } } + methods
    }
}

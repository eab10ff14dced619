// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginTokens

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An authentication method, and the time of its use.
public struct AuthenticationMethod: Sendable, Hashable {
    /// The name: `pwd`, `otp` or `sms` (RFC 8176), `fed` for an identity provider, or `recovery` for a recovery code.
    public let name: String

    /// The time of the last use.
    public let at: Date
}

extension AuthenticationMethod: CustomStringConvertible {
    /// The name.
    public var description: String { name }
}

/// An authentication method and the time of its use, as a session stores it.
struct ProvenMethod: Sendable, Hashable {
    /// The name, of lower-case letters only, so that JSON needs no escape sequences.
    let name: String
    /// The time of the last use.
    let at: StoreTime

    init(_ name: String, at: StoreTime) {
        self.name = name
        self.at = at
    }
}

extension [ProvenMethod] {
    /// Parses ``text``.
    ///
    /// This runs for every check of a session, and therefore without a decoder.
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
        StoreError(.damaged, "an authentication method of a session has no name or no time")
    }

    /// The methods as JSON, the earliest first.
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

    /// Returns the methods with further ones; a method that is present already gets the new time.
    func adding(_ methods: [ProvenMethod]) -> [ProvenMethod] {
        filter { known in !methods.contains { $0.name == known.name } } + methods
    }
}

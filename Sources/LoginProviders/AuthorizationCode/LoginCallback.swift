// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText
public import LoginTokens

/// What a browser brings back from the provider, as it arrived at your redirect URL.
///
/// ```swift
/// let result = try await logins.finish(LoginCallback(query: request.uri.query), purpose: .signIn, secret: cookie)
/// ```
///
/// Nothing in it is believed before ``LoginManager/finish(_:purpose:secret:)`` has found the attempt that it answers. To make
/// one never fails: what cannot be read is told there, as ``LoginFailure/Code/callback``.
///
/// A Limited Login answers in the fragment, which browsers do not send to servers: a page at the redirect URL posts it to
/// you, `location.search` and `location.hash` as they are.
public struct LoginCallback: Sendable {
    /// How many bytes are read: 32 KiB, twice the longest token.
    private static let bytes = 2 * Limits.tokenBytes

    /// How many parameters are read: 64, three times what any provider sends.
    private static let count = 64

    private let parameters: Result<[String: String], Problem>

    /// Why nothing was read.
    struct Problem: Error {
        let detail: String
    }

    /// The answer as a query, and where there is one as a fragment.
    ///
    /// What stands in both must be the same in both.
    ///
    /// - Parameters:
    ///   - query: What follows `?` in the URL, with or without it.
    ///   - fragment: What follows `#`, with or without it.
    public init(query: String, fragment: String = "") {
        parameters = Result { () throws(Problem) in
            guard query.utf8.count + fragment.utf8.count <= Self.bytes else { throw Self.tooLong }
            let inQuery = try Self.read(Array(query.hasPrefix("?") ? query.utf8.dropFirst() : query.utf8[...]))
            let inFragment = try Self.read(
                Array(fragment.hasPrefix("#") ? fragment.utf8.dropFirst() : fragment.utf8[...])
            )
            var all = inQuery
            for (name, value) in inFragment {
                let known = all.updateValue(value, forKey: name)
                guard known.map({ isEqual($0, value) }) ?? true else {
                    throw Problem(detail: "query and fragment contradict each other")
                }
            }
            return all
        }
    }

    /// The answer as the whole URL that the browser was sent to.
    ///
    /// - Parameter url: The URL; of what stands before `?` and `#`, nothing is looked at.
    public init(url: String) {
        let beforeFragment = url.prefix { $0 != "#" }
        self.init(
            query: String(beforeFragment.drop { $0 != "?" }),
            fragment: String(url.dropFirst(beforeFragment.count))
        )
    }

    /// The answer as the body of a form that was posted (`response_mode=form_post`).
    ///
    /// - Parameter form: The body.
    public init(form: [UInt8]) {
        parameters = Result { () throws(Problem) in
            guard form.count <= Self.bytes else { throw Self.tooLong }
            return try Self.read(form)
        }
    }

    /// The answer as parameters that your web framework has read, duplicates included.
    ///
    /// - Parameter parameters: Names and values, decoded.
    public init(parameters: [(name: String, value: String)]) {
        self.parameters = Result { () throws(Problem) in
            guard parameters.reduce(0, { $0 + $1.name.utf8.count + $1.value.utf8.count }) <= Self.bytes else {
                throw Self.tooLong
            }
            return try Self.unique(parameters)
        }
    }

    /// The parameters.
    ///
    /// - Throws: Why there are none to read.
    func read() throws(Problem) -> CallbackParameters {
        CallbackParameters(values: try parameters.get())
    }

    private static let tooLong = Problem(detail: "it has more than \(bytes) bytes")

    private static func read(_ text: [UInt8]) throws(Problem) -> [String: String] {
        guard let fields = FormFields(reading: text, atMost: count) else {
            throw Problem(detail: "it is not of the form of a query, or has more than \(count) parameters")
        }
        return try unique(fields.all)
    }

    /// No parameter may stand in an answer twice (RFC 6749 §3.1): which of them counts would be a matter of taste.
    private static func unique(_ parameters: [(name: String, value: String)]) throws(Problem) -> [String: String] {
        guard parameters.count <= count else { throw Problem(detail: "it has more than \(count) parameters") }
        var values: [String: String] = [:]
        for parameter in parameters {
            // Swift hashes a text by its normal form, which a stranger can make slow to find: of 32 KiB of accents, a second.
            guard parameter.name.utf8.allSatisfy({ $0 < 0x80 }) else {
                throw Problem(detail: "the name of a parameter is not ASCII")
            }
            guard values.updateValue(parameter.value, forKey: parameter.name) == nil else {
                throw Problem(detail: "a parameter stands in it twice")
            }
        }
        return values
    }
}

extension LoginCallback: Redacted {
    /// A fixed text, without codes and tokens.
    public var description: String { "login callback" }
}

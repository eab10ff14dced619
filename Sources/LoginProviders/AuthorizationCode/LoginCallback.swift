// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginText
public import LoginTokens

/// The authorization response that the browser delivers to the redirect URI.
///
/// ```swift
/// let result = try await logins.finish(LoginCallback(query: request.uri.query), purpose: .signIn, secret: cookie)
/// ```
///
/// Nothing in it is trusted before ``LoginManager/finish(_:purpose:secret:)`` has found its attempt. The initializers
/// never fail: a malformed response is reported there, as ``LoginFailure/Code/callback``.
///
/// A Limited Login responds in the fragment, which browsers do not send to servers. A page at the redirect URI must
/// post `location.search` and `location.hash` unchanged.
public struct LoginCallback: Sendable {
    /// The maximum length: 32 KiB, twice that of a token.
    private static let bytes = 2 * Limits.tokenBytes

    /// The maximum number of parameters: three times as many as any provider sends.
    private static let count = 64

    private let parameters: Result<[String: String], LoginFailure>

    /// Creates a callback from a query and a fragment.
    ///
    /// A parameter in both must have the same value in both.
    ///
    /// - Parameters:
    ///   - query: The query of the URL, with or without `?`.
    ///   - fragment: The fragment, with or without `#`.
    public init(query: String, fragment: String = "") {
        parameters = Result { () throws(LoginFailure) in
            guard query.utf8.count + fragment.utf8.count <= Self.bytes else { throw Self.tooLong }
            let inQuery = try Self.read(Array(query.hasPrefix("?") ? query.utf8.dropFirst() : query.utf8[...]))
            let inFragment = try Self.read(
                Array(fragment.hasPrefix("#") ? fragment.utf8.dropFirst() : fragment.utf8[...])
            )
            var all = inQuery
            for (name, value) in inFragment {
                let known = all.updateValue(value, forKey: name)
                guard known.map({ isEqual($0, value) }) ?? true else {
                    throw LoginFailure(.callback, "the query and the fragment have different values for a parameter")
                }
            }
            return all
        }
    }

    /// Creates a callback from the whole URL.
    ///
    /// - Parameter url: The URL. The part before `?` and `#` is ignored.
    public init(url: String) {
        let beforeFragment = url.prefix { $0 != "#" }
        self.init(
            query: String(beforeFragment.drop { $0 != "?" }),
            fragment: String(url.dropFirst(beforeFragment.count))
        )
    }

    /// Creates a callback from the body of a posted form (`response_mode=form_post`).
    ///
    /// - Parameter form: The body, encoded as `application/x-www-form-urlencoded`.
    public init(form: [UInt8]) {
        parameters = Result { () throws(LoginFailure) in
            guard form.count <= Self.bytes else { throw Self.tooLong }
            return try Self.read(form)
        }
    }

    /// Creates a callback from parameters that the web framework has decoded, duplicates included.
    ///
    /// - Parameter parameters: Names and values, decoded.
    public init(parameters: [(name: String, value: String)]) {
        self.parameters = Result { () throws(LoginFailure) in
            guard parameters.reduce(0, { $0 + $1.name.utf8.count + $1.value.utf8.count }) <= Self.bytes else {
                throw Self.tooLong
            }
            return try Self.unique(parameters)
        }
    }

    /// Returns the parameters.
    ///
    /// - Throws: ``LoginFailure`` with the code `callback` if the response is malformed.
    func read() throws(LoginFailure) -> CallbackParameters {
        CallbackParameters(values: try parameters.get())
    }

    /// Returns the ID of the attempt that the response names.
    ///
    /// - Throws: ``LoginFailure``: `callback` if the response is malformed or has no state, `provider-error` for an
    ///   error without a state, `state-unknown` for a malformed state.
    package func attemptID() throws(LoginFailure) -> SignInAttempt.ID { try read().attemptID() }

    private static let tooLong = LoginFailure(.callback, "it has more than \(bytes) bytes")

    private static func read(_ text: [UInt8]) throws(LoginFailure) -> [String: String] {
        guard let fields = FormFields(reading: text, atMost: count) else {
            throw LoginFailure(.callback, "it is not a valid query string, or has more than \(count) parameters")
        }
        return try unique(fields.all)
    }

    /// Returns the parameters by name.
    ///
    /// A duplicate is refused (RFC 6749 §3.1), since implementations differ in which one they use.
    private static func unique(_ parameters: [(name: String, value: String)]) throws(LoginFailure) -> [String: String] {
        guard parameters.count <= count else { throw LoginFailure(.callback, "it has more than \(count) parameters") }
        var values: [String: String] = [:]
        for parameter in parameters {
            // Swift hashes strings by their normal form, which an attacker can make slow: 32 KiB of combining marks
            // take a second.
            guard parameter.name.utf8.allSatisfy({ $0 < 0x80 }) else {
                throw LoginFailure(.callback, "the name of a parameter is not ASCII")
            }
            guard values.updateValue(parameter.value, forKey: parameter.name) == nil else {
                throw LoginFailure(.callback, "it has a parameter twice")
            }
        }
        return values
    }
}

extension LoginCallback: Redacted {
    /// A fixed text, without codes and tokens.
    public var description: String { "login callback" }
}

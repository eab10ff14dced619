// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
public import LoginTokens

/// What the callback for the deletion of data owes Facebook: where the person can see how far it is, and a code to ask
/// by.
///
/// Answer 200 with ``json`` as `application/json`. The other callback, which tells that somebody removed the app, is
/// owed nothing but a status of 200: what else is in the answer is not read.
public struct DataDeletionResponse: Sendable, Hashable {
    /// How long a code may be, in characters.
    public static let confirmationCodeLength = 1...64

    /// A page of yours, for people, that says how far the deletion is.
    public let url: EndpointURL

    /// What the person, or Facebook, asks you by.
    public let confirmationCode: String

    /// An answer.
    ///
    /// - Parameters:
    ///   - url: The page that says how far the deletion is: `https`.
    ///   - confirmationCode: The code to ask by: 1 to 64 letters and digits of ASCII.
    /// - Throws: ``DataDeletionResponseError`` if one of them cannot be so.
    public init(
        url: EndpointURL,
        confirmationCode: String = Self.randomConfirmationCode()
    ) throws(DataDeletionResponseError) {
        guard url.scheme == .https else { throw .url }
        guard Self.confirmationCodeLength.contains(confirmationCode.utf8.count),
            confirmationCode.utf8.allSatisfy(Self.isAlphanumeric)
        else { throw .confirmationCode }
        self.url = url
        self.confirmationCode = confirmationCode
    }

    /// A code that nobody can guess: whoever knows it may see how far a deletion is.
    public static func randomConfirmationCode() -> String {
        // 26 characters of five bits are 130 bits; none of them is mistaken for another when it is read aloud.
        let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
        return String(decoding: randomBytes(count: 26).map { alphabet[Int($0 & 31)] }, as: UTF8.self)
    }

    /// The body of the answer.
    public var json: [UInt8] {
        JSONWriter.object {
            $0.add("confirmation_code", confirmationCode)
            $0.add("url", url.description)
        }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}

/// What no answer to a request for the deletion of data has.
public enum DataDeletionResponseError: Error, Sendable, Hashable {
    /// The address is not `https`.
    case url
    /// The code is not 1 to 64 letters and digits of ASCII.
    case confirmationCode
}

extension DataDeletionResponseError: CustomStringConvertible {
    /// What is wrong, for the operator.
    public var description: String {
        switch self {
        case .url: "the page that says how far a deletion is begins with https"
        case .confirmationCode: "a confirmation code is 1 to 64 letters and digits of ASCII"
        }
    }
}

extension DataDeletionResponse: Redacted {
    /// A fixed text, without the code: anyone who knows the code may ask for the state of the deletion.
    public var description: String { "answer to a request for the deletion of data" }
}

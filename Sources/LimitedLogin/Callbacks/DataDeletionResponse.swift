// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
public import LoginTokens

/// The response to Facebook's data deletion request: the URL of a status page, and a confirmation code.
///
/// Respond with status 200 and ``json`` as `application/json`. The deauthorization callback needs a status of 200 only;
/// Facebook ignores the body.
public struct DataDeletionResponse: Sendable, Hashable {
    /// The allowed length of a confirmation code, in characters.
    public static let confirmationCodeLength = 1...64

    /// The URL of your page that shows the user the status of the deletion.
    public let url: EndpointURL

    /// The code by which the user, or Facebook, refers to the deletion.
    public let confirmationCode: String

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - url: The URL of the status page. It must be `https`.
    ///   - confirmationCode: The confirmation code: 1 to 64 ASCII letters and digits.
    /// - Throws: ``DataDeletionResponseError`` if one of them is invalid.
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

    /// Returns a random code of 130 bits.
    ///
    /// Its holder may see the status of the deletion, so it must not be guessable.
    public static func randomConfirmationCode() -> String {
        // 26 characters of five bits are 130 bits. The alphabet has no characters that are mistaken for each other.
        let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
        return String(decoding: randomBytes(count: 26).map { alphabet[Int($0 & 31)] }, as: UTF8.self)
    }

    /// The body of the response.
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

/// The reason why a response to a data deletion request is invalid.
public enum DataDeletionResponseError: Error, Sendable, Hashable {
    /// The URL is not `https`.
    case url
    /// The code is not 1 to 64 ASCII letters and digits.
    case confirmationCode
}

extension DataDeletionResponseError: CustomStringConvertible {
    /// The reason, for the operator.
    public var description: String {
        switch self {
        case .url: "the URL of the status page must begin with https"
        case .confirmationCode: "a confirmation code must have 1 to 64 ASCII letters and digits"
        }
    }
}

extension DataDeletionResponse: Redacted {
    /// A fixed text, without the code.
    ///
    /// The holder of the code may ask for the status of the deletion.
    public var description: String { "response to a data deletion request" }
}

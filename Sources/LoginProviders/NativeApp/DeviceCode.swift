// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// A code that the user enters at the provider, to sign a device in (RFC 8628 §3.2).
public struct DeviceCode: Sendable {
    /// The code that the user enters: at most 64 printable ASCII characters.
    ///
    /// Show it as it is, and read it out loud nowhere: whoever enters it signs in this device.
    public let userCode: String

    /// The URL that the user opens, short enough to be typed.
    public let verificationURL: String

    /// The URL that contains the code already, for a QR code; nil if the provider has none.
    ///
    /// Show ``userCode`` beside it, so that the user can compare it with that on the page (RFC 8628 §3.3.1).
    public let completeVerificationURL: String?

    /// The lifetime of the code: 1 second to 1 hour.
    public let lifetime: Duration

    /// The device code, with which only this device gets the tokens.
    let secret: String

    /// The interval between requests to the token endpoint.
    let interval: Duration

    /// The time at which the code expires, by the clock of the login.
    let deadline: Duration

    /// The maximum lifetime: one hour.
    ///
    /// A code that lives longer is given up earlier.
    private static let longestLifetime = 3600

    /// Reads the response of a device authorization endpoint.
    ///
    /// - Parameters:
    ///   - json: The response.
    ///   - provider: The provider, whose URLs may be `http` if it allows that.
    ///   - began: The time of the request.
    /// - Throws: ``LoginFailure`` with the code `exchange-response`.
    init(_ json: JSONValue, of provider: Provider, began: Duration) throws(LoginFailure) {
        secret = try Self.text("device_code", in: json, limit: 4096)
        userCode = try Self.text("user_code", in: json, limit: 64, allowsSpaces: true)
        // Google's name of the member differs from the standard's.
        let name = json["verification_uri"] == nil ? "verification_url" : "verification_uri"
        verificationURL = try Self.url(try Self.text(name, in: json, limit: 2048), of: provider)
        completeVerificationURL =
            if json["verification_uri_complete"] == nil {
                nil
            } else {
                try Self.url(try Self.text("verification_uri_complete", in: json, limit: 2048), of: provider)
            }
        guard let seconds = json["expires_in"]?.integer, seconds > 0 else {
            throw Self.invalid("expires_in is missing, or is not a positive integer")
        }
        lifetime = .seconds(min(seconds, Self.longestLifetime))
        deadline = began + lifetime
        let interval = json["interval"]?.integer.flatMap { $0 > 0 ? $0 : nil }
        self.interval = .seconds(min(interval ?? DevicePolling.defaultInterval, Self.longestLifetime))
    }

    private static func text(
        _ name: String,
        in json: JSONValue,
        limit: Int,
        allowsSpaces: Bool = false
    ) throws(LoginFailure) -> String {
        // The texts are shown to the user, or sent in a form.
        let allowed: ClosedRange<UInt8> = allowsSpaces ? 0x20...0x7E : 0x21...0x7E
        guard let text = json[name]?.string, (1...limit).contains(text.utf8.count),
            text.utf8.allSatisfy(allowed.contains)
        else { throw invalid("\(name) is missing, or is not a text of printable ASCII of at most \(limit) bytes") }
        return text
    }

    private static func url(_ text: String, of provider: Provider) throws(LoginFailure) -> String {
        do throws(TransportFailure) {
            return try provider.endpoint(text).description
        } catch {
            throw invalid("a verification URL: \(error.detail)")
        }
    }

    private static func invalid(_ detail: String) -> LoginFailure {
        LoginFailure(.exchangeResponse, "the device authorization endpoint: \(detail)")
    }
}

extension DeviceCode: Redacted {
    /// A fixed text, without the codes.
    public var description: String { "device code" }
}

/// The times of the requests of a device that waits for its user (RFC 8628 §3.5).
struct DevicePolling: Sendable, Hashable {
    /// The interval in seconds if the provider names none.
    static let defaultInterval = 5

    /// The interval between requests.
    private(set) var interval: Duration

    /// The time at which the code expires.
    let deadline: Duration

    /// Returns the time of the next request; nil if the code has expired by then.
    ///
    /// - Parameter now: The time of the last response.
    /// - Returns: The time.
    func nextRequest(after now: Duration) -> Duration? {
        let next = now + interval
        return next < deadline ? next : nil
    }

    /// Increases the interval by five seconds for all further requests, as the provider demands.
    mutating func slowDown() { interval += .seconds(5) }

    /// Doubles the interval, after a request without a usable response.
    ///
    /// It has a limit, so that a short outage does not use up the lifetime of the code.
    mutating func backOff() { interval = max(interval, min(interval * 2, .seconds(60))) }
}

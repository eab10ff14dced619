// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LoginCrypto
internal import LoginText
public import LoginTokens

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A signed request that Facebook posts to the callbacks of an app: the user removed the app, or requests the deletion
/// of data.
///
/// ```swift
/// let request = try SignedRequest(verifying: SignedRequest.field(inFormBody: body), app: app)
/// guard let userID = request.userID else { return }
/// ```
///
/// Every value of this type has been verified with the app secret. Take a user's ID from here or from a verified ID
/// token, never from an app: an app has no secret, and cannot tell a genuine signed request from a forged one.
///
/// Facebook may send a signed request twice, and anyone who intercepts one can replay it until its maximum age. Make
/// the handling idempotent.
public struct SignedRequest: Sendable {
    /// The maximum length of a signed request in bytes: that of a token.
    private static let maximumBytes = Limits.tokenBytes

    /// The clock skew that is tolerated, in seconds: as for tokens.
    private static let leeway = 30.0

    /// The time at which Facebook signed the request.
    public let issuedAt: Date

    /// The user's ID within the app: the `sub` of the app's ID tokens.
    ///
    /// It is nil for a request without a user, as from a page: Facebook omits it or writes `0`. ``notes`` then has an
    /// entry.
    public let userID: String?

    private let payload: JSONValue

    /// Creates a signed request by verifying its text.
    ///
    /// - Parameters:
    ///   - text: The value of the field `signed_request`, unchanged.
    ///   - app: The app that the request is for, with its secret.
    ///   - maximumAge: The maximum age, by default an hour, since Facebook sends the request at once; nil for any age,
    ///     which permits replay without limit.
    ///   - clock: The clock for age checks.
    ///   - explain: Called with the result of each of ``checks``, in order, whatever the outcome.
    /// - Throws: ``SignedRequestRefusal``, with a code of ``SignedRequestRefusal/Code/all``.
    public init(
        verifying text: String,
        app: FacebookApp,
        maximumAge: Duration? = .seconds(3600),
        clock: any WallClock = .system,
        explain: ((CheckReport) -> Void)? = nil
    ) throws(SignedRequestRefusal) {
        var log = SignedRequestLog(observer: explain)
        do throws(SignedRequestRefusal) {
            let payload = try Self.verifiedPayload(text, app, &log)
            issuedAt = try Self.issuedAt(payload)
            log.pass("issued_at is present")
            userID = try Self.userID(payload)
            log.pass(userID == nil ? "no user" : "a user ID")
            let now = clock.now.timeIntervalSince1970
            try Self.checkTimes(issuedAt.timeIntervalSince1970, now: now, maximumAge: maximumAge, &log)
            self.payload = payload
        } catch {
            log.fail(error)
            throw error
        }
    }

    /// The checks of a verification, in their order.
    ///
    /// Before the signature is verified, no member of the payload is used but `algorithm`, which has one accepted
    /// value.
    public static let checks: [Check] = [
        .size, .segments, .encoding, .payload, .algorithm, .signature, .requiredClaims, .subject, .issuedAt, .age,
    ]
}

// MARK: - Members

extension SignedRequest {
    /// The expiry of the access token in the request; nil if there is no access token, or it never expires.
    ///
    /// It is not the expiry of the signed request.
    public var expires: Date? {
        guard let seconds = payload["expires"].flatMap(Self.seconds), seconds > 0 else { return nil }
        return Date(timeIntervalSince1970: seconds)
    }

    /// The user's country, an ISO 3166 code of two letters.
    public var country: String? { userText("country") }

    /// The user's locale, for example `en_US`.
    public var locale: String? { userText("locale") }

    /// The range of the user's age.
    public var ageRange: UserAgeRange? { payload["user"]?["age"].flatMap(UserAgeRange.init) }

    /// The ID of the page that the request comes from; nil if it comes from none.
    public var profileID: String? { payload["profile_id"]?.string.flatMap(Self.nonEmpty) }

    /// The members that could not be read, and the reason for a missing user ID.
    public var notes: [ClaimNote] {
        var notes: [ClaimNote] = []
        if userID == nil {
            let reason =
                payload["user_id"] == nil ? "missing: the request concerns no user" : "0: the request concerns no user"
            notes.append(ClaimNote(claim: "user_id", reason: reason))
        }
        let texts = ["country", "locale"].map { ("user.\($0)", payload["user"]?[$0]) }
        for (name, value) in texts + [("profile_id", payload["profile_id"])]
        where value.map({ $0.kind != .string }) ?? false {
            notes.append(ClaimNote(claim: name, reason: "not a string"))
        }
        if let value = payload["expires"], Self.seconds(value) == nil {
            notes.append(ClaimNote(claim: "expires", reason: "not a number of seconds"))
        }
        if let value = payload["user"], value.kind != .object {
            notes.append(ClaimNote(claim: "user", reason: "not an object"))
        }
        if let value = payload["user"]?["age"], UserAgeRange(value) == nil {
            notes.append(ClaimNote(claim: "user.age", reason: "not an age range"))
        }
        return notes
    }

    /// The names of all members of the payload, in their order.
    public var names: [String] { payload.members?.map(\.name) ?? [] }

    /// Returns any other member of the payload.
    ///
    /// `oauth_token` and `code`, if present, are as secret as a password.
    public subscript(name: String) -> JSONValue? { payload[name] }

    private func userText(_ name: String) -> String? {
        payload["user"]?[name]?.string.flatMap(Self.nonEmpty)
    }

    private static func nonEmpty(_ text: String) -> String? { text.isEmpty ? nil : text }

    private static func seconds(_ value: JSONValue) -> Double? {
        guard let seconds = value.number, Limits.numericDate.contains(seconds) else { return nil }
        return seconds
    }
}

// MARK: - Checks

extension SignedRequest {
    /// Returns the payload after verifying its signature.
    private static func verifiedPayload(
        _ text: String,
        _ app: FacebookApp,
        _ log: inout SignedRequestLog
    ) throws(SignedRequestRefusal) -> JSONValue {
        guard let secret = app.secret else {
            throw SignedRequestRefusal(.noSecret, "the app has no secret")
        }
        let size = text.utf8.count
        guard size <= maximumBytes else {
            throw SignedRequestRefusal(.tooLarge, "it has more than \(maximumBytes) bytes")
        }
        log.pass("\(size) bytes")
        let segments = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard segments.count == 2, !segments[0].isEmpty, !segments[1].isEmpty else {
            throw SignedRequestRefusal(.segments, segmentsDetail(segments.count), recognizedAs: recognized(text))
        }
        log.pass("two, with \(segments[0].count), \(segments[1].count) characters")
        let signature = try decode("signature", segments[0], of: text)
        let bytes = try decode("payload", segments[1], of: text)
        log.pass("canonical base64url")
        let payload = try object(bytes)
        log.pass("a JSON object")
        try checkAlgorithm(payload)
        log.pass("HMAC-SHA256")
        // The signature is over the encoded payload.
        let expected = Digest.sha256.authenticationCode(of: segments[1], key: secret.utf8)
        guard constantTimeEquals(signature, expected) else {
            throw SignedRequestRefusal(.signature, "not valid with the secret of app \(app.id)")
        }
        log.pass("valid with the secret of app \(app.id)")
        return payload
    }

    private static func segmentsDetail(_ count: Int) -> String {
        switch count {
        case 1: "there is one part, not two"
        case 2: "one of the two parts is empty"
        case 3: "there are three parts, as in an ID token, not two"
        default: "there are more than two parts"
        }
    }

    /// Returns the kind of input that was sent instead; nil for kinds that only describe a damaged ID token.
    private static func recognized(_ text: String) -> RecognizedInput? {
        let input = RecognizedInput(text)
        return [.signedRequest, .truncatedToken, .wrappedToken].contains(input) ? nil : input
    }

    private static func decode(
        _ name: String,
        _ segment: Substring.UTF8View,
        of text: String
    ) throws(SignedRequestRefusal) -> [UInt8] {
        if let bytes = Base64URL.decode(segment) { return bytes }
        let reason =
            if segment.contains(UInt8(ascii: " ")), segment.allSatisfy(isBase64OrSpace) {
                "contains a space, decoded from +: it was encoded in base64, not in base64url"
            } else {
                Base64URL.fault(in: segment)
            }
        throw SignedRequestRefusal(.encoding, "the \(name) \(reason)", recognizedAs: recognized(text))
    }

    /// Returns whether a form decoder can have produced this byte from plain base64, where `+` becomes a space.
    private static func isBase64OrSpace(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: " "): true
        default: false
        }
    }

    private static func object(_ bytes: [UInt8]) throws(SignedRequestRefusal) -> JSONValue {
        let json: JSONValue
        do throws(JSONError) {
            json = try JSONDocument.read(bytes).root
        } catch {
            throw SignedRequestRefusal(.payload, "not strict JSON: \(error)")
        }
        guard json.kind == .object else { throw SignedRequestRefusal(.payload, "not a JSON object") }
        return json
    }

    /// Checks the algorithm without regard to ASCII letter case.
    ///
    /// Unicode case mapping would also accept other letters.
    private static func checkAlgorithm(_ payload: JSONValue) throws(SignedRequestRefusal) {
        guard let value = payload["algorithm"] else {
            throw SignedRequestRefusal(.algorithm, "algorithm is missing", member: "algorithm")
        }
        let text = value.string
        let upperCase = text?.utf8.map { (0x61...0x7A).contains($0) ? $0 ^ 0x20 : $0 }
        guard let upperCase, upperCase.elementsEqual("HMAC-SHA256".utf8) else {
            let seen = text.map { quoted($0) } ?? "not a string"
            throw SignedRequestRefusal(
                .algorithm,
                "algorithm is \(seen), expected \"HMAC-SHA256\"",
                member: "algorithm"
            )
        }
    }

    private static func issuedAt(_ payload: JSONValue) throws(SignedRequestRefusal) -> Date {
        guard let value = payload["issued_at"] else {
            throw SignedRequestRefusal(.missingClaim, "issued_at is missing", member: "issued_at")
        }
        guard let seconds = seconds(value) else {
            let detail = "issued_at is not a number of seconds in the years 1970 to 9999"
            throw SignedRequestRefusal(.claimType, detail, member: "issued_at")
        }
        return Date(timeIntervalSince1970: seconds)
    }

    /// Returns the user's ID.
    ///
    /// Errors do not contain it, since it is personal data.
    private static func userID(_ payload: JSONValue) throws(SignedRequestRefusal) -> String? {
        guard let value = payload["user_id"] else { return nil }
        guard let text = value.string else {
            throw SignedRequestRefusal(.claimType, "user_id is not a string", member: "user_id")
        }
        guard (1...Limits.subjectBytes).contains(text.utf8.count), text.utf8.allSatisfy({ $0 < 0x80 }) else {
            let detail = "user_id must have 1 to \(Limits.subjectBytes) ASCII characters"
            throw SignedRequestRefusal(.subject, detail, member: "user_id")
        }
        return text == "0" ? nil : text
    }

    private static func checkTimes(
        _ issuedAt: Double,
        now: Double,
        maximumAge: Duration?,
        _ log: inout SignedRequestLog
    ) throws(SignedRequestRefusal) {
        guard issuedAt <= now + leeway else {
            let detail =
                "issued_at is \(timestamp(issuedAt)), after the current time \(timestamp(now)) (leeway \(Int(leeway)) s)"
            throw SignedRequestRefusal(.issuedInFuture, detail, member: "issued_at")
        }
        log.pass(timestamp(issuedAt))
        guard let maximumAge else { return log.skip("no maximum age is set") }
        guard now - issuedAt <= maximumAge / .seconds(1) + leeway else {
            let detail = "issued at \(timestamp(issuedAt)); the maximum age is \(maximumAge)"
            throw SignedRequestRefusal(.tooOld, detail + " (leeway \(Int(leeway)) s)", member: "issued_at")
        }
        log.pass("at most \(maximumAge)")
    }
}

extension SignedRequest: Redacted {
    /// A fixed text, without the content.
    public var description: String { "signed request, verified" }
}

/// Reports the checks of one verification to its observer: each once, in order.
private struct SignedRequestLog {
    let observer: ((CheckReport) -> Void)?
    private var remaining = SignedRequest.checks[...]

    init(observer: ((CheckReport) -> Void)?) {
        self.observer = observer
    }

    mutating func pass(_ detail: @autoclosure () -> String) {
        report(.pass, detail())
    }

    mutating func skip(_ detail: @autoclosure () -> String) {
        report(.skipped, detail())
    }

    mutating func fail(_ refusal: SignedRequestRefusal) {
        report(.fail, "\(refusal.code): \(refusal.detail)")
        for _ in remaining { report(.skipped, "not reached") }
    }

    private mutating func report(_ outcome: CheckReport.Outcome, _ detail: @autoclosure () -> String) {
        guard let observer, let check = remaining.popFirst() else { return }
        observer(CheckReport(check: check, outcome: outcome, detail: detail()))
    }
}

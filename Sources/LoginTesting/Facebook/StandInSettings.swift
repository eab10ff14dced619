// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTokens

/// How a ``FacebookStandIn`` behaves.
public struct StandInSettings: Sendable {
    /// The person who sits before the dialog, and of whom tokens are from then on.
    public var person = StandInPerson()

    /// Where the dialog may send the browser; nil for anywhere.
    public var redirectURLs: Set<String>?

    /// Whether a Graph call needs the proof of the app secret.
    public var requiresProof = false

    /// How many entries a list of the Graph API, of permissions or of friends, has on one page.
    public var pageSize = 25

    /// The scheme, host and port in the address of a list's next page; nil for the stand-in's own.
    ///
    /// With another a test shows that nobody takes a token there.
    public var nextPageOrigin: String?

    /// For how many seconds an access token is good; nil for one without an end, which is answered as 0.
    public var accessTokenLifetime: Int? = 5_184_000

    /// For how many seconds from the login the app may see the person's data.
    public var dataAccessLifetime = 7_776_000

    /// Whether a token of another app is described instead of refused when it is debugged.
    public var describesForeignTokens = false

    /// Changes each ID token before it is signed.
    public var changeIDToken: @Sendable (inout TestToken) -> Void = { _ in }
}

/// A person as a ``FacebookStandIn`` knows them, and what they do in the dialog.
public struct StandInPerson: Sendable {
    /// The ID within the app.
    public var id = "1000000000000001"

    /// What they told Facebook, by the names of claims.
    ///
    /// An ID token has the claims whose permission was granted; so has the answer to `me`, by Graph's names.
    public var claims: TestJSON = [
        "name": "Ada Marie Example", "given_name": "Ada", "middle_name": "Marie", "family_name": "Example",
        "picture": "https://platform-lookaside.example/picture.jpg", "email": "ada@example.com",
        "user_friends": ["1000000000000002", "1000000000000003"], "user_birthday": "12/10/1990",
        "user_age_range": ["min": 21], "user_hometown": ["id": "101", "name": "London, United Kingdom"],
        "user_location": ["id": "102", "name": "Paris, France"], "user_gender": "female",
        "user_link": "https://www.facebook.example/ada",
    ]

    /// The permissions they decline, if they are asked for them.
    ///
    /// `public_profile` cannot be declined.
    public var declines: Set<String> = []

    /// Whether they close the dialog without an answer.
    public var cancels = false

    /// Somebody who grants all that is asked.
    public init() {}

    /// The claim, its permission, and its name in the Graph API.
    static let details: [(claim: String, permission: String, field: String)] = [
        ("name", "public_profile", "name"), ("given_name", "public_profile", "first_name"),
        ("middle_name", "public_profile", "middle_name"), ("family_name", "public_profile", "last_name"),
        ("picture", "public_profile", "picture"), ("email", "email", "email"),
        ("user_friends", "user_friends", "friends"), ("user_birthday", "user_birthday", "birthday"),
        ("user_age_range", "user_age_range", "age_range"), ("user_hometown", "user_hometown", "hometown"),
        ("user_location", "user_location", "location"), ("user_gender", "user_gender", "gender"),
        ("user_link", "user_link", "link"),
    ]
}

/// What happens in the place of an answer of a ``FacebookStandIn``.
public struct StandInFault: Sendable {
    enum Kind: Sendable {
        case answer(StandInAnswer)
        case failure(TransportFailure.Code)
        case delay(Duration)
    }

    let kind: Kind

    /// An error of the Graph API.
    ///
    /// - Parameters:
    ///   - code: The code, for example 4.
    ///   - subcode: The subcode; nil for none.
    ///   - type: The type.
    ///   - message: The message.
    ///   - isTransient: What `is_transient` says; nil where it does not stand there.
    ///   - status: The status.
    ///   - headers: Fields of the head, for example `Retry-After`.
    /// - Returns: The fault.
    public static func graphError(
        code: Int,
        subcode: Int? = nil,
        type: String = "OAuthException",
        message: String = "as the test wants it",
        isTransient: Bool? = nil,
        status: Int = 400,
        headers: KeyValuePairs<String, String> = [:]
    ) -> Self {
        var answer = StandInAnswer(graphError: code, subcode: subcode, type: type, message, isTransient: isTransient)
        answer.status = status
        answer.headers += headers.map { (name: $0.key, value: $0.value) }
        return Self(kind: .answer(answer))
    }

    /// Any answer, JSON or not.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headers: Fields of the head.
    ///   - body: The body.
    /// - Returns: The fault.
    public static func answer(
        status: Int = 200,
        headers: KeyValuePairs<String, String> = [:],
        body: [UInt8] = []
    ) -> Self {
        let headers = headers.map { (name: $0.key, value: $0.value) }
        return Self(kind: .answer(StandInAnswer(status: status, headers: headers, body: body)))
    }

    /// No answer; over HTTP the connection breaks, whatever the reason.
    public static func unreachable(_ code: TransportFailure.Code = .connection) -> Self { Self(kind: .failure(code)) }

    /// The right answer, after a while.
    public static func slow(_ delay: Duration) -> Self { Self(kind: .delay(delay)) }
}

/// What a ``FacebookStandIn`` was asked.
public struct StandInRequest: Sendable {
    /// The method, for example `GET`.
    public let method: String
    /// The scheme, host and port that were asked.
    public let origin: String
    /// What was asked for, as it was written: the path and the query.
    public let target: String
    /// The fields of the head, in their order.
    public let headers: [(name: String, value: String)]
    /// The body.
    public let body: [UInt8]

    init(method: String, origin: String, target: String, headers: [(name: String, value: String)], body: [UInt8]) {
        self.method = method
        self.origin = origin
        self.target = target
        self.headers = headers
        self.body = body
    }

    init(_ request: TransportRequest) {
        self.init(
            method: request.method.rawValue,
            origin: request.url.origin,
            target: request.url.target,
            headers: request.headers,
            body: request.body
        )
    }

    /// What was asked for, without the query.
    public var path: String { String(target.prefix { $0 != "?" }) }

    /// The only field with this name, of the query and of the form in the body together; nil for none, or several.
    public subscript(name: String) -> String? { fields.only(name) }

    /// The fields of the query, and after them those of the body.
    var fields: FormFields {
        let query = FormFields(reading: target.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst())
        let isForm = values(of: "Content-Type").contains {
            $0.lowercased().hasPrefix("application/x-www-form-urlencoded")
        }
        let form = isForm ? FormFields(reading: body) : nil
        return FormFields((query?.all ?? []) + (form?.all ?? []))
    }

    /// The values of each field of the head with this name, in their order; letter case does not count.
    public func values(of name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }
}

/// What a stand-in answers.
struct StandInAnswer: Sendable {
    var status = 200
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []
    var delay = Duration.zero
    var failure: TransportFailure.Code?

    init(status: Int = 200, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    init(failure: TransportFailure.Code) {
        self.failure = failure
    }

    init(json: TestJSON, status: Int = 200, headers: [(name: String, value: String)] = []) {
        let fields = [(name: "Content-Type", value: "application/json; charset=UTF-8")] + headers
        self.init(status: status, headers: fields, body: Array(json.text.utf8))
    }

    init(
        graphError code: Int,
        subcode: Int? = nil,
        type: String = "OAuthException",
        _ message: String,
        isTransient: Bool? = nil
    ) {
        var error: TestJSON = ["message": .string(message), "type": .string(type), "code": .number("\(code)")]
        if let subcode { error["error_subcode"] = .number("\(subcode)") }
        if let isTransient { error["is_transient"] = .boolean(isTransient) }
        error["fbtrace_id"] = "AStandInTrace"
        self.init(json: ["error": error], status: 400)
    }

    init(redirect location: String) {
        self.init(status: 302, headers: [(name: "Location", value: location)])
    }
}

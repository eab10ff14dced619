// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

public import LoginTesting
public import LoginTokens

/// The behaviour of a ``FacebookStandIn``.
public struct StandInSettings: Sendable {
    /// The user of the login dialog, for whom new tokens are issued.
    public var person = StandInPerson()

    /// The accepted redirect URIs; nil to accept any.
    public var redirectURLs: Set<String>?

    /// Whether a Graph API call requires `appsecret_proof`.
    public var requiresProof = false

    /// The number of entries per page in the Graph API's lists.
    public var pageSize = 25

    /// The permission that a post to `me/feed` requires; without it, the response is error 200.
    ///
    /// The default is Facebook's own, which it retired in 2018.
    public var postingPermission = "publish_actions"

    /// The origin of the next page's URL: scheme, host and port; nil for the stand-in's own.
    ///
    /// Another origin lets a test check that no token is sent there.
    public var nextPageOrigin: String?

    /// The lifetime of an access token, in seconds; nil for a token that does not expire, which is reported as 0.
    public var accessTokenLifetime: Int? = 5_184_000

    /// The duration of data access after a login, in seconds.
    public var dataAccessLifetime = 7_776_000

    /// Whether debugging a token of another app describes it instead of refusing it.
    public var describesForeignTokens = false

    /// A closure that modifies each ID token before it is signed.
    public var changeIDToken: @Sendable (inout TestToken) -> Void = { _ in }
}

/// A user of a ``FacebookStandIn``, and the user's choices in the dialog.
public struct StandInPerson: Sendable {
    /// The user ID within the app.
    public var id = "1000000000000001"

    /// The user's data, by the names of claims.
    ///
    /// An ID token contains the claims whose permission was granted; the response of `me` contains them under Graph's
    /// names.
    public var claims: TestJSON = [
        "name": "Ada Marie Example", "given_name": "Ada", "middle_name": "Marie", "family_name": "Example",
        "picture": "https://platform-lookaside.example/picture.jpg", "email": "ada@example.com",
        "user_friends": ["1000000000000002", "1000000000000003"], "user_birthday": "12/10/1990",
        "user_age_range": ["min": 21], "user_hometown": ["id": "101", "name": "London, United Kingdom"],
        "user_location": ["id": "102", "name": "Paris, France"], "user_gender": "female",
        "user_link": "https://www.facebook.example/ada",
    ]

    /// The permissions that the user declines if they are requested.
    ///
    /// `public_profile` cannot be declined.
    public var declines: Set<String> = []

    /// Whether the user cancels the dialog.
    public var cancels = false

    /// Creates a user who grants all requested permissions.
    public init() {}

    /// The friends in ``claims``, as the Graph API lists them.
    var friends: [TestJSON] {
        guard case .array(let ids) = claims["user_friends"] else { return [] }
        return ids.map { ["id": $0] }
    }

    /// The claims, their permissions, and their names in the Graph API.
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

/// A simulated failure of a ``FacebookStandIn``.
public struct StandInFault: Sendable {
    enum Kind: Sendable {
        case answer(StandInAnswer)
        case failure(TransportFailure.Code)
        case delay(Duration)
    }

    let kind: Kind

    /// Returns an error of the Graph API.
    ///
    /// - Parameters:
    ///   - code: The code, for example 4.
    ///   - subcode: The subcode; nil for none.
    ///   - type: The type.
    ///   - message: The message.
    ///   - isTransient: The value of `is_transient`; nil to omit it.
    ///   - status: The status code.
    ///   - headers: The header fields, for example `Retry-After`.
    /// - Returns: The fault.
    public static func graphError(
        code: Int,
        subcode: Int? = nil,
        type: String = "OAuthException",
        message: String = "simulated error",
        isTransient: Bool? = nil,
        status: Int = 400,
        headers: KeyValuePairs<String, String> = [:]
    ) -> Self {
        var answer = StandInAnswer(graphError: code, subcode: subcode, type: type, message, isTransient: isTransient)
        answer.status = status
        answer.headers += headers.map { (name: $0.key, value: $0.value) }
        return Self(kind: .answer(answer))
    }

    /// Returns an arbitrary response, JSON or not.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - headers: The header fields.
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

    /// Returns a failure without a response; over HTTP the connection is reset, whatever the code.
    public static func unreachable(_ code: TransportFailure.Code = .connection) -> Self { Self(kind: .failure(code)) }

    /// Returns a delay before the regular response.
    public static func slow(_ delay: Duration) -> Self { Self(kind: .delay(delay)) }
}

/// A request that a ``FacebookStandIn`` received.
public struct StandInRequest: Sendable {
    /// The method, for example `GET`.
    public let method: String
    /// The origin of the request: scheme, host and port.
    public let origin: String
    /// The request target as written: the path and the query.
    public let target: String
    /// The header fields, in their order.
    public let headers: [(name: String, value: String)]
    /// The body.
    public let body: [UInt8]

    package init(
        method: String,
        origin: String,
        target: String,
        headers: [(name: String, value: String)],
        body: [UInt8]
    ) {
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

    /// The path, without the query.
    public var path: String { String(target.prefix { $0 != "?" }) }

    /// The value of the only query or form field with this name; nil if there is none, or more than one.
    public subscript(name: String) -> String? { fields.only(name) }

    /// The fields of the query, followed by those of the body.
    var fields: FormFields {
        let query = FormFields(reading: target.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst())
        let isForm = values(of: "Content-Type").contains {
            $0.lowercased().hasPrefix("application/x-www-form-urlencoded")
        }
        let form = isForm ? FormFields(reading: body) : nil
        return FormFields((query?.all ?? []) + (form?.all ?? []))
    }

    /// Returns the values of all header fields with this name, in their order; names are compared case-insensitively.
    public func values(of name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }
}

/// A response of the stand-in.
package struct StandInAnswer: Sendable {
    package var status = 200
    package var headers: [(name: String, value: String)] = []
    package var body: [UInt8] = []
    package var delay = Duration.zero
    package var failure: TransportFailure.Code?

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

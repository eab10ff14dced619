// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
public import LimitedLogin
internal import LoginAccounts
public import LoginHTTP
internal import LoginTokens

extension LoginAPIOptions {
    /// The Facebook app whose callbacks the API handles: deauthorization and data deletion.
    ///
    /// Nil for none.
    public var facebookApp: FacebookApp? {
        get { extensions.lazy.compactMap { ($0 as? FacebookCallbacks)?.app }.first }
        set {
            extensions.removeAll { $0 is FacebookCallbacks }
            if let newValue { extensions.append(FacebookCallbacks(app: newValue)) }
        }
    }
}

/// The callbacks of a Facebook app.
struct FacebookCallbacks: LoginAPIExtension {
    let app: FacebookApp

    func operations(of login: LoginService) -> [Operation] {
        let operations = FacebookOperations(app: app, login: login)
        return [operations.deauthorize, operations.deleteData, operations.deletionStatus]
    }
}

/// The operations of the callbacks.
private struct FacebookOperations: Sendable {
    let app: FacebookApp
    let login: LoginService

    private var auth: Auth { login.auth }

    private static var signedRequest: Operation.Body {
        .form([.required("signed_request", .text(1...16_384), "The signed request from Facebook.")])
    }

    private static var problems: [ProblemCode] {
        [ProblemCode(.invalidCredential), ProblemCode(.storeUnavailable), ProblemCode(.conflictRetry)]
    }

    /// Returns the app-scoped user ID of a signed request; nil if the request names no user.
    private func person(_ call: Call) async throws -> String? {
        try call.visit.request.requireType("application/x-www-form-urlencoded")
        let body = try await call.visit.body(upTo: SignedRequest.maximumFormBytes)
        do throws(SignedRequestRefusal) {
            let text = try SignedRequest.field(inFormBody: body)
            return try SignedRequest(verifying: text, app: app, clock: auth.clock).userID
        } catch {
            throw Problem(ProblemCode(.invalidCredential), "The signed request is refused: \(error.code).")
        }
    }

    var deauthorize: Operation {
        Operation(
            name: "deauthorize",
            method: .post,
            path: "/v1/facebook/deauthorize",
            summary:
                "Facebook's deauthorize callback: the user removed the app. The login is disabled until the user grants access again.",
            tag: "Facebook",
            body: Self.signedRequest,
            answer: .init(summary: "The callback is processed."),
            problems: Self.problems
        ) { call in
            if let person = try await person(call) {
                try await ignoringUnknown { try await auth.revokeIdentity(providerID: .facebook, uid: person) }
            }
            return ServerResponse(status: .ok, headers: [.cacheControl: "no-store"])
        }
    }

    var deleteData: Operation {
        Operation(
            name: "deleteData",
            method: .post,
            path: "/v1/facebook/data-deletion",
            summary: "Facebook's data deletion callback: deletes the account immediately.",
            tag: "Facebook",
            body: Self.signedRequest,
            answer: .init(
                summary: "The URL and the code of the deletion's status.",
                schema: .object([
                    .required("url", .text(1...2048), "The URL of the status page."),
                    .required("confirmation_code", .text(1...64), "The code of the deletion."),
                ])
            ),
            problems: Self.problems
        ) { call in
            if let person = try await person(call) {
                try await ignoringUnknown {
                    try await auth.delete(auth.account(providerID: .facebook, uid: person).id)
                }
            }
            let code = DeletionCode(auth.secrets).make()
            let base = login.publicURL
            guard let url = try? EndpointURL("\(base)/v1/facebook/data-deletion/\(code)"),
                let answer = try? DataDeletionResponse(url: url, confirmationCode: code)
            else {
                // Facebook requires https. A local server without https responds with the same members.
                return jsonResponse(["url": "\(base)/v1/facebook/data-deletion/\(code)", "confirmation_code": code])
            }
            return ServerResponse(
                status: .ok,
                headers: [.contentType: "application/json", .cacheControl: "no-store"],
                body: ServerResponse.Body(answer.json)
            )
        }
    }

    var deletionStatus: Operation {
        Operation(
            name: "deletionStatus",
            method: .get,
            path: "/v1/facebook/data-deletion/{code}",
            summary: "Returns the status of a deletion. A deletion is complete before its code is issued.",
            tag: "Facebook",
            parameters: [.required("code", .text(1...64), "The code of the deletion.")],
            answer: .init(
                summary: "The operation succeeded.",
                schema: .object([.required("status", .choice(["deleted"]), "The status.")])
            ),
            problems: [.notFound]
        ) { call in
            guard DeletionCode(auth.secrets).isOurs(call.parameter("code")) else { throw Problem(.notFound) }
            return jsonResponse(["status": "deleted"])
        }
    }

    /// Runs the body, and ignores an unknown user or login.
    ///
    /// Facebook may call twice, and about users who never signed in.
    private func ignoringUnknown(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as AuthError where error.code == .userNotFound || error.code == .noSuchProvider {
            return
        }
    }
}
#endif

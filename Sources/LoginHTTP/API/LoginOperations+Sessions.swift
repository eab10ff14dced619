// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
internal import LoginAccounts

extension LoginOperations {
    /// The operations on sessions.
    var sessions: [Operation] { [current, list, close, closeOthers, refresh, resume, signOut] }

    private var current: Operation {
        Operation(
            name: "session",
            method: .get,
            path: "/v1/session",
            summary: "Returns the session of the request.",
            tag: "Sessions",
            session: .required,
            answer: .init(summary: "The session.", schema: SessionAnswer.schema)
        ) { call in
            jsonResponse(SessionAnswer(try call.session()))
        }
    }

    private var list: Operation {
        Operation(
            name: "sessions",
            method: .get,
            path: "/v1/sessions",
            summary: "Lists the open sessions of the account.",
            tag: "Sessions",
            session: .required,
            answer: .init(
                summary: "The open sessions.",
                schema: ListAnswer<SessionInfoAnswer>.schema(SessionInfoAnswer.schema, most: 1000)
            )
        ) { call in
            jsonResponse(ListAnswer(items: try await call.session().sessions().map(SessionInfoAnswer.init)))
        }
    }

    private var close: Operation {
        Operation(
            name: "closeSession",
            method: .delete,
            path: "/v1/sessions/{id}",
            summary: "Closes a session of the account, for example on a lost phone.",
            tag: "Sessions",
            session: .required,
            parameters: [.required("id", .text(1...64), "The ID of the session.")],
            answer: .done,
            problems: [.notFound]
        ) { call in
            let closed = try await call.session().signOut(SessionID(rawValue: call.parameter("id")))
            guard closed else { throw Problem(.notFound) }
            return .noContent
        }
    }

    private var closeOthers: Operation {
        Operation(
            name: "closeOtherSessions",
            method: .delete,
            path: "/v1/sessions",
            summary: "Closes all other sessions of the account.",
            tag: "Sessions",
            session: .required,
            answer: .init(
                summary: "The number of closed sessions.",
                schema: .object([.required("closed", .integer(0...1_000_000), "The number.")])
            )
        ) { call in
            jsonResponse(["closed": try await call.session().signOutOthers()])
        }
    }

    private static var refreshBody: Operation.Body {
        .json(.object([.required("refreshToken", secret, "The refresh token.")]))
    }

    private var refresh: Operation {
        Operation(
            name: "refresh",
            method: .post,
            path: "/v1/refresh",
            summary: "Issues new tokens for an open session.",
            tag: "Sessions",
            body: Self.refreshBody,
            answer: .signedIn,
            problems: codes([.invalidUserToken, .userTokenExpired, .userDisabled, .storeUnavailable, .conflictRetry])
        ) { call in
            refreshed(try await auth.refresh(call.text("refreshToken")), call)
        }
    }

    private var resume: Operation {
        Operation(
            name: "resume",
            method: .post,
            path: "/v1/resume",
            summary:
                "Opens the session of a device that stayed signed in, also after the session was closed without signing out.",
            tag: "Sessions",
            body: Self.refreshBody,
            answer: .signedIn,
            problems: codes([.invalidUserToken, .userTokenExpired, .userDisabled, .storeUnavailable, .conflictRetry])
        ) { call in
            refreshed(try await auth.resume(call.text("refreshToken"), from: call.origin), call)
        }
    }

    private func refreshed(_ result: RefreshedSession, _ call: Call) -> ServerResponse {
        let body = SignedInAnswer(
            account: nil,
            session: SessionAnswer(result.session),
            tokens: TokensAnswer(result.tokens),
            outcome: "refreshed"
        )
        return answer(body, tokens: result.tokens, of: result.session, call)
    }

    private var signOut: Operation {
        Operation(
            name: "signOut",
            method: .post,
            path: "/v1/sign-out",
            summary: "Signs out: closes the session of the request on every server.",
            tag: "Sessions",
            session: .required,
            answer: .done
        ) { call in
            try await call.session().signOut()
            var response = ServerResponse.noContent
            if call.visit.transport == .cookie { SessionCookies.clear(in: &response.headers) }
            return response
        }
    }
}
#endif

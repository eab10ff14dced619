// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
internal import Hummingbird
internal import LoginCrypto
internal import LoginTokens
internal import Tweaks

/// The routes of the admin listener: metrics, and the page with the settings.
struct AdminRoutes: Sendable {
    /// The maximum size of a form: 16 KiB, four times the longest value of a tweak.
    private static let formBytes = 16 * 1024

    /// The number of changes on the page.
    private static let historyLength = 50

    let tweaks: Tweaks
    let metrics: PrometheusMetrics
    let sessions: AdminSessions
    let needsToken: Bool
    let hosts: [String]

    /// The router.
    var router: Router<AdminContext> {
        let router = Router(context: AdminContext.self)
        router.add(middleware: AdminGuard(needsToken: needsToken, hosts: hosts, sessions: sessions))
        router.get("/metrics") { _, _ in Response.text(metrics.text, type: PrometheusText.contentType) }
        router.get("/tweaks.json") { _, _ in Response.text(TweaksJSON.text(of: tweaks.report), type: "application/json")
        }
        router.get("/") { request, context in await page(for: context, changed: request.uri.queryParameters["changed"])
        }
        router.get(RouterPath(AdminPage.stylePath)) { _, _ in
            Response.text(AdminPage.style, type: "text/css; charset=utf-8")
        }
        router.post("/tweaks/reset") { request, context in try await resetAll(request, context) }
        router.post("/tweaks/:id") { request, context in try await set(request, context) }
        router.post("/tweaks/:id/reset") { request, context in try await reset(request, context) }
        router.post("/actions/:id") { request, context in try await perform(request, context) }
        if needsToken {
            router.get("/sign-in") { _, context in Response.admin(AdminPage.signIn(context, fault: nil)) }
            router.post("/sign-in") { request, context in try await signIn(request, context) }
            router.post("/sign-out") { request, context in try await signOut(request, context) }
        }
        return router
    }

    private func page(
        for context: AdminContext,
        changed: Substring? = nil,
        notice: AdminPage.Notice? = nil,
        status: HTTPResponse.Status = .ok
    ) async -> Response {
        let history = try? await tweaks.history(limit: Self.historyLength)
        let report = tweaks.report
        // Only a known ID is reflected on the page.
        let known = changed.flatMap { id in report.values.first { $0.id == id } }
        let page = AdminPage(
            report: report,
            history: history,
            context: context,
            notice: notice ?? known.map { AdminPage.Notice(id: $0.id, text: "Changed.", isFault: false) },
            canSignOut: needsToken
        )
        return .admin(page.html, status: status)
    }

    // MARK: Changing

    private func set(_ request: Request, _ context: AdminContext) async throws -> Response {
        let (id, form) = (try context.parameters.require("id"), try await form(of: request, context))
        let isFlag = tweaks.report.values.first { $0.id == id }?.kind == .boolean
        // Browsers do not send unchecked checkboxes.
        guard let value = form.only("value") ?? (isFlag && !form.has("value") ? "false" : nil),
            let revision = form.only("revision").flatMap({ Int64($0) })
        else { throw AdminRefusal(.badRequest, "A field of the form is missing.") }
        return try await answer(context, id) { () async throws(TweakError) in
            try await tweaks.set(id, to: value, expecting: revision, by: context.author)
        }
    }

    private func reset(_ request: Request, _ context: AdminContext) async throws -> Response {
        let (id, form) = (try context.parameters.require("id"), try await form(of: request, context))
        guard let revision = form.only("revision").flatMap({ Int64($0) }) else {
            throw AdminRefusal(.badRequest, "A field of the form is missing.")
        }
        return try await answer(context, id) { () async throws(TweakError) in
            try await tweaks.reset(id, expecting: revision, by: context.author)
        }
    }

    private func resetAll(_ request: Request, _ context: AdminContext) async throws -> Response {
        guard let revision = try await form(of: request, context).only("revision").flatMap({ Int64($0) }) else {
            throw AdminRefusal(.badRequest, "A field of the form is missing.")
        }
        return try await answer(context, nil) { () async throws(TweakError) in
            try await tweaks.resetAll(expecting: revision, by: context.author)
        }
    }

    private func perform(_ request: Request, _ context: AdminContext) async throws -> Response {
        let id = try context.parameters.require("id")
        _ = try await form(of: request, context)
        let said: String
        do throws(TweakError) {
            said = try await tweaks.perform(id, by: context.author)
        } catch {
            return await refused(error, id, context)
        }
        return await page(for: context, notice: AdminPage.Notice(id: id, text: said, isFault: false))
    }

    /// Applies a change, and redirects to the page; or returns the page with the error.
    private func answer(_ context: AdminContext, _ id: String?, _ change: () async throws(TweakError) -> Void)
        async throws -> Response
    {
        do throws(TweakError) {
            try await change()
        } catch {
            return await refused(error, id, context)
        }
        return .seeOther(id.map { "/?changed=\(FormFields.encoded($0))#\(FormFields.encoded($0))" } ?? "/")
    }

    private func refused(_ error: TweakError, _ id: String?, _ context: AdminContext) async -> Response {
        let status: HTTPResponse.Status =
            switch error.code {
            case .unknown, .action: .notFound
            case .overtaken: .conflict
            case .store: .serviceUnavailable
            default: .unprocessableContent
            }
        let notice = AdminPage.Notice(id: id, text: "Not changed: \(error.detail).", isFault: true)
        return await page(for: context, notice: notice, status: status)
    }

    // MARK: Signing in

    private func signIn(_ request: Request, _ context: AdminContext) async throws -> Response {
        let form = try await form(of: request, context)
        let name = oneLine(form.only("name") ?? "", limit: 40)
        do throws(AdminRefusal) {
            let secret = try sessions.signIn(token: form.only("token") ?? "", as: name.isEmpty ? "token" : name)
            var response = Response.seeOther("/")
            let age = AdminSessions.lifetime.components.seconds
            response.headers[.setCookie] =
                "\(AdminGuard.cookie)=\(secret); Path=/; Max-Age=\(age); Secure; HttpOnly; SameSite=Strict"
            return response
        } catch {
            return .admin(AdminPage.signIn(context, fault: error.reason), status: error.status)
        }
    }

    private func signOut(_ request: Request, _ context: AdminContext) async throws -> Response {
        _ = try await form(of: request, context)
        if let secret = request.adminCookie { sessions.signOut(secret) }
        var response = Response.seeOther("/sign-in")
        response.headers[.setCookie] = "\(AdminGuard.cookie)=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Strict"
        return response
    }

    /// Reads a form, and checks its CSRF token.
    private func form(of request: Request, _ context: AdminContext) async throws -> FormFields {
        guard request.headers[.contentType]?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true else {
            throw AdminRefusal(.unsupportedMediaType, "The request is not a valid form.")
        }
        let body: ByteBuffer
        do {
            body = try await request.body.collect(upTo: Self.formBytes)
        } catch {
            throw AdminRefusal(.contentTooLarge, "The form is too long.")
        }
        guard let form = FormFields(reading: body.readableBytesView, atMost: 16) else {
            throw AdminRefusal(.badRequest, "The request is not a valid form.")
        }
        guard !context.formToken.isEmpty, let token = form.only("csrf"),
            constantTimeEquals(Array(token.utf8), Array(context.formToken.utf8))
        else {
            throw AdminRefusal(
                .forbidden,
                "The form belongs to another session, or was loaded before a restart. Reload the page."
            )
        }
        return form
    }
}
#endif

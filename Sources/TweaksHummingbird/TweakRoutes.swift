// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
internal import Hummingbird
internal import LoginText
internal import LoginTokens
internal import Tweaks

/// The routes of a ``TweaksPage`` at a path.
struct TweakRoutes<Context: RequestContext>: Sendable {
    /// The number of changes on the page and in `history.json`.
    static var historyLength: Int { 50 }

    let page: TweaksPage<Context>
    let layout: PageLayout

    var tweaks: Tweaks { page.tweaks }

    /// Adds the routes for browsers to a router.
    func addPages(to router: some RouterMethods<Context>) {
        let group = router.group(RouterPath(layout.prefix))
        group.get("/") { request, context in
            try await answer(request, context, refusal: .page) { author in
                let query = request.uri.queryParameters
                return await show(author, notice: notice(changed: query["changed"], done: query["done"]))
            }
        }
        // The style sheet reveals nothing, and is part of the pages for operators who are not signed in.
        group.get(RouterPath(PageLayout.stylePath)) { _, _ in
            var response = Response.text(PageLayout.style, type: "text/css; charset=utf-8")
            PageLayout.protect(&response)
            return response
        }
        group.post("/tweaks/reset") { request, context in
            try await answer(request, context, refusal: .page) { author in try await resetAll(request, author) }
        }
        group.post("/tweaks/:id") { request, context in
            let id = try context.parameters.require("id")
            return try await answer(request, context, refusal: .page) { author in try await set(id, request, author) }
        }
        group.post("/tweaks/:id/reset") { request, context in
            let id = try context.parameters.require("id")
            return try await answer(request, context, refusal: .page) { author in try await reset(id, request, author) }
        }
        group.post("/actions/:id") { request, context in
            let id = try context.parameters.require("id")
            return try await answer(request, context, refusal: .page) { author in try await perform(id, request, author)
            }
        }
        group.post("/import") { request, context in
            try await answer(request, context, refusal: .page) { author in try await importValues(request, author) }
        }
    }

    /// Responds to a request of an operator, unless another site caused it.
    func answer(
        _ request: Request,
        _ context: Context,
        refusal format: RefusalFormat,
        _ respond: (TweakOperator) async throws -> Response
    ) async throws -> Response {
        let author = try await page.identify(request, context)
        var response: Response
        do {
            if request.method != .get { try request.refuseOtherSites() }
            response = try await respond(author)
        } catch let refusal as PageRefusal {
            response = layout.response(to: refusal, as: format)
        }
        PageLayout.protect(&response)
        return response
    }

    /// Loads the values that the page shows, and returns the latest changes.
    private func loadedHistory() async throws(TweakError) -> [TweakChange] {
        try await tweaks.load()
        return try await tweaks.history(limit: Self.historyLength)
    }

    /// Returns the message after a change, to which the browser was redirected.
    private func notice(changed: Substring?, done: Substring?) -> SettingsPage.Notice? {
        if let done = done.flatMap({ Done(rawValue: String($0)) }) {
            return SettingsPage.Notice(id: nil, text: done.text, isFault: false)
        }
        // Only a known ID is reflected on the page.
        let known = changed.flatMap { id in tweaks.report.values.first { $0.id == id } }
        return known.map { SettingsPage.Notice(id: $0.id, text: "Changed.", isFault: false) }
    }

    private func show(
        _ author: TweakOperator,
        notice: SettingsPage.Notice? = nil,
        status: HTTPResponse.Status = .ok
    ) async -> Response {
        let history = try? await loadedHistory()
        let report = tweaks.report
        let token = page.forms.token(for: author.session)
        let settings = SettingsPage(
            report: report,
            history: history,
            notice: notice,
            title: page.title,
            navigation: page.navigation(author, token),
            token: token,
            layout: layout
        )
        return .page(settings.html, status: status)
    }
}

// MARK: - Forms

extension TweakRoutes {
    private func set(_ id: String, _ request: Request, _ author: TweakOperator) async throws -> Response {
        let form = try await page.forms.form(of: request, for: author.session)
        let isFlag = tweaks.report.values.first { $0.id == id }?.kind == .boolean
        // Browsers do not send unchecked checkboxes.
        guard let value = form.only("value") ?? (isFlag && !form.has("value") ? "false" : nil) else {
            throw Self.missing
        }
        let revision = try Self.revision(in: form)
        return await apply(author, id) { () async throws(TweakError) in
            try await tweaks.set(id, to: value, expecting: revision, by: author.name)
        }
    }

    private func reset(_ id: String, _ request: Request, _ author: TweakOperator) async throws -> Response {
        let revision = try Self.revision(in: try await page.forms.form(of: request, for: author.session))
        return await apply(author, id) { () async throws(TweakError) in
            try await tweaks.reset(id, expecting: revision, by: author.name)
        }
    }

    private func resetAll(_ request: Request, _ author: TweakOperator) async throws -> Response {
        let revision = try Self.revision(in: try await page.forms.form(of: request, for: author.session))
        return await apply(author, .reset) { () async throws(TweakError) in
            try await tweaks.resetAll(expecting: revision, by: author.name)
        }
    }

    private func importValues(_ request: Request, _ author: TweakOperator) async throws -> Response {
        // Each byte has up to three characters in a form.
        let limit = 3 * Tweaks.importBytes
        let form = try await page.forms.form(of: request, for: author.session, atMost: limit)
        guard let values = form.only("values") else { throw Self.missing }
        let revision = try Self.revision(in: form)
        return await apply(author, .import) { () async throws(TweakError) in
            try await tweaks.importJSON(values, expecting: revision, by: author.name)
        }
    }

    private func perform(_ id: String, _ request: Request, _ author: TweakOperator) async throws -> Response {
        _ = try await page.forms.form(of: request, for: author.session)
        let said: String
        do throws(TweakError) {
            said = try await tweaks.perform(id, by: author.name)
        } catch {
            return await refused(error, id, author)
        }
        return await show(author, notice: SettingsPage.Notice(id: id, text: said, isFault: false))
    }

    /// Applies a change of all tweaks, and redirects to the page; or returns the page with the error.
    private func apply(_ author: TweakOperator, _ done: Done, _ change: () async throws(TweakError) -> Void)
        async -> Response
    {
        do throws(TweakError) {
            try await change()
        } catch {
            return await refused(error, nil, author)
        }
        return .seeOther("\(layout.home)?done=\(done.rawValue)")
    }

    /// Applies a change of one tweak, and redirects to the page; or returns the page with the error.
    private func apply(_ author: TweakOperator, _ id: String, _ change: () async throws(TweakError) -> Void)
        async -> Response
    {
        do throws(TweakError) {
            try await change()
        } catch {
            return await refused(error, id, author)
        }
        let encoded = PercentEncoding.encode(id)
        return .seeOther("\(layout.home)?changed=\(encoded)#\(encoded)")
    }

    private func refused(_ error: TweakError, _ id: String?, _ author: TweakOperator) async -> Response {
        let notice = SettingsPage.Notice(id: id, text: "Not changed: \(error.detail).", isFault: true)
        return await show(author, notice: notice, status: error.status)
    }

    private static func revision(in form: FormFields) throws(PageRefusal) -> Int64 {
        guard let revision = form.only("revision").flatMap({ Int64($0) }) else { throw missing }
        return revision
    }

    private static var missing: PageRefusal { PageRefusal(.badRequest, "A field of the form is missing.") }
}

/// A change of all tweaks, which the page confirms.
private enum Done: String {
    case reset
    case `import`

    /// The message.
    var text: String {
        switch self {
        case .reset: "All settings were reset."
        case .import: "The values were imported."
        }
    }
}

extension TweakError {
    /// The status of a response with this error.
    var status: HTTPResponse.Status {
        switch code {
        case .unknown, .action: .notFound
        case .overtaken: .conflict
        case .store: .serviceUnavailable
        default: .unprocessableContent
        }
    }
}
#endif

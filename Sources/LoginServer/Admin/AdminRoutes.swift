// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
internal import Hummingbird
internal import LoginText
internal import LoginTokens
internal import Tweaks
internal import TweaksHummingbird

/// The routes of the admin listener: metrics, the page with the settings, and signing in.
struct AdminRoutes: Sendable {
    /// The session of the sign-in form, before there is an operator.
    private static let visitor = "nobody"

    let tweaks: Tweaks
    let metrics: PrometheusMetrics
    let sessions: AdminSessions
    let hosts: [String]

    private var layout: PageLayout { PageLayout(path: "/") }

    /// The router.
    var router: Router<AdminContext> {
        let router = Router(context: AdminContext.self)
        let (pages, programs) = (router.group(), router.group())
        pages.add(middleware: adminGuard(.page))
        programs.add(middleware: adminGuard(.problem))
        pages.get("/metrics") { _, _ in Response.text(metrics.text, type: PrometheusText.contentType) }
        page.addRoutes(forBrowsers: pages, forPrograms: programs)
        if sessions.needsToken {
            pages.get("/sign-in") { _, _ in Response.page(signInPage(fault: nil)) }
            pages.post("/sign-in") { request, _ in try await signIn(request) }
            pages.post("/sign-out") { request, context in try await signOut(request, context) }
        }
        // Middleware is only applied to what is added after it: here the response to requests without a route.
        router.add(middleware: adminGuard(.page))
        return router
    }

    private func adminGuard(_ refusalFormat: RefusalFormat) -> AdminGuard {
        AdminGuard(
            hosts: hosts,
            sessions: sessions,
            layout: layout,
            refusalFormat: refusalFormat
        )
    }

    private var page: TweaksPage<AdminContext> {
        TweaksPage(
            tweaks,
            title: "Settings of the service",
            forms: sessions.forms,
            navigation: { author, token in
                let button = "<button>Sign out \(escapedForHTML(author.name))</button>"
                let signOut = sessions.needsToken ? layout.form("/sign-out", button, token: token) : ""
                return "<a href=\"/metrics\">Metrics</a>\(signOut)"
            },
            guard: { _, context in try Self.author(of: context) }
        )
    }

    /// Returns the operator whom the ``AdminGuard`` has authenticated.
    private static func author(of context: AdminContext) throws(PageRefusal) -> TweakOperator {
        guard let author = context.author else { throw PageRefusal(.unauthorized, "Sign in first.") }
        return author
    }

    // MARK: Signing in

    private func signInPage(fault: String?) -> String {
        let line = fault.map { "<p role=\"alert\" class=\"fault\">\(escapedForHTML($0))</p>" } ?? ""
        let fields = """
            <p><label for="token">Token from the file in admin.token-file</label>
            <input id="token" name="token" type="password" autocomplete="current-password" required></p>
            <p><label for="name">Your name, shown with your changes</label>
            <input id="name" name="name" maxlength="40" autocomplete="name"></p>
            <button>Sign in</button>
            """
        let form = layout.form("/sign-in", fields, token: sessions.forms.token(for: Self.visitor))
        return layout.document("Sign in", "<main><h1>Sign in</h1>\(line)\(form)</main>")
    }

    private func signIn(_ request: Request) async throws -> Response {
        let form = try await sessions.forms.form(of: request, for: Self.visitor)
        let name = oneLine(form.only("name") ?? "", limit: 40)
        do throws(PageRefusal) {
            let secret = try sessions.signIn(token: form.only("token") ?? "", as: name.isEmpty ? "token" : name)
            var response = Response.seeOther("/")
            let age = AdminSessions.lifetime.components.seconds
            response.headers[.setCookie] =
                "\(AdminGuard.cookie)=\(secret); Path=/; Max-Age=\(age); Secure; HttpOnly; SameSite=Strict"
            return response
        } catch {
            return .page(signInPage(fault: error.reason), status: error.status)
        }
    }

    private func signOut(_ request: Request, _ context: AdminContext) async throws -> Response {
        _ = try await sessions.forms.form(of: request, for: try Self.author(of: context).session)
        if let secret = request.adminCookie { sessions.signOut(secret) }
        var response = Response.seeOther("/sign-in")
        response.headers[.setCookie] = "\(AdminGuard.cookie)=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Strict"
        return response
    }
}
#endif

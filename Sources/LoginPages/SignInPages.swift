// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
internal import LoginAccounts
internal import LoginHTTP
public import LoginProviders
internal import LoginTokens

/// The pages for sign-in and account management: HTML without scripts.
///
/// One page has a script: the callback of a provider that responds in the fragment of the URL, such as Facebook's
/// Limited Login, posts the fragment.
///
/// The routes find the session of the cookie, and check the CSRF token of each form.
struct SignInPages: Sendable {
    let auth: Auth
    let languages: PageLanguages
    let logos: PageLogos
    let browser: BrowserLogin
    private let publicURL: String
    let guardian: FormGuard
    let clock: any WallClock

    /// The actions in each of the languages.
    private let actionsByLanguage: [PageActions]

    /// The security headers, with the current origins of the providers.
    var headers: PageHeaders {
        PageHeaders(publicURL: publicURL, providerOrigins: auth.providers.origins)
    }

    /// Creates the pages.
    ///
    /// - Parameters:
    ///   - auth: The accounts. The pages offer its providers, passwords if it can send messages, and phones if it can
    ///     send codes.
    ///   - publicURL: The public URL of the service, for example `https://login.example.com`. The redirect URIs are
    ///     `/login/<provider>/callback` below it.
    ///   - options: The languages, the name and the logos of the service, and whether guests are allowed.
    ///   - clock: The clock for expiry checks.
    init(auth: Auth, publicURL: String, options: SignInPagesOptions, clock: any WallClock) {
        browser = BrowserLogin(auth: auth, publicURL: publicURL)
        self.clock = clock
        self.auth = auth
        var texts = options.languages.isEmpty ? [.english] : options.languages
        if let name = options.serviceName {
            for index in texts.indices { texts[index].frame.service = name }
        }
        let languages = PageLanguages(texts)
        self.languages = languages
        let logos = PageLogos(options)
        self.logos = logos
        actionsByLanguage = texts.map { text in
            PageActions(
                auth: auth,
                text: text,
                languages: languages.choices,
                support: options.support,
                allowsGuests: options.allowsGuests,
                logos: logos,
                clock: clock
            )
        }
        self.publicURL = publicURL
        guardian = FormGuard(secrets: auth.secrets, publicURL: publicURL)
    }

    /// Returns the actions in the language of a request.
    func actions(_ visit: Visit) -> PageActions { actionsByLanguage[languages.index(for: visit.request)] }
}

/// The options of pages.
public struct SignInPagesOptions: Sendable {
    /// The texts of the pages, one for each language; the first is the default.
    ///
    /// A page has the language that the user has chosen, or prefers by `Accept-Language`. With a single language, pages
    /// offer no choice.
    public var languages = PageText.all

    /// The name of the service, in every language: in the header, in titles, and in authenticator apps; nil for
    /// "Sign-in", in the language of the page.
    public var serviceName: String?

    /// Whether visitors can continue as guests, without a login.
    ///
    /// The account of a guest becomes permanent with the first login or password. They also offer it
    /// if `LoginAPIOptions.allowsGuests` is true.
    public var allowsGuests = false

    /// The logo of the service, which the header shows in place of its name; nil for the name.
    ///
    /// It is shown within 160 × 40 CSS pixels, on a light and on a dark background. The name of the service is its
    /// alternative text.
    public var logo: PageImage?

    /// The logos of identity providers, which stand before their names on buttons.
    ///
    /// They are shown within 20 × 20 CSS pixels, on a light and on a dark background.
    public var providerLogos: [ProviderID: PageImage] = [:]

    /// The address for users who need help, which error pages show; nil for none.
    public var support: SupportLink?

    /// Creates options: all languages, English by default, without a name, guests, logos and support.
    public init() {}
}

/// The conversion between HTTP and the requests and replies of pages.
extension SignInPages {
    /// The fields of the pages' forms.
    private static var formFields: [String] {
        [
            "email", "password", "returnTo", "action", "provider", "uid", "keep", "sure", "way", "factor", "challenge",
            "suffix", "code", "name", "token", "permission", "language", "number", "other-email", "other-password",
        ]
    }

    /// The fields with the input of users, or with paths and tokens; all others are words of the pages.
    private static var inputFields: [String] {
        ["email", "password", "returnTo", "code", "name", "token", "number", "other-email", "other-password"]
    }

    /// The maximum length in bytes of a field that is a word of the pages, or an ID.
    private static var longestWord: Int { 256 }

    /// Returns the value of a field; nil for one that no page has.
    ///
    /// The comparison of long text that is not ASCII would normalize it, which takes long for many combining marks.
    private static func accepted(_ value: String?, for name: String) -> String? {
        guard let value, !inputFields.contains(name) else { return value }
        return value.utf8.count <= longestWord && value.utf8.allSatisfy { $0 < 0x80 } ? value : nil
    }

    /// The fields of the pages' queries.
    private static var queryFields: [String] { ["returnTo", "notice", "way", "factor", "token", "sent", "account"] }

    /// Responds to a request for a page.
    func get(_ visit: Visit, _ action: (PageRequest) async throws -> PageReply) async throws -> ServerResponse {
        let token = guardian.token(for: visit)
        return try await response(to: actions(visit).problems.run(pageRequest(visit, token), action), visit, token)
    }

    /// Responds to a posted form, if it comes from a page of this service.
    func post(_ visit: Visit, _ action: (PageRequest) async throws -> PageReply) async throws -> ServerResponse {
        let token = guardian.token(for: visit)
        let reply = try await actions(visit).problems.run(pageRequest(visit, token)) { asked in
            let form = try await visit.form()
            try guardian.check(form, of: visit)
            var asked = asked
            for name in Self.formFields { asked.form[name] = Self.accepted(form.only(name), for: name) }
            // Errors of the action are handled here with the form, which has the return path.
            return try await actions(visit).problems.run(asked, action)
        }
        return try await response(to: reply, visit, token)
    }

    func pageRequest(_ visit: Visit, _ token: FormGuard.PageToken) -> PageRequest {
        var asked = PageRequest(csrf: token.value, requestID: visit.requestID)
        asked.path = LocalPath(returnTo: visit.request.target)
        asked.isPosted = visit.request.method == .post
        asked.session = visit.session
        asked.pendingStep = PendingStep.cookie.value(in: visit.request, secrets: auth.secrets, at: clock.now)
        asked.origin = visit.origin
        asked.refusals = RefusalLog(visit.logger)
        if let query = visit.request.query, let fields = FormFields(reading: Array(query.utf8)) {
            for name in Self.queryFields { asked.query[name] = Self.accepted(fields.only(name), for: name) }
        }
        // A browser that was signed in before learns why it no longer is.
        if !SessionCookies.repeated(in: visit.request.headers).isEmpty {
            asked.query["notice"] = Notice.repeatedCookie.rawValue
        }
        return asked
    }

    func response(to reply: PageReply, _ visit: Visit, _ token: FormGuard.PageToken) async throws -> ServerResponse {
        var response: ServerResponse
        switch reply.body {
        case .page(let page):
            response = ServerResponse(
                status: HTTPResponse.Status(code: reply.status),
                headers: headers.page(leadsToProviders: page.leadsToProviders, hasScript: page.script != nil),
                body: ServerResponse.Body(page.html.markup.utf8)
            )
            token.set(in: &response)
        case .redirect(let path):
            response = redirect(to: path.text)
        case .provider(let provider, let purpose, let returnTo, let isRecent, let change):
            let started = try await browser.begin(
                purpose,
                at: provider.rawValue,
                returnTo: returnTo.text,
                isRecent: isRecent,
                changing: change
            )
            response = redirect(to: started.url)
            logins(of: visit).set(
                .pending(started.pendingLogin),
                started.tag,
                in: &response,
                isSentAcrossSites: started.postsForm
            )
        case .file(let bytes, let name, let type):
            response = ServerResponse(
                status: .ok,
                headers: headers.answer,
                body: ServerResponse.Body(bytes)
            )
            response.headers[.contentType] = type.description
            response.headers[.contentDisposition] = "attachment; filename=\"\(name)\""
        }
        if let language = reply.language {
            SessionCookies.set(
                SessionCookies.languageName,
                language,
                maximumAge: PageLanguages.cookieAge,
                in: &response.headers
            )
        }
        if let seconds = reply.retryAfter { response.headers[.retryAfter] = "\(seconds)" }
        reply.problem?.complete(&response)
        switch reply.session {
        case .keep: break
        case .clear: SessionCookies.clear(in: &response.headers)
        case .set(let signed):
            SessionCookies.set(signed.tokens, of: signed.session, at: clock.now, in: &response.headers)
        }
        switch reply.pendingStep {
        case .keep: break
        case .clear: PendingStep.cookie.clear(in: &response)
        case .set(let step): PendingStep.cookie.set(step, in: &response, secrets: auth.secrets, at: clock.now)
        }
        return response
    }

    /// Returns the page that explains a problem.
    func response(to problem: Problem, _ visit: Visit) async throws -> ServerResponse {
        let token = guardian.token(for: visit)
        let reply = await actions(visit).problems.page(of: problem, pageRequest(visit, token))
        return try await response(to: reply, visit, token)
    }

    /// Returns the logins at providers that the browser of a request has begun.
    func logins(of visit: Visit) -> PendingLogins {
        PendingLogins(of: visit.request, secrets: auth.secrets, at: clock.now)
    }

    /// Returns a redirect with status 303, which the browser follows with GET.
    func redirect(to location: String) -> ServerResponse {
        var fields = headers.answer
        fields[.location] = location
        return ServerResponse(status: .seeOther, headers: fields)
    }
}
#endif

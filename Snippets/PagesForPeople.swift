// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// The guide "Pages for people, and routes of your own".

#if Hummingbird
import HTTPTypes
import Hummingbird
import LoginAccounts
import LoginHummingbird
import LoginPages
import LoginProviders

// snippet.router
func makeRouter(_ auth: Auth, publicURL: String) -> Router<BasicLoginRequestContext> {
    let pages = SignInPages<BasicLoginRequestContext>(auth: auth, publicURL: publicURL)
    let router = Router(context: BasicLoginRequestContext.self)
    router.addMiddleware {
        OriginMiddleware()
        SecurityHeadersMiddleware(publicURL: publicURL)
        ProblemMiddleware(publicURL: publicURL)
        PageProblemMiddleware(pages)
        RateLimitMiddleware { 600 }
    }
    pages.addRoutes(to: router)
    return router
}
// snippet.end

// snippet.languages
func pagesOptions() -> SignInPagesOptions {
    var german = PageText.german
    german.login.title = "Willkommen"
    var options = SignInPagesOptions()
    options.languages = [german, .english]  // the first is the default
    options.serviceName = "Example"
    return options
}
// snippet.end

// snippet.logos
func addLogos(to options: inout SignInPagesOptions, own: [UInt8], google: [UInt8]) throws {
    options.logo = try PageImage(own)
    options.providerLogos[.google] = try PageImage(google)
}
// snippet.end

// snippet.notes
func page(_ form: String) -> Response {
    let html = "<!doctype html><html lang=\"en\"><title>Notes</title>\(form)</html>"
    return Response(
        status: .ok,
        headers: [.contentType: "text/html; charset=utf-8"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: html))
    )
}

/// Stores a note; yours writes to a database.
func keep(_ text: String, of account: AccountID) async throws {}

struct Note: Decodable {
    let text: String
}

func addNotes(to router: Router<BasicLoginRequestContext>, _ auth: Auth, publicURL: String) {
    let own = router.group().addMiddleware {
        SessionAuthenticator(auth, staleCookie: .forget)
        SameOriginMiddleware(publicURL: publicURL)
    }
    own.get("notes") { _, context -> Response in
        guard context.identity != nil else { return .redirect(to: "/login?returnTo=/notes") }
        return page(#"<form method="post" action="/notes"><input name="text"><button>Keep</button></form>"#)
    }
    own.post("notes") { request, context -> Response in
        let session = try context.requireIdentity()
        let note = try await URLEncodedFormDecoder().decode(Note.self, from: request, context: context)
        try await keep(note.text, of: session.accountID)
        return .redirect(to: "/notes")
    }
}
// snippet.end

// snippet.current
func say(_ text: String) {
    print("\(Session.current?.accountID.rawValue ?? "nobody"): \(text)")
}

func remind(_ session: Session) async {
    await withIdentity(session) { say("reminded") }
}
// snippet.end

// snippet.machines
struct MachineContext: ChildRequestContext, IdentityRequestContext {
    var coreContext: CoreRequestContextStorage
    var identity: String?  // the machine's name

    init(context: BasicLoginRequestContext) {
        coreContext = context.coreContext
    }
}

struct MachineAuthenticator: AuthenticatorMiddleware {
    typealias Context = MachineContext

    let owner: @Sendable (_ key: String) async throws -> String?

    func authenticate(request: Request, context: MachineContext) async throws -> String? {
        guard let value = request.headers[.authorization], value.hasPrefix("Key ") else { return nil }
        guard let machine = try await owner(String(value.dropFirst(4))) else {
            throw Problem(.missingSession, "The key opens nothing.")
        }
        return machine
    }
}

func addMachines(
    to router: Router<BasicLoginRequestContext>,
    owner: @escaping @Sendable (_ key: String) async throws -> String?
) {
    let machines = router.group("machines", context: MachineContext.self)
        .add(middleware: MachineAuthenticator(owner: owner))
    machines.get("status") { _, context in
        let machine = try context.requireIdentity()
        return "\(machine) is known\n"
    }
}
// snippet.end
#endif

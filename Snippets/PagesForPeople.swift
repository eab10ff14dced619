// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// The guide "Pages for people, and routes of your own".

#if Hummingbird
import HTTPTypes
import Hummingbird
import LoginAccounts
import LoginHTTP
import LoginHummingbird
import LoginKeys
import LoginPages
import LoginProviders

// snippet.router
func makeServer(_ auth: Auth, keys: KeyCache, publicURL: String) -> some ApplicationProtocol {
    var login = LoginService(publicURL: publicURL, auth: auth, keys: keys)
    login.limits = RequestLimits(requests: 300)
    let router = Router(context: BasicLoginRequestContext.self)
    login.addPages(to: router)
    return login.application(router: router)
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
        headers: [
            .contentType: "text/html; charset=utf-8",
            .contentSecurityPolicy: "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
        ],
        body: ResponseBody(byteBuffer: ByteBuffer(string: html))
    )
}

/// Stores a note; yours writes to a database.
func keep(_ text: String, of account: AccountID) async throws {}

struct Note: Decodable {
    let text: String
}

func addNotes(to router: Router<BasicLoginRequestContext>, _ login: LoginService) {
    let own = router.group().add(middleware: login.requireSession)
    own.get("notes") { _, _ -> Response in
        page(#"<form method="post" action="/notes"><input name="text"><button>Keep</button></form>"#)
    }
    own.post("notes") { request, context -> Response in
        let session = try context.session
        let note = try await URLEncodedFormDecoder().decode(Note.self, from: request, context: context)
        try await keep(note.text, of: session.accountID)
        return .redirect(to: "/notes")
    }
    router.group().add(middleware: login.optionalSession).get("welcome") { _, context -> Response in
        page(context.identity == nil ? #"<a href="/login?returnTo=/notes">Sign in</a>"# : "Welcome back.")
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
struct MachineContext: ChildRequestContext {
    var coreContext: CoreRequestContextStorage
    var machine = ""  // its name

    init(context: BasicLoginRequestContext) {
        coreContext = context.coreContext
    }
}

struct MachineMiddleware: RouterMiddleware {
    let owner: @Sendable (_ key: String) async throws -> String?

    func handle(
        _ request: Request,
        context: MachineContext,
        next: (Request, MachineContext) async throws -> Response
    ) async throws -> Response {
        let values = request.headers[values: .authorization]
        guard values.count == 1, values[0].hasPrefix("Key "),
            let machine = try await owner(String(values[0].dropFirst(4)))
        else { throw Problem(.missingSession, "The key opens nothing.", headers: [.wwwAuthenticate: "Key"]) }
        var context = context
        context.machine = machine
        return try await next(request, context)
    }
}

func addMachines(
    to router: Router<BasicLoginRequestContext>,
    owner: @escaping @Sendable (_ key: String) async throws -> String?
) {
    let machines = router.group("machines", context: MachineContext.self)
        .add(middleware: MachineMiddleware(owner: owner))
    machines.get("status") { _, context in "\(context.machine) is known\n" }
}
// snippet.end
#endif

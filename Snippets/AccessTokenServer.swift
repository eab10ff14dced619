// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// Three resources of one server: an API with DPoP, the same for introspected tokens, and a tool for clients of the Model
// Context Protocol (MCP). The service test Tests/service/authorization.py starts it, with authorization servers and a
// client of other authors.

#if Hummingbird
import Foundation
import HTTPTypes
import Hummingbird
import LoginHTTP
import LoginHummingbird
import LoginKeys
import LoginTokens

let environment = ProcessInfo.processInfo.environment
let port = environment["PORT"].flatMap { Int($0) } ?? 8080
let origin = "http://127.0.0.1:\(port)"
let issuer = authorizationServer(environment["ISSUER"] ?? "https://login.example")
let keys = try KeyCache(providers: [issuer.provider], transport: AsyncHTTPClientTransport())
let router = Router(context: BasicLoginRequestContext.self)

let orders = try ProtectedResource(
    "\(origin)/orders",
    verifier: verifier(issuer, audience: "\(origin)/orders", keys: keys),
    scopes: ["orders:read", "orders:write"],
    dpop: DPoPVerifier(ledger: InMemoryDPoPLedger())
)
addOrders(to: router, orders)

let tools = try ProtectedResource("\(origin)/mcp", verifier: verifier(issuer, audience: "\(origin)/mcp", keys: keys))
addTools(to: router, tools)

if let endpoint = environment["INTROSPECTION_ENDPOINT"] {
    let introspector = try introspector(endpoint, environment, keys: keys)
    addIntrospectedOrders(
        to: router,
        try ProtectedResource("\(origin)/introspected-orders", verifier: introspector)
    )
}

try await Application(
    router: router,
    configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
    services: [keys]
).runService()

/// Returns an authorization server that follows RFC 9068, and may be on this machine.
func authorizationServer(_ url: String) -> AccessTokenIssuer {
    var provider = Provider.openID(issuers: [url])
    provider.allowsLoopbackHTTP = true
    return AccessTokenIssuer(provider)
}

func verifier(_ issuer: AccessTokenIssuer, audience: String, keys: KeyCache) throws -> AccessTokenVerifier {
    let policy = try AccessTokenPolicy(issuer: issuer, audiences: [audience])
    return AccessTokenVerifier(policy: policy, keys: keys, cache: VerifiedTokenCache())
}

func addOrders(to router: Router<BasicLoginRequestContext>, _ orders: ProtectedResource) {
    orders.addMetadata(to: router)
    router.group().add(middleware: orders.requireScopes("orders:read")).get("orders") { _, context in
        "the orders of \(try context.token.subject)\n"
    }
    router.group().add(middleware: orders.requireScopes("orders:write")).post("orders") { _, context in
        "ordered for \(try context.token.subject)\n"
    }
}

// snippet.introspection
/// Returns the introspector for an endpoint (RFC 7662), with the policy and the client from the environment.
func introspector(_ endpoint: String, _ environment: [String: String], keys: KeyCache) throws -> TokenIntrospector {
    let signers: (any KeySource)? = environment["INTROSPECTION_SIGNED"] == nil ? nil : keys
    let optional = (environment["INTROSPECTION_OPTIONAL"] ?? "").split(separator: " ")
    let policy = try IntrospectionPolicy(
        issuers: [environment["INTROSPECTION_ISSUER"] ?? ""],
        audiences: [environment["INTROSPECTION_AUDIENCE"] ?? ""],
        requiredScopes: [environment["INTROSPECTION_SCOPE"] ?? "orders:read"],
        optionalMembers: Set(optional.compactMap { IntrospectionPolicy.Member(rawValue: String($0)) }),
        subjectMembers: ["sub", "client_id"]  // no user has the ID of a client
    )
    return try TokenIntrospector(
        endpoint: EndpointURL(endpoint, allowsLoopbackHTTP: true),
        clientID: environment["INTROSPECTION_CLIENT"] ?? "",
        clientSecret: environment["INTROSPECTION_SECRET"] ?? "",
        policy: policy,
        responseKeys: signers,
        transport: AsyncHTTPClientTransport(),
        cacheLifetime: .zero  // a revoked token is refused at once
    )
}

func addIntrospectedOrders(to router: Router<BasicLoginRequestContext>, _ orders: ProtectedResource) {
    router.group().add(middleware: orders.requireToken()).get("introspected-orders") { _, context in
        "the orders of \(try context.token.subject)\n"
    }
}
// snippet.end

// snippet.tools
func addTools(to router: Router<BasicLoginRequestContext>, _ tools: ProtectedResource) {
    tools.addMetadata(to: router)
    // This server sends no messages of its own, so there is no stream of them.
    router.get("mcp") { _, _ in Response(status: .methodNotAllowed, headers: [.allow: "POST"]) }
    router.group().add(middleware: tools.requireScopes("orders:read")).post("mcp") { request, context -> Response in
        let message = try await request.decode(as: Message.self, context: context)
        guard let id = message.id else { return Response(status: .accepted) }
        let reply = Reply(to: message, id: id, subject: try context.token.subject)
        return try reply.response(from: request, context: context)
    }
}

/// A message of JSON-RPC 2.0: a request, or a notification if it has no ID.
struct Message: Decodable {
    let id: MessageID?
    let method: String
    let params: Parameters?

    struct Parameters: Decodable {
        let name: String?
    }
}

/// The response to a request: its result, or an error.
struct Reply: ResponseEncodable {
    let jsonrpc = "2.0"
    let id: MessageID
    var result: Outcome?
    var error: Fault?

    struct Outcome: Encodable {
        var protocolVersion: String?
        var capabilities: [String: [String: String]]?
        var serverInfo: [String: String]?
        var tools: [Tool]?
        var content: [[String: String]]?
    }

    struct Tool: Encodable {
        var name = "orders"
        var description = "The orders of the user."
        var inputSchema = ["type": "object"]
    }

    struct Fault: Encodable {
        let code: Int
        let message: String
    }

    init(to message: Message, id: MessageID, subject: String) {
        self.id = id
        switch message.method {
        case "initialize":
            result = Outcome(
                protocolVersion: "2025-06-18",
                capabilities: ["tools": [:]],
                serverInfo: ["name": "orders", "version": "1"]
            )
        case "ping": result = Outcome()
        case "tools/list": result = Outcome(tools: [Tool()])
        case "tools/call" where message.params?.name == Tool().name:
            result = Outcome(content: [["type": "text", "text": "the orders of \(subject)"]])
        case "tools/call": error = Fault(code: -32602, message: "there is no such tool")
        default: error = Fault(code: -32601, message: "there is no such method")
        }
    }
}
// snippet.end

/// The ID of a request: a number or a string.
enum MessageID: Codable {
    case number(Int)
    case string(String)

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let number = try? value.decode(Int.self) {
            self = .number(number)
        } else {
            self = .string(try value.decode(String.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .number(let number): try value.encode(number)
        case .string(let string): try value.encode(string)
        }
    }
}
#endif

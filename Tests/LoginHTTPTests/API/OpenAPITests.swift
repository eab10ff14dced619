// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import LoginTesting
import Foundation
import HTTPTypes
import LimitedLogin
import LimitedLoginHTTP
import LoginAccounts
import LoginTokens
import Testing

@testable import LoginClient
@testable import LoginHTTP

@Suite struct OpenAPITests {
    private func document() async throws -> JSONValue {
        var fixture = try await LoginFixture()
        fixture.options.facebookApp = try FacebookApp(id: "1234567890", secret: "s3cret-of-a-test")
        let text = try fixture.service().openAPIDocument(title: "A \"test\"\n", version: "1")
        let limits = JSONLimits(bytes: 1 << 22, depth: 64, members: 10_000)
        return try JSONDocument.read(Array(text.utf8), limits: limits).root
    }

    @Test func `operations with phone numbers are described only if codes can be sent`() async throws {
        let fixture = try await LoginFixture()
        let phones = ["sendPhoneCode", "enrollPhone", "beginChallenge", "beginStepUpChallenge"]
        func described(_ auth: Auth) throws -> [String] {
            let text = try fixture.service(of: auth).openAPIDocument(title: "Test", version: "1")
            return phones.filter { text.contains("\"\($0)\"") }
        }
        func auth(_ codes: CapturedCodes?, allowsPhoneSignIn: Bool = false) -> Auth {
            Auth(
                store: fixture.auth.store,
                providers: fixture.auth.providers,
                secrets: LoginFixture.secrets,
                phoneCodes: codes,
                allowsPhoneSignIn: allowsPhoneSignIn
            )
        }
        #expect(try described(auth(nil, allowsPhoneSignIn: true)) == [])
        #expect(try described(auth(fixture.codes)) == Array(phones.dropFirst()))
        #expect(try described(auth(fixture.codes, allowsPhoneSignIn: true)) == phones)
    }

    /// Returns all values with this member name, at every depth.
    private func all(_ name: String, in value: JSONValue) -> [JSONValue] {
        let own = value.kind == .object ? value[name].map { [$0] } ?? [] : []
        let inner = (value.members?.map(\.value) ?? []) + (value.elements ?? [])
        return own + inner.flatMap { all(name, in: $0) }
    }

    /// Returns all operations of a document.
    private func operations(of document: JSONValue) throws -> [(method: String, node: JSONValue)] {
        try #require(document["paths"]?.members).flatMap { item in
            (item.value.members ?? []).map { (method: $0.name, node: $0.value) }
        }
    }

    @Test func `every reference resolves`() async throws {
        let document = try await document()
        let references = all("$ref", in: document).compactMap(\.string)
        #expect(references.count > 50)
        for reference in Set(references) {
            var node: JSONValue? = document
            for name in reference.split(separator: "/").dropFirst() { node = node?[String(name)] }
            #expect(node != nil, "\(reference)")
        }
    }

    @Test func `every operation has a unique ID, and every path parameter is described`() async throws {
        let document = try await document()
        let names = all("operationId", in: document).compactMap(\.string)
        #expect(Set(names).count == names.count && names.count > 35)
        for (path, item) in try #require(document["paths"]?.members) {
            let wanted = path.split(separator: "/").filter { $0.hasPrefix("{") }.map {
                String($0.dropFirst().dropLast())
            }
            for (_, operation) in try #require(item.members) {
                let described = (operation["parameters"]?.elements ?? []).filter { $0["in"]?.string == "path" }
                #expect(described.compactMap { $0["name"]?.string } == wanted, "\(path)")
            }
        }
    }

    @Test func `operations that read header fields describe them, as optional ones`() async throws {
        var found: [String: [String]] = [:]
        for operation in try operations(of: try await document()) {
            let headers = (operation.node["parameters"]?.elements ?? []).filter { $0["in"]?.string == "header" }
            guard !headers.isEmpty else { continue }
            found[operation.node["operationId"]?.string ?? ""] = headers.compactMap { $0["name"]?.string }
            #expect(headers.allSatisfy { $0["required"]?.boolean == false })
        }
        let key = ["Idempotency-Key"]
        let forwarded = ["X-Forwarded-Method", "X-Forwarded-Uri"]
        #expect(found == ["link": key, "unlink": key, "merge": key, "forwardAuth": forwarded])
    }

    @Test func `the Swift client adopts the tokens of each operation that issues them for an open session`()
        async throws
    {
        let schemas = ["SignedIn", "EnrolledFactor"].map { "#/components/schemas/\($0)" }
        let document = try await document()
        var found: Set<String> = []
        for (path, item) in try #require(document["paths"]?.members) {
            for (method, operation) in try #require(item.members) {
                let content = operation["responses"]?["200"]?["content"]?["application/json"]
                let schema = content?["schema"]?["$ref"]?.string ?? ""
                let schemes = operation["security"]?.elements ?? []
                let requiresSession = !schemes.isEmpty && schemes.allSatisfy { $0.members?.isEmpty == false }
                if requiresSession, schemas.contains(schema) { found.insert("\(method.uppercased()) \(path)") }
            }
        }
        #expect(found == ServiceCalls.tokenOperations)
    }

    @Test func `every response describes the headers that responses with its status have`() async throws {
        for operation in try operations(of: try await document()) {
            for (status, answer) in try #require(operation.node["responses"]?.members) {
                let headers = (answer["headers"]?.members ?? []).map { $0.name }
                let place = "\(operation.node["operationId"]?.string ?? "") \(status)"
                #expect(headers.contains("X-Request-ID"), "\(place)")
                #expect(headers.contains("Retry-After") == ["429", "503"].contains(status), "\(place)")
                #expect(headers.contains("WWW-Authenticate") == (status == "401"), "\(place)")
                #expect(headers.contains("X-Auth-Error") == (status == "401"), "\(place)")
            }
        }
    }

    @Test func `operations that change something in a session describe the same-origin requirement`() async throws {
        for operation in try operations(of: try await document()) {
            let takesSession = operation.node["security"]?.elements?.isEmpty == false
            let says = operation.node["description"]?.string?.contains("same origin") ?? false
            #expect(
                says == (takesSession && operation.method != "get"),
                "\(operation.node["operationId"]?.string ?? "")"
            )
        }
    }

    @Test func `every described operation is served, and refuses an empty request as described`() async throws {
        var fixture = try await LoginFixture()
        fixture.options.facebookApp = try FacebookApp(id: "1234567890", secret: "s3cret-of-a-test")
        try await fixture.run { client in
            for operation in client.operations {
                let path = operation.path.replacing(/\{\w+\}/, with: "x")
                let answer = try await client.ask(operation.method, path)
                #expect(answer.status != .methodNotAllowed, "\(path)")
                for header in CommonHeader.all(of: answer.status.code) {
                    let name = try #require(HTTPField.Name(header.rawValue))
                    #expect(answer.headers[name] != nil, "\(path) \(name)")
                }
                let isOpen = operation.session != .required && operation.parameters.isEmpty && operation.method == .get
                if !isOpen { #expect(answer.status.code >= 400, "\(path)") }
                if operation.session == .required { #expect(try answer.text("code") == "missing-session", "\(path)") }
            }
        }
    }

    @Test func `without a Facebook app its callbacks are neither described nor served`() async throws {
        try await LoginFixture().run { client in
            try await client.refused(.notFound, .post, "/v1/facebook/deauthorize")
            let document = try await client.ask(.get, "/openapi.json")
            #expect(document.status == .ok && !document.text.contains("facebook/deauthorize"))
        }
    }
}
#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
import Foundation
import HTTPTypes
import LoginAccounts
import LoginTesting
import LoginTokens
import TestSupport
import Testing

@testable import LoginHTTP

/// A client of the API, which checks that each response conforms to the OpenAPI document.
struct APIClient {
    let server: TestServer
    let fixture: LoginFixture
    let operations: [LoginHTTP.Operation]
    var peer = ServerRequest.Peer.unixSocket

    /// A response.
    struct Answer {
        let status: HTTPResponse.Status
        let headers: HTTPFields
        let text: String

        /// Returns the body as JSON.
        func json() throws -> JSONValue {
            try JSONDocument.read(Array(text.utf8), limits: JSONLimits(bytes: 1 << 20, depth: 32, members: 1000)).root
        }

        /// Returns the text at a path of members, for example `tokens.sessionToken`.
        func text(_ path: String) throws -> String {
            var value = try json()
            for name in path.split(separator: ".") {
                value = try #require(value[String(name)], "no \(path) in \(text)")
            }
            return try #require(value.string, "no text at \(path)")
        }

        /// Returns the new value of a cookie; nil if the response does not set it.
        func cookie(_ name: String) -> String? {
            for value in headers[values: .setCookie] where value.hasPrefix("\(name)=") {
                return String(value.dropFirst(name.count + 1).prefix { $0 != ";" })
            }
            return nil
        }
    }

    /// Sends a request, and checks the response against the document.
    @discardableResult
    func ask(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String? = nil,
        bearer: String? = nil,
        headers: HTTPFields = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Answer {
        var headers = headers
        if let bearer { headers[.authorization] = "Bearer \(bearer)" }
        if body != nil, headers[.contentType] == nil { headers[.contentType] = "application/json" }
        let response = try await server.send(method, path, headers, body: Array((body ?? "").utf8), from: peer)
        let answer = Answer(status: response.status, headers: response.headers, text: response.text)
        try check(answer, of: method, path, sourceLocation)
        return answer
    }

    /// Sends a request, and expects that it is refused with this code.
    @discardableResult
    func refused(
        _ code: ProblemCode,
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String? = nil,
        bearer: String? = nil,
        headers: HTTPFields = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Answer {
        let answer = try await ask(
            method,
            path,
            body,
            bearer: bearer,
            headers: headers,
            sourceLocation: sourceLocation
        )
        #expect(answer.headers[.contentType] == "application/problem+json", sourceLocation: sourceLocation)
        #expect(try answer.text("code") == code.rawValue, "\(answer.text)", sourceLocation: sourceLocation)
        if answer.status.code != code.status.code {
            #expect(answer.status == .unauthorized, "\(answer.text)", sourceLocation: sourceLocation)
        }
        // The tests of accounts cover the other codes.
        if ProblemCode.ofHTTP.contains(code) { recordCode(code.rawValue, of: "ProblemCode") }
        return answer
    }

    @discardableResult
    func refused(
        _ code: AuthError.Code,
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String? = nil,
        bearer: String? = nil,
        headers: HTTPFields = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Answer {
        try await refused(
            ProblemCode(code),
            method,
            path,
            body,
            bearer: bearer,
            headers: headers,
            sourceLocation: sourceLocation
        )
    }

    /// Compares a response with the declaration of its operation.
    private func check(
        _ answer: Answer,
        of method: HTTPRequest.Method,
        _ uri: String,
        _ sourceLocation: SourceLocation
    ) throws {
        let path = uri.prefix { $0 != "?" }
        guard let operation = operations.first(where: { $0.method == method && Self.matches(String(path), $0.path) })
        else {
            return
        }
        if answer.status == operation.answer.status {
            guard let schema = operation.answer.schema else {
                #expect(answer.text.isEmpty, sourceLocation: sourceLocation)
                return
            }
            let fault = schema.faultInAnswer(try answer.json())
            #expect(fault == nil, "\(operation.name): \(answer.text)", sourceLocation: sourceLocation)
        } else {
            let code = try answer.text("code")
            let isListed = operation.allProblems.contains { $0.rawValue == code }
            #expect(isListed, "\(operation.name) does not document \(code)", sourceLocation: sourceLocation)
            recordCode("\(operation.name)/\(code)", of: "Operation.problems")
            #expect(Problem.schema.faultInAnswer(try answer.json()) == nil, sourceLocation: sourceLocation)
        }
    }

    private static func matches(_ path: String, _ template: String) -> Bool {
        let (parts, wanted) = (path.split(separator: "/"), template.split(separator: "/"))
        return parts.count == wanted.count && zip(parts, wanted).allSatisfy { $0 == $1 || $1.hasPrefix("{") }
    }
}

extension Schema {
    /// Returns the fault of a response, like `fault(in:)`, but for schemas with times and free-form objects too.
    func faultInAnswer(_ value: JSONValue) -> String? {
        switch self {
        case .time: value.string.flatMap { try? Date($0, strategy: .iso8601) } == nil ? "no time" : nil
        case .anyObject: value.kind == .object ? nil : "no object"
        case .named(_, let inner): inner.faultInAnswer(value)
        case .optional(let inner): value.kind == .null ? nil : inner.faultInAnswer(value)
        case .array(let element, _): value.elements?.lazy.compactMap { element.faultInAnswer($0) }.first
        case .object(let fields): Self.faultInAnswer(value, fields)
        default: fault(in: value)
        }
    }

    private static func faultInAnswer(_ value: JSONValue, _ fields: [Field]) -> String? {
        guard let members = value.members else { return "no object" }
        for member in members where !fields.contains(where: { $0.name == member.name }) {
            return "\(member.name) is not documented"
        }
        for field in fields {
            guard let member = value[field.name] else {
                if field.isRequired { return "\(field.name) is missing" }
                continue
            }
            if let fault = field.schema.faultInAnswer(member) { return "\(field.name): \(fault)" }
        }
        return nil
    }
}
#endif

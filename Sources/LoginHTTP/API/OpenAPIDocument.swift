// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
internal import LoginAccounts
internal import LoginTokens

/// The OpenAPI 3.1 document of an API, generated from the same table as the routes.
struct OpenAPIDocument: Sendable {
    let title: String
    let version: String
    let publicURL: String?
    let operations: [Operation]

    /// The document as JSON.
    var json: DocumentNode {
        var paths: [(String, DocumentNode)] = []
        var seen: Set<String> = []
        for path in operations.map(\.path) where seen.insert(path).inserted {
            let items = operations.filter { $0.path == path }
                .map { ($0.method.rawValue.lowercased(), Self.node(of: $0)) }
            paths.append((path, .object(items)))
        }
        return .object([
            ("openapi", "3.1.0"),
            ("info", .object([("title", .text(title)), ("version", .text(version))])),
            ("servers", .array(publicURL.map { [.object([("url", .text($0))])] } ?? [])),
            ("paths", .object(paths)),
            ("components", components),
        ])
    }

    private var components: DocumentNode {
        var schemas = NamedSchemas()
        schemas.collect(Problem.schema)
        for operation in operations {
            if case .json(let schema) = operation.body { schemas.collect(schema) }
            if let schema = operation.answer.schema { schemas.collect(schema) }
        }
        return .object([
            ("schemas", .object(schemas.all.map { ($0.name, $0.schema.node) })),
            ("headers", .object(CommonHeader.allCases.map { ($0.rawValue, Self.header($0.field)) })),
            (
                "securitySchemes",
                .object([
                    ("bearer", .object([("type", "http"), ("scheme", "bearer")])),
                    (
                        "cookie",
                        .object([
                            ("type", "apiKey"), ("in", "cookie"), ("name", .text(SessionCookies.sessionName)),
                        ])
                    ),
                ])
            ),
        ])
    }

    private static func node(of operation: Operation) -> DocumentNode {
        var members: [(String, DocumentNode)] = [
            ("operationId", .text(operation.name)), ("summary", .text(operation.summary)),
            ("tags", .array([.text(operation.tag)])),
        ]
        if operation.wantsOwnPage { members.append(("description", .text(ownPage))) }
        let parameters =
            operation.parameters.map { parameter($0, in: "path") } + operation.query.map { parameter($0, in: "query") }
            + operation.headers.map { parameter($0, in: "header") }
        if !parameters.isEmpty { members.append(("parameters", .array(parameters))) }
        switch operation.body {
        case .none: break
        case .json(let schema): members.append(("requestBody", body(schema.node, "application/json")))
        case .form(let fields):
            members.append(("requestBody", body(Schema.object(fields).node, "application/x-www-form-urlencoded")))
        }
        members.append(("responses", responses(of: operation)))
        let schemes: [DocumentNode] = [.object([("bearer", .array([]))]), .object([("cookie", .array([]))])]
        switch operation.session {
        case .none: members.append(("security", .array([])))
        case .optional: members.append(("security", .array(schemes + [.object([])])))
        case .required: members.append(("security", .array(schemes)))
        }
        return .object(members)
    }

    private static var ownPage: String {
        "A request with the session cookie must come from the same origin, which `Sec-Fetch-Site` or `Origin` shows."
    }

    private static func parameter(_ field: Field, in place: String) -> DocumentNode {
        .object([
            ("name", .text(field.name)), ("in", .text(place)),
            ("required", .boolean(field.isRequired || place == "path")),
            ("description", .text(field.summary)), ("schema", field.schema.node),
        ])
    }

    private static func body(_ schema: DocumentNode, _ type: String) -> DocumentNode {
        .object([
            ("required", .boolean(true)), ("content", .object([(type, .object([("schema", schema)]))])),
        ])
    }

    private static func responses(of operation: Operation) -> DocumentNode {
        let answer = operation.answer
        var members: [(String, DocumentNode)] = [
            ("description", .text(answer.summary)), ("headers", headers(of: answer.status.code, answer.headers)),
        ]
        if let schema = answer.schema {
            members.append(("content", .object([(answer.contentType, .object([("schema", schema.node)]))])))
        }
        var all = [(String(answer.status.code), DocumentNode.object(members))]
        var byStatus: [Int: [ProblemCode]] = [:]
        for code in operation.allProblems {
            for status in operation.statuses(of: code) { byStatus[status, default: []].append(code) }
        }
        for (status, codes) in byStatus.sorted(by: { $0.key < $1.key }) {
            let listed = codes.map { "`\($0.rawValue)`: \($0.explanation)" }.sorted().joined(separator: "\n\n")
            let content = [("application/problem+json", DocumentNode.object([("schema", Problem.schema.node)]))]
            let problem = [
                ("description", .text(listed)), ("headers", headers(of: status)),
                ("content", DocumentNode.object(content)),
            ]
            all.append((String(status), .object(problem)))
        }
        return .object(all)
    }

    private static func headers(of status: Int, _ own: [Field] = []) -> DocumentNode {
        let common = CommonHeader.all(of: status).map {
            ($0.rawValue, DocumentNode.object([("$ref", .text("#/components/headers/\($0.rawValue)"))]))
        }
        return .object(common + own.map { ($0.name, header($0)) })
    }

    private static func header(_ field: Field) -> DocumentNode {
        .object([("description", .text(field.summary)), ("schema", field.schema.node)])
    }
}

extension Operation {
    /// Returns the statuses with which an operation reports a code: errors of the credential have status 401.
    fileprivate func statuses(of code: ProblemCode) -> [Int] {
        let takesCredential = session != .none || problems.contains(.missingToken)
        let isAboutCredential = takesCredential && [.invalidRequest, ProblemCode(.userDisabled)].contains(code)
        return isAboutCredential ? [code.status.code, 401] : [code.status.code]
    }
}

/// The named schemas, each once, in the order of their first use.
private struct NamedSchemas {
    var all: [(name: String, schema: Schema)] = []

    mutating func collect(_ schema: Schema) {
        switch schema {
        case .named(let name, let inner):
            guard !all.contains(where: { $0.name == name }) else { return }
            all.append((name, inner))
            collect(inner)
        case .object(let fields): for field in fields { collect(field.schema) }
        case .oneOf(let variants): for variant in variants { for field in variant.fields { collect(field.schema) } }
        case .array(let element, _): collect(element)
        case .optional(let inner): collect(inner)
        case .text, .choice, .integer, .boolean, .time, .anyObject: break
        }
    }
}

extension Schema {
    /// The schema in the OpenAPI document (JSON Schema 2020-12).
    var node: DocumentNode {
        switch self {
        case .text(let length, let format):
            .object(
                [
                    ("type", "string"), ("minLength", .number(length.lowerBound)),
                ] + (length.upperBound == .max ? [] : [("maxLength", .number(length.upperBound))])
                    + (format.map { [("format", .text($0))] } ?? [])
            )
        case .choice(let choices): .object([("type", "string"), ("enum", .array(choices.map(DocumentNode.text)))])
        case .integer(let range):
            .object([
                ("type", "integer"), ("minimum", .number(range.lowerBound)), ("maximum", .number(range.upperBound)),
            ])
        case .boolean: .object([("type", "boolean")])
        case .time: .object([("type", "string"), ("format", "date-time")])
        case .array(let element, let most):
            .object([("type", "array"), ("items", element.node), ("maxItems", .number(most))])
        case .object(let fields): Self.node(of: fields)
        case .oneOf(let variants):
            .object([
                (
                    "oneOf",
                    .array(
                        variants.map { type, fields in
                            Self.node(of: [.required("type", .choice([type]), "The type.")] + fields)
                        }
                    )
                )
            ])
        case .anyObject: .object([("type", "object")])
        case .optional(let schema): .object([("anyOf", .array([schema.node, .object([("type", "null")])]))])
        case .named(let name, _): .object([("$ref", .text("#/components/schemas/\(name)"))])
        }
    }

    private static func node(of fields: [Field]) -> DocumentNode {
        let properties = fields.map { field in
            (field.name, field.schema.described(field.summary))
        }
        return .object([
            ("type", "object"), ("properties", .object(properties)),
            ("required", .array(fields.filter(\.isRequired).map { .text($0.name) })),
            ("additionalProperties", .boolean(false)),
        ])
    }

    /// Returns the schema with a description, which OpenAPI 3.1 also allows beside a reference.
    private func described(_ summary: String) -> DocumentNode {
        guard case .object(let members) = node, !summary.isEmpty else { return node }
        return .object(members + [("description", .text(summary))])
    }
}

extension Problem {
    /// The schema of the body of every problem.
    static let schema = Schema.named(
        "Problem",
        .object([
            .required("type", .text(1...2048), "A URL that explains the code."),
            .required("title", .text(1...1000), "The meaning of the code."),
            .required("status", .integer(400...599), "The status of the response."),
            .required("code", .text(1...64), "The stable code."),
            .required("requestID", .text(0...64), "The ID of the request."),
            .optional("detail", .text(0...10_000), "The fault of this request."),
            .optional("retryAfter", .integer(1...1_000_000_000), "The number of seconds to wait before a retry."),
            .optional(
                "pendingCredential",
                .anyObject,
                "A pending credential, with which the refused login can be linked later."
            ),
            .optional("resolver", .anyObject, "The token for the second factor, and the enrolled factors."),
            .optional("providers", .array(.text(1...64), most: 1000), "The providers that are concerned."),
            .optional("mergedInto", .text(1...64), "The account into which this one was merged."),
        ])
    )
}

/// A header field that responses of many operations have, described once in the OpenAPI document.
enum CommonHeader: String, CaseIterable, Sendable {
    case requestID = "X-Request-ID"
    case retryAfter = "Retry-After"
    case challenge = "WWW-Authenticate"
    case authError = "X-Auth-Error"

    /// Returns the header fields of every response with a status.
    static func all(of status: Int) -> [Self] {
        switch status {
        case 401: [.requestID, .challenge, .authError]
        case 429, 503: [.requestID, .retryAfter]
        default: [.requestID]
        }
    }

    /// The description of the header field.
    var field: Field {
        switch self {
        case .requestID: .optional(rawValue, .text(1...64), "The ID of the request, which is also in the log.")
        case .retryAfter:
            .optional(rawValue, .integer(1...1_000_000_000), "The number of seconds to wait before a retry.")
        case .challenge:
            .optional(rawValue, .text(1...1000), "The bearer challenge, with the error if a token was sent.")
        case .authError: .optional(rawValue, .text(1...64), "The code, for proxies that do not read the body.")
        }
    }
}

/// A JSON value whose members keep their order, for readability.
enum DocumentNode: Sendable, ExpressibleByStringLiteral {
    case text(String)
    case number(Int)
    case boolean(Bool)
    case array([DocumentNode])
    case object([(String, DocumentNode)])

    init(stringLiteral text: String) { self = .text(text) }

    /// The JSON text, indented by two spaces.
    var text: String {
        var json = JSONWriter(isIndented: true)
        write(to: &json)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    private func write(to json: inout JSONWriter) {
        switch self {
        case .text(let text): json.add(text)
        case .number(let number): json.add(json: String(number).utf8)
        case .boolean(let boolean): json.add(json: String(boolean).utf8)
        case .array(let elements): json.addArray { for element in elements { element.write(to: &$0) } }
        case .object(let members):
            json.addObject {
                for (name, value) in members {
                    $0.add(name: name)
                    value.write(to: &$0)
                }
            }
        }
    }
}
#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Tweaks

extension TweakRoutes {
    private static var jsonType: String { "application/json" }

    /// Adds the routes for programs to a router.
    func addJSON(to router: some RouterMethods<Context>) {
        let group = router.group(RouterPath(layout.prefix))
        group.get("/tweaks.json") { request, context in
            try await respond(request, context) { _ in report }
        }
        group.get("/history.json") { request, context in
            try await respond(request, context) { _ in
                TweaksJSON.text(of: try await tweaks.history(limit: Self.historyLength))
            }
        }
        group.put("/tweaks/:id") { request, context in
            let id = try context.parameters.require("id")
            return try await change(request, context) { author in
                guard let change = TweaksJSON.change(try await Self.body(of: request)) else {
                    throw PageRefusal(
                        .badRequest,
                        "The body must be an object with a string, value, and a whole number, revision."
                    )
                }
                try await tweaks.set(id, to: change.value, expecting: change.revision, by: author.name)
            }
        }
        group.delete("/tweaks/:id") { request, context in
            let id = try context.parameters.require("id")
            return try await change(request, context) { author in
                try await tweaks.reset(id, expecting: Self.revision(of: request), by: author.name)
            }
        }
        group.get("/values.json") { request, context in
            try await respond(request, context) { _ in tweaks.exportJSON() }
        }
        group.put("/values.json") { request, context in
            try await change(request, context) { author in
                let body = try await Self.body(of: request)
                try await tweaks.importJSON(body, expecting: Self.revision(of: request), by: author.name)
            }
        }
        group.delete("/values.json") { request, context in
            try await change(request, context) { author in
                try await tweaks.resetAll(expecting: Self.revision(of: request), by: author.name)
            }
        }
    }

    private var report: String { TweaksJSON.text(of: tweaks.report) }

    /// Applies a change, and responds with all tweaks, or with the reason why nothing was changed.
    private func change(
        _ request: Request,
        _ context: Context,
        _ change: (TweakOperator) async throws -> Void
    ) async throws -> Response {
        try await respond(request, context) { author in
            try await change(author)
            return report
        }
    }

    /// Responds with JSON, or with a problem.
    private func respond(
        _ request: Request,
        _ context: Context,
        _ json: (TweakOperator) async throws -> String
    ) async throws -> Response {
        try await answer(request, context, refusal: .problem) { author in
            do {
                return .text(try await json(author), type: Self.jsonType)
            } catch let error as TweakError {
                return TweaksJSON.problem(error.status, error.code.rawValue, error.detail)
            }
        }
    }

    /// Reads a JSON body.
    ///
    /// A form of another site cannot have its media type.
    private static func body(of request: Request) async throws(PageRefusal) -> String {
        guard request.headers[.contentType]?.lowercased().hasPrefix(jsonType) == true else {
            throw PageRefusal(.unsupportedMediaType, "The body must be application/json.")
        }
        do {
            return String(buffer: try await request.body.collect(upTo: Tweaks.importBytes))
        } catch {
            throw PageRefusal(.contentTooLarge, "The body is too long.")
        }
    }

    /// Returns the revision in the query.
    private static func revision(of request: Request) throws(PageRefusal) -> Int64 {
        guard let revision = request.uri.queryParameters["revision"].flatMap({ Int64($0) }) else {
            throw PageRefusal(.badRequest, "The query must have a revision, a whole number.")
        }
        return revision
    }
}
#endif

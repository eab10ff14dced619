// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
public import HTTPTypes

/// A path of the sign-in server, with all its methods.
///
/// A framework's router serves each route at its ``path``, for every method: the route itself answers HEAD as GET, and
/// refuses other methods with status 405. ``LoginRoutes`` is a router for frameworks without one.
public struct LoginRoute: Sendable {
    /// A function that responds to one method.
    typealias Handler =
        @Sendable (_ request: ServerRequest, _ parameters: [String: String])
        async throws(CancellationError) -> ServerResponse

    /// The template of the path, with parameters in braces: `/v1/sessions/{id}`.
    public let path: String

    /// The methods that the route supports, HEAD included if it supports GET.
    public let methods: [HTTPRequest.Method]

    /// Whether responses may wait for the store.
    ///
    /// An adapter can use it to respond to the others where the request was read, without a change of threads.
    public let waitsForStore: Bool

    /// Whether the route refuses the methods that it does not support; false if other routes may have the same path.
    public let refusesOtherMethods: Bool

    private let handlers: [(method: HTTPRequest.Method, respond: Handler)]

    /// Responds to a request whose method the route does not support.
    private let refuse: @Sendable (ServerRequest, Problem) async throws(CancellationError) -> ServerResponse

    /// Creates a route.
    ///
    /// - Parameters:
    ///   - path: The template of the path.
    ///   - handlers: The handler of each method, which also responds to HEAD if the method is GET.
    ///   - waitsForStore: Whether responses may wait for the store.
    ///   - refusesOtherMethods: Whether no other route has the same path.
    ///   - refusal: A function that returns the response to a request with another method.
    init(
        _ path: String,
        _ handlers: [(method: HTTPRequest.Method, respond: Handler)],
        waitsForStore: Bool = true,
        refusesOtherMethods: Bool = true,
        refusal: @escaping @Sendable (ServerRequest, Problem) async throws(CancellationError) -> ServerResponse
    ) {
        self.path = path
        self.handlers = handlers
        self.waitsForStore = waitsForStore
        self.refusesOtherMethods = refusesOtherMethods
        methods = handlers.flatMap { $0.method == .get ? [.get, .head] : [$0.method] }
        refuse = refusal
    }

    /// Creates a route of a service.
    ///
    /// - Parameters:
    ///   - path: The template of the path.
    ///   - handlers: The handler of each method, which also responds to HEAD if the method is GET.
    ///   - waitsForStore: Whether responses may wait for the store.
    ///   - refusesOtherMethods: Whether no other route has the same path.
    ///   - isPage: Whether refusals are pages.
    ///   - login: The service.
    init(
        _ path: String,
        _ handlers: [(method: HTTPRequest.Method, respond: Handler)],
        waitsForStore: Bool = true,
        refusesOtherMethods: Bool = true,
        isPage: Bool = false,
        of login: LoginService
    ) {
        self.init(path, handlers, waitsForStore: waitsForStore, refusesOtherMethods: refusesOtherMethods) {
            request,
            problem throws(CancellationError) in
            try await login.serve(request, isPage: isPage) { _ in throw problem }
        }
    }

    /// The names of the parameters in the path, in order.
    public var parameterNames: [String] { path.split(separator: "/").compactMap { Self.parameter($0) } }

    /// Returns the name of the parameter that a segment of a template is; nil for literal text.
    static func parameter(_ segment: Substring) -> String? {
        segment.hasPrefix("{") && segment.hasSuffix("}") ? String(segment.dropFirst().dropLast()) : nil
    }

    /// Returns whether the route responds to a method, if only to refuse it; otherwise another route may.
    package func responds(to method: HTTPRequest.Method) -> Bool { refusesOtherMethods || methods.contains(method) }

    /// Responds to a request whose path matches.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - parameters: The segments of the path for the parameters in ``path``, without decoding.
    /// - Returns: The response, for errors too.
    /// - Throws: `CancellationError` if the task is cancelled.
    public func respond(
        to request: ServerRequest,
        parameters: [String: String] = [:]
    ) async throws(CancellationError) -> ServerResponse {
        let method = request.method == .head ? .get : request.method
        var response: ServerResponse
        if let handler = handlers.first(where: { $0.method == method }) {
            response = try await handler.respond(request, parameters)
        } else {
            let allowed = methods.map(\.rawValue).sorted().joined(separator: ", ")
            response = try await refuse(request, Problem(.methodNotAllowed, headers: [.allow: allowed]))
        }
        response.route = path
        return response
    }
}

/// A framework's router, to which a ``LoginService`` adds its routes.
public protocol LoginRouter {
    /// Serves a route for all its methods, and for those that it does not support, if the router knows them.
    func add(_ route: LoginRoute)
}

/// The routes of a server, for frameworks without a router of their own.
///
/// ```swift
/// let routes = LoginRoutes(login.apiRoutes() + login.pageRoutes())
/// let response = try await routes.respond(to: request)  // nil: the path is the application's
/// ```
///
/// Segments of a path are compared byte for byte without decoding, empty ones are ignored, and literal text precedes
/// parameters.
public struct LoginRoutes: Sendable {
    /// The routes without parameters, by their path.
    private var literal: [String: LoginRoute] = [:]

    /// The routes with parameters, by their number of segments.
    private var patterns: [Int: [(segments: [Substring], route: LoginRoute)]] = [:]

    /// Creates the table.
    ///
    /// - Parameter routes: The routes.
    public init(_ routes: [LoginRoute]) {
        for route in routes {
            let segments = Self.segments(route.path)
            if segments.contains(where: { LoginRoute.parameter($0) != nil }) {
                patterns[segments.count, default: []].append((segments, route))
            } else {
                literal[Self.path(segments)] = route
            }
        }
    }

    /// Returns the route of a path, and the segments for its parameters; nil if no route matches.
    ///
    /// - Parameter path: The path of a request.
    /// - Returns: The route and its parameters.
    public func match(_ path: String) -> (route: LoginRoute, parameters: [String: String])? {
        if let route = literal[path] { return (route, [:]) }
        let segments = Self.segments(path)
        if let route = literal[Self.path(segments)] { return (route, [:]) }
        for (pattern, route) in patterns[segments.count] ?? [] {
            var parameters: [String: String] = [:]
            let matches = zip(pattern, segments).allSatisfy { expected, segment in
                guard let name = LoginRoute.parameter(expected) else {
                    return expected.utf8.elementsEqual(segment.utf8)
                }
                parameters[name] = String(segment)
                return true
            }
            if matches { return (route, parameters) }
        }
        return nil
    }

    /// Responds to a request; nil if its path is none of the routes, or its method may be another route's.
    ///
    /// - Parameter request: The request.
    /// - Returns: The response, for errors too. `LoginService.refuseUnknownPath(of:)` responds to other paths.
    /// - Throws: `CancellationError` if the task is cancelled.
    public func respond(to request: ServerRequest) async throws(CancellationError) -> ServerResponse? {
        guard let (route, parameters) = match(request.path), route.responds(to: request.method) else { return nil }
        return try await route.respond(to: request, parameters: parameters)
    }

    private static func segments(_ path: String) -> [Substring] { path.split(separator: "/") }

    private static func path(_ segments: [Substring]) -> String { "/" + segments.joined(separator: "/") }
}
#endif

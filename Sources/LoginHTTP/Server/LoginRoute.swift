// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
public import HTTPTypes

/// A path of the sign-in server, with all its methods.
///
/// A framework's router serves each route at its ``path``, for every method: the route itself answers HEAD as GET, and
/// refuses other methods with status 405. ``LoginRoutes`` is a router for frameworks without one.
public struct LoginRoute: Sendable {
    /// When responses may wait for the store.
    enum StoreUse: Sendable {
        case never, always
        /// With a DPoP proof, which is recorded.
        case withProof
    }

    /// A function that responds to one method.
    typealias Handler =
        @Sendable (_ request: ServerRequest, _ parameters: [String: String])
        async throws(CancellationError) -> ServerResponse

    /// The template of the path, with parameters in braces: `/v1/sessions/{id}`.
    public let path: String

    /// The methods that the route supports, HEAD included if it supports GET.
    public let methods: [HTTPRequest.Method]

    /// Whether the route refuses the methods that it does not support; false if other routes may have the same path.
    public let refusesOtherMethods: Bool

    private let handlers: [(method: HTTPRequest.Method, respond: Handler)]
    private let storeUse: StoreUse

    /// Responds to a request whose method the route does not support.
    private let refuse: @Sendable (ServerRequest, Problem) async throws(CancellationError) -> ServerResponse

    /// Creates a route.
    ///
    /// - Parameters:
    ///   - path: The template of the path.
    ///   - handlers: The handler of each method, which also responds to HEAD if the method is GET.
    ///   - storeUse: When responses may wait for the store.
    ///   - refusesOtherMethods: Whether no other route has the same path.
    ///   - refusal: A function that returns the response to a request with another method.
    init(
        _ path: String,
        _ handlers: [(method: HTTPRequest.Method, respond: Handler)],
        storeUse: StoreUse = .always,
        refusesOtherMethods: Bool = true,
        refusal: @escaping @Sendable (ServerRequest, Problem) async throws(CancellationError) -> ServerResponse
    ) {
        self.path = path
        self.handlers = handlers
        self.storeUse = storeUse
        self.refusesOtherMethods = refusesOtherMethods
        methods = handlers.flatMap { $0.method == .get ? [.get, .head] : [$0.method] }
        refuse = refusal
    }

    /// Creates a route of a service.
    ///
    /// - Parameters:
    ///   - path: The template of the path.
    ///   - handlers: The handler of each method, which also responds to HEAD if the method is GET.
    ///   - storeUse: When responses may wait for the store.
    ///   - refusesOtherMethods: Whether no other route has the same path.
    ///   - isPage: Whether refusals are pages.
    ///   - login: The service.
    init(
        _ path: String,
        _ handlers: [(method: HTTPRequest.Method, respond: Handler)],
        storeUse: StoreUse = .always,
        refusesOtherMethods: Bool = true,
        isPage: Bool = false,
        of login: LoginService
    ) {
        self.init(path, handlers, storeUse: storeUse, refusesOtherMethods: refusesOtherMethods) {
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

    /// Returns whether the response to a request may wait for the store.
    ///
    /// An adapter can use it to respond to other requests where they were read, without a change of threads.
    ///
    /// - Parameter request: A request whose path matches.
    /// - Returns: Whether it may; the response to others in general waits for nothing.
    public func mayWaitForStore(_ request: ServerRequest) -> Bool {
        switch storeUse {
        case .never: false
        case .always: true
        case .withProof: request.headers.contains(.dpop)
        }
    }

    /// Returns whether the route responds to a method, if only to refuse it; otherwise another route may.
    func responds(to method: HTTPRequest.Method) -> Bool { refusesOtherMethods || methods.contains(method) }

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
/// parameters, segment by segment.
public struct LoginRoutes: Sendable {
    /// A route, and the segments of its template.
    private struct Entry: Sendable {
        let route: LoginRoute
        let segments: [Substring]

        /// Whether each segment is a parameter.
        var parameters: [Bool] { segments.map { LoginRoute.parameter($0) != nil } }
    }

    /// The routes without parameters, by their path.
    private var literal: [String: [Entry]] = [:]

    /// The routes with parameters, by their number of segments, in the order in which they are compared.
    private var patterns: [Int: [Entry]] = [:]

    /// Creates the table.
    ///
    /// - Parameter routes: The routes. Several may have one path if each has methods of its own; otherwise, the first is
    ///   used.
    public init(_ routes: [LoginRoute]) {
        for route in routes {
            let entry = Entry(route: route, segments: Self.segments(route.path))
            if entry.parameters.contains(true) {
                patterns[entry.segments.count, default: []].append(entry)
            } else {
                literal[Self.path(entry.segments), default: []].append(entry)
            }
        }
        for count in patterns.keys {
            patterns[count]?.sort { first, second in
                // Literal text sorts before a parameter. The order of equal templates is kept.
                first.parameters.lexicographicallyPrecedes(second.parameters) { !$0 && $1 }
            }
        }
    }

    /// Returns the route of a request, and the segments of its path for the parameters; nil if no route has the path, or
    /// its method may be another route's.
    ///
    /// - Parameter request: The request.
    /// - Returns: The route and its parameters.
    public func match(_ request: ServerRequest) -> (route: LoginRoute, parameters: [String: String])? {
        // The comparison of other text than ASCII would ignore differences of Unicode.
        guard request.path.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        if let entry = literal[request.path]?.first(where: { $0.route.responds(to: request.method) }) {
            return (entry.route, [:])
        }
        let segments = Self.segments(request.path)
        if let entry = literal[Self.path(segments)]?.first(where: { $0.route.responds(to: request.method) }) {
            return (entry.route, [:])
        }
        for entry in patterns[segments.count] ?? [] where entry.route.responds(to: request.method) {
            var parameters: [String: String] = [:]
            let matches = zip(entry.segments, segments).allSatisfy { expected, segment in
                guard let name = LoginRoute.parameter(expected) else { return expected == segment }
                parameters[name] = String(segment)
                return true
            }
            if matches { return (entry.route, parameters) }
        }
        return nil
    }

    /// Responds to a request; nil if its path is none of the routes, or its method may be another route's.
    ///
    /// - Parameter request: The request.
    /// - Returns: The response, for errors too. `LoginService.refuseUnknownPath(of:)` responds to other paths.
    /// - Throws: `CancellationError` if the task is cancelled.
    public func respond(to request: ServerRequest) async throws(CancellationError) -> ServerResponse? {
        guard let (route, parameters) = match(request) else { return nil }
        return try await route.respond(to: request, parameters: parameters)
    }

    private static func segments(_ path: String) -> [Substring] { path.split(separator: "/") }

    private static func path(_ segments: [Substring]) -> String { "/" + segments.joined(separator: "/") }
}
#endif

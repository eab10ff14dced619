// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
public import Hummingbird
public import LoginHTTP
internal import NIOCore

extension ServerRequest {
    /// Creates the request of Hummingbird's.
    ///
    /// - Parameters:
    ///   - request: The request, whose body is read on demand.
    ///   - context: Its context.
    public init(_ request: Request, _ context: some LoginRequestContext) {
        self.init(
            request.head,
            from: context.login.peer,
            body: Body(request.body.map(\.readableBytesView)),
            logger: context.logger
        )
    }
}

extension Response {
    /// Creates the response of Hummingbird for a response of the service.
    ///
    /// - Parameter response: The response, whose `Content-Length` stays, also without the body of a response to HEAD.
    public init(_ response: ServerResponse) {
        var headers = response.headers
        if response.closesConnection { headers[.connection] = "close" }
        self.init(
            status: response.status,
            headers: headers,
            body: response.body.bytes.isEmpty
                ? ResponseBody() : ResponseBody(byteBuffer: response.body.converted { ByteBuffer(bytes: $0) })
        )
    }
}

extension Problem: HTTPResponseError {
    /// Returns the response if the problem is thrown by a route without a check before it.
    ///
    /// It has the request ID of Hummingbird.
    public func response(from request: Request, context: some RequestContext) -> Response {
        let response = Response(response(requestID: context.id, base: nil))
        return request.method == .head ? response.createHeadResponse() : response
    }

    /// Returns what a route has thrown, with the problem in place of an error of Hummingbird.
    static func replacing(_ error: any Error) -> any Error {
        switch error {
        case let error as HTTPError: Problem(status: error.status, headers: error.headers)
        case is NIOTooManyBytesError: Problem(.tooLarge)
        default: error
        }
    }
}

extension Router: LoginRouter where Context: LoginRequestContext {
    /// Serves a route of a `LoginService` or a `ProtectedResource`.
    ///
    /// Hummingbird's router matches methods by name. Methods that are not in the list of RFC 9110 get status 404.
    public func add(_ route: LoginRoute) {
        let names = route.parameterNames
        let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options, .trace]
        let query = HTTPRequest.Method("QUERY").map { [$0] } ?? []
        for method in route.refusesOtherMethods ? methods + query : route.methods {
            on(RouterPath(route.path), method: method) { request, context in
                let values = names.map { ($0, context.parameters.get($0) ?? "") }
                return Response(
                    try await route.respond(
                        to: ServerRequest(request, context),
                        parameters: Dictionary(values) { first, _ in first }
                    )
                )
            }
        }
    }
}
#endif

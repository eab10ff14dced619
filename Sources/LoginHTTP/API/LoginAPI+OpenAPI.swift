// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes

extension LoginService {
    /// Returns the OpenAPI 3.1 document of the API as JSON.
    ///
    /// It describes operations with phones only if the accounts have a sender of codes, and sign-in by phone only if
    /// that is allowed.
    ///
    /// - Parameters:
    ///   - title: The title of the service.
    ///   - version: The version of the service.
    /// - Returns: The document.
    public func openAPIDocument(title: String, version: String) -> String {
        let document = OpenAPIDocument(
            title: title,
            version: version,
            publicURL: publicURL,
            operations: operations.filter(\.isListed)
        )
        return document.json.text + "\n"
    }

    /// The OpenAPI document.
    func documentRoute(title: String, version: String) -> LoginRoute {
        let response = ServerResponse(
            status: .ok,
            headers: [.contentType: "application/json", .xContentTypeOptions: "nosniff"],
            body: ServerResponse.Body(openAPIDocument(title: title, version: version).utf8, isReused: true)
        )
        return LoginRoute(
            "/openapi.json",
            [(.get, { request, _ throws(CancellationError) in try await serve(request) { _ in response } })],
            storeUse: .never,
            of: self
        )
    }

    /// The explanations of the codes of problems.
    var explanationRoute: LoginRoute {
        let explained = ProblemCode.all + (api.resources.isEmpty ? [] : ProblemCode.ofAccessTokens)
        return LoginRoute(
            "/problems/{code}",
            [
                (
                    .get,
                    { request, parameters throws(CancellationError) in
                        try await serve(request) { _ in
                            let name = parameters["code"] ?? ""
                            guard let code = explained.first(where: { $0.rawValue.utf8.elementsEqual(name.utf8) })
                            else { throw Problem(.notFound) }
                            let text = "\(code.rawValue) (status \(code.status.code))\n\n\(code.explanation)\n"
                            return ServerResponse(
                                status: .ok,
                                headers: [
                                    .contentType: "text/plain; charset=utf-8", .xContentTypeOptions: "nosniff",
                                ],
                                body: ServerResponse.Body(text.utf8)
                            )
                        }
                    }
                )
            ],
            storeUse: .never,
            of: self
        )
    }
}
#endif

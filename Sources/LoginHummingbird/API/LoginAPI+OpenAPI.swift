// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
public import Hummingbird
internal import NIOCore

extension LoginAPI {
    /// Returns the OpenAPI 3.1 document of the API as JSON.
    ///
    /// It describes operations with phones only if the accounts have a sender of codes, and sign-in by phone only if
    /// that is allowed.
    ///
    /// - Parameters:
    ///   - title: The title of the service.
    ///   - version: The version of the service.
    ///   - publicURL: The public URL of the service; nil for the URL from which the document is fetched.
    /// - Returns: The document.
    public func openAPIDocument(title: String, version: String, publicURL: String? = nil) -> String {
        let document = OpenAPIDocument(
            title: title,
            version: version,
            publicURL: publicURL,
            operations: operations.filter(\.isListed)
        )
        return document.json.text + "\n"
    }

    /// Serves the OpenAPI document at `/openapi.json`, and the explanation of each code at `/problems/{code}`.
    ///
    /// - Parameters:
    ///   - router: The router.
    ///   - title: The title of the service.
    ///   - version: The version of the service.
    public func addDocumentation(to router: some RouterMethods<Context>, title: String, version: String) {
        let document = ByteBuffer(string: openAPIDocument(title: title, version: version, publicURL: options.publicURL))
        router.serve(.get, at: "/openapi.json") { _, _ in
            Response(
                status: .ok,
                headers: [.contentType: "application/json", .xContentTypeOptions: "nosniff"],
                body: ResponseBody(byteBuffer: document)
            )
        }
        router.refuseOtherMethods(at: "/openapi.json", than: [.get])
        let explained = ProblemCode.all + (options.configuredAPIs.isEmpty ? [] : ProblemCode.ofAccessTokens)
        router.serve(.get, at: "/problems/{code}") { _, context in
            let name = context.parameters.get("code") ?? ""
            guard let code = explained.first(where: { $0.rawValue.utf8.elementsEqual(name.utf8) }) else {
                throw Problem(.notFound)
            }
            let text = "\(code.rawValue) (status \(code.status.code))\n\n\(code.explanation)\n"
            return Response(
                status: .ok,
                headers: [.contentType: "text/plain; charset=utf-8", .xContentTypeOptions: "nosniff"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: text))
            )
        }
        router.refuseOtherMethods(at: "/problems/{code}", than: [.get])
    }
}
#endif

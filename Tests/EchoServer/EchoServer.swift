// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// Answers each POST with its body and each GET with a constant, and does nothing else: the cost of a bare request.
///
///     EchoServer PORT
@main
struct EchoServer {
    static func main() async throws {
        guard let port = CommandLine.arguments.dropFirst().first.flatMap({ Int($0) }) else {
            preconditionFailure("usage: EchoServer PORT")
        }
        let router = Router()
        router.post("/v1/verify") { request, context in
            let body = try await request.body.collect(upTo: context.maxUploadSize)
            return Response(
                status: .ok,
                headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: body)
            )
        }
        let alive = ByteBuffer(string: #"{"status":"alive"}"#)
        router.get("/healthz") { _, _ in
            Response(
                status: .ok,
                headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: alive)
            )
        }
        var logger = Logger(label: "EchoServer")
        logger.logLevel = .warning
        let server = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            logger: logger
        )
        try await server.runService()
    }
}
#else
/// Requires the trait Hummingbird.
@main
struct EchoServer {
    static func main() { preconditionFailure("built without the trait Hummingbird") }
}
#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import HTTPTypes
internal import LoginAccounts

extension LoginOperations {
    /// The health checks.
    var health: [Operation] { [alive, ready] }

    private static func status(_ words: [String]) -> Schema {
        .object([.required("status", .choice(words), "The status.")])
    }

    private var alive: Operation {
        let response = jsonResponse(["status": "alive"], isReused: true)
        return Operation(
            name: "health",
            method: .get,
            path: "/healthz",
            summary: "Liveness. Restart the process if this fails.",
            tag: "Health",
            answer: .init(summary: "The process is alive.", schema: Self.status(["alive"]))
        ) { _ in response }
    }

    private var ready: Operation {
        Operation(
            name: "readiness",
            method: .get,
            path: "/readyz",
            summary:
                "Readiness: the providers' keys are loaded and the store responds. Send the server no requests if this fails.",
            tag: "Health",
            answer: .init(summary: "The service is ready.", schema: Self.status(["ready"])),
            problems: [.notReady]
        ) { _ in
            var missing: [String] = []
            for check in options.readiness where await !check.isReady() { missing.append(check.name) }
            guard missing.isEmpty else {
                throw Problem(
                    .notReady,
                    "Not ready: \(missing.joined(separator: ", ")).",
                    headers: [.retryAfter: "1"]
                )
            }
            return jsonResponse(["status": "ready"])
        }
    }
}
#endif

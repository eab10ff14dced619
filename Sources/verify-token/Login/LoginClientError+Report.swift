// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && HTTPClient
internal import ArgumentParser
internal import LoginClient
internal import LoginServer
internal import LoginTokens

/// The message and the exit status of `verify-token login` for an error of the service.
extension LoginClientError {
    /// The reason why there was no response; nil if there was one.
    private var failure: TransportFailure? { underlying as? TransportFailure }

    /// The code, the title and the ID of the request; or the reason if there was no response.
    var report: String {
        var text = "the service: \(self)"
        if let title { text += ": \(printable(title))" }
        if let requestID { text += ", request \(printable(requestID))" }
        if let failure { text += ": \(failure)" }
        if let retryAfter { text += "; try again in \(retryAfter) s" }
        if failure?.code == .address { text += "; --allow-network allows a private network" }
        return text
    }

    /// The exit status: 2 if a repetition may succeed.
    var exitStatus: ExitCode {
        if failure?.code == .address { return .validationFailure }
        let isUndecided = [.serviceUnreachable, .invalidResponse].contains(code) || (status != nil && !isFinal)
        return isUndecided ? .undecided : .refused
    }
}
#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginAccounts
internal import Logging

/// The logger of the request that the current task serves, for lines of code that knows no requests.
enum RequestLogger {
    /// The logger, which has the ID of the request; nil outside of requests.
    @TaskLocal static var current: Logger?
}

extension Auth {
    /// Returns the accounts with a log line for each claim that they cannot use, unless the application observes them.
    ///
    /// - Parameter logger: The logger for sign-ins outside of requests to the service.
    /// - Returns: The accounts.
    func loggingUnusableClaims(to logger: Logger) -> Self {
        guard onUnusableClaim == nil else { return self }
        var auth = self
        auth.onUnusableClaim = { claim in
            let metadata: Logger.Metadata = [
                "provider": "\(claim.provider)", "claim": "\(claim.claim)", "claim.reason": "\(claim.reason)",
            ]
            (RequestLogger.current ?? logger).notice("claim not used", metadata: metadata)
        }
        return auth
    }
}
#endif

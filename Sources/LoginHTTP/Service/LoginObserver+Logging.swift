// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
public import LoginProviders
public import Logging

extension LoginObserver {
    /// Returns an observer that logs when logins begin, succeed or are cancelled, and when a provider's metadata becomes
    /// unavailable and is available again.
    ///
    /// Failures are not logged: `LoginManager.finish` returns them, and the pages log them with the ID of the request.
    /// `docs/reference/observability.md` lists the lines.
    ///
    /// - Parameter logger: The logger. In requests to a `LoginService`, lines about logins have the ID of the request.
    /// - Returns: The observer.
    public static func logging(_ logger: Logger) -> LoginObserver {
        LoginObserver { event in
            var metadata: Logger.Metadata = ["provider": "\(event.provider)"]
            let ofRequest = RequestLogger.current ?? logger
            switch event.kind {
            case .begun: ofRequest.debug("login begun", metadata: metadata)
            case .succeeded: ofRequest.debug("login succeeded", metadata: metadata)
            case .cancelled: ofRequest.debug("login cancelled", metadata: metadata)
            case .metadataUnavailable:
                if let detail = event.detail { metadata["provider.reason"] = "\(detail)" }
                guard let age = event.age else {
                    logger.warning("provider metadata unavailable", metadata: metadata)
                    return
                }
                metadata["provider.metadata_age_seconds"] = "\(age.components.seconds)"
                logger.warning("provider metadata not renewed; the earlier one stays in use", metadata: metadata)
            case .metadataAvailable: logger.notice("provider metadata available again", metadata: metadata)
            default: break
            }
        }
    }
}
#endif

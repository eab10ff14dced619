// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if CommandLine && HTTPClient
internal import Foundation
internal import LimitedLogin

extension IssuerDiagnosis {
    /// Returns the finding about the version of the Graph API that this release uses by default.
    ///
    /// - Parameter date: The time.
    /// - Returns: The finding.
    static func graphVersionFinding(at date: Date) -> Finding {
        let version = FacebookApp.defaultGraphVersion
        let status = GraphVersionStatus(of: version, at: date)
        return Finding(
            .graphVersion,
            status.isWarning ? .warning : .ok,
            "the default version of the Graph API, \(version), is \(status)",
            advice: status.isWarning ? "install a later release, or set provider.facebook.graph-version" : nil
        )
    }
}
#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// What a person who has signed in before is asked again.
public enum LoginAuthType: String, Sendable, Hashable, Codable, CaseIterable {
    /// The permissions that they declined before.
    ///
    /// Without it Facebook's dialog passes over them in silence.
    case rerequest
    /// To go on sharing data with the app, where the time for which they had agreed is over.
    case reauthorize
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import LoginAccounts

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The parameters of a TOTP factor for an authenticator app.
struct TOTPAnswer: Encodable, Sendable {
    private let uid, secret, uri: String
    private let expiresAt: Date

    init(_ begun: TOTPEnrollment) {
        uid = begun.uid
        secret = begun.secret
        uri = begun.uri
        expiresAt = begun.expiresAt
    }
}

/// A second factor that has just been enrolled.
struct EnrolledAnswer: Encodable, Sendable {
    let factor: FactorAnswer
    let session: SessionAnswer
    let tokens: TokensAnswer?
}
#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
internal import HTTPTypes
public import Hummingbird
public import LoginTokens

/// A request context with the access token of the request.
///
/// ``BasicAccessTokenRequestContext`` conforms to it. Conform your own context if it has further properties.
public protocol AccessTokenRequestContext: IdentityRequestContext where Identity == VerifiedAccessToken {
    /// The access token and the peer of the request.
    var access: RequestAccess { get set }
}

extension AccessTokenRequestContext {
    /// The access token of the request; nil if the route does not need one.
    ///
    /// Setting it does not satisfy ``RequireAccessToken``, which accepts only tokens that it has verified.
    public var identity: VerifiedAccessToken? {
        get { access.token }
        set {
            access.token = newValue
            access.resource = nil
        }
    }

    /// The access token of the request.
    ///
    /// Throws ``Problem`` with the code `missing-token`, status 401, if no ``RequireAccessToken`` precedes the handler.
    public var token: VerifiedAccessToken {
        get throws {
            guard let token = access.token else {
                throw Problem(.missingToken, headers: [.wwwAuthenticate: Challenge(nil).text])
            }
            return token
        }
    }
}

/// The access token and the peer of a request.
public struct RequestAccess: Sendable {
    /// The access token; nil if the route does not need one.
    public internal(set) var token: VerifiedAccessToken?

    /// The identity of the resource that has verified the token and the possession of its key.
    var resource: ProtectedResource.Identity?

    /// The proofs of the request that ledgers have recorded, so that a further resource does not take them for replays.
    var recordedProofs: [RecordedProof] = []

    /// The remote address of the connection; nil for a Unix socket.
    let peer: String?

    /// Creates the data of a new request.
    ///
    /// - Parameter source: The source of the request.
    public init(source: ApplicationRequestContextSource) {
        self.init(peer: source.peer)
    }

    /// Creates the data of a new request.
    ///
    /// - Parameter peer: The remote address of the connection; nil for a Unix socket.
    init(peer: String?) {
        self.peer = peer
    }
}

/// A request context with an access token, and without further properties.
public struct BasicAccessTokenRequestContext: AccessTokenRequestContext {
    /// The storage of Hummingbird.
    public var coreContext: CoreRequestContextStorage

    /// The access token and the peer of the request.
    public var access: RequestAccess

    /// Creates the context of a new request.
    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        access = RequestAccess(source: source)
    }
}
#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
package import Hummingbird
internal import Synchronization

/// The pages of a service, as far as its other routes redirect to them.
///
/// All copies of a ``LoginService`` and its middleware share them, so pages can be added before or after other routes.
package final class AddedPages: Sendable {
    /// A function that redirects to the page of a step, from which the user returns to a path.
    ///
    /// The path is the target of the request. The function checks it.
    package typealias Redirect = @Sendable (_ step: LoginStep, _ returnPath: String) -> Response

    private let stored = Mutex<Redirect?>(nil)

    init() {}

    /// The redirect to the pages; nil if none were added.
    package var redirect: Redirect? {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }
}

/// A step of a user after which a rejected request succeeds.
package enum LoginStep: Sendable {
    /// A sign-in.
    case signIn
    /// A new authentication of the signed-in user.
    case reauthenticate
    /// A second factor of the signed-in user.
    case stepUp
}
#endif

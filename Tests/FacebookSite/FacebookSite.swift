// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
import Foundation
import Hummingbird
import LimitedLogin
import LimitedLoginTesting
import LoginAccounts
import LoginHTTP
import LoginHummingbird
import LoginKeys
import LoginPages
import LoginProviders
import LoginTestServers
import LoginTesting
import LoginTokens

/// A site whose only provider is a stand-in for Facebook, for tests in a browser.
///
///     FacebookSite PORT limited|enabled
///
/// The stand-in shows no dialog: it redirects the browser at once, as its user decides. `GET /stand-in/USER` changes the
/// user's decision, and returns the permissions that are granted: `willing`, `declining` (the e-mail address), or
/// `cancelling`.
@main
struct FacebookSite {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let port = arguments.first.flatMap({ Int($0) }),
            let tracking = arguments.last.flatMap(LoginTracking.init(rawValue:))
        else { preconditionFailure("usage: FacebookSite PORT limited|enabled") }
        // The clock stands still: tokens last an hour, and a test minutes.
        try await FacebookStandIn.run(clock: ManualClock(Date())) { facebook, _ in
            let login = try LoginService(
                publicURL: "http://localhost:\(port)",
                providers: [
                    .facebook(facebook.app(), permissions: [.email, .userFriends], tracking: tracking).with {
                        $0.provider = facebook.provider
                        $0.permissionReasons = [.email: "We send receipts to your e-mail address."]
                    }
                ],
                store: InMemoryAccountStore(),
                secrets: try AccountSecrets([Array("made for tests of the pages only".utf8)])
            )
            let router = Router(context: BasicLoginRequestContext.self)
            router.get("stand-in/:user") { _, context in
                let user = context.parameters.get("user")
                facebook.person.cancels = user == "cancelling"
                facebook.person.declines = user == "declining" ? ["email"] : []
                return user ?? ""
            }
            login.addPages(to: router)
            try await login.application(router: router, address: .hostname("127.0.0.1", port: port)).runService()
        }
    }
}
#else
/// Requires the trait Hummingbird.
@main
struct FacebookSite {
    static func main() { preconditionFailure("built without the trait Hummingbird") }
}
#endif

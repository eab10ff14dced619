// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

// The server of docs/guides/tweaks.md: settings with a page of their own, without accounts. The service test
// Tests/service/settings.py starts it and changes settings with a browser.

#if Hummingbird
import Foundation
import Hummingbird
import Logging
import Tweaks
import TweaksHummingbird

let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 8080

// snippet.server
let logger = Logger(label: "settings")
do {
    let password = try BasicPassword(contentsOf: "settings.password")
    Tweaks.shared.action("Site", "Texts", "Count the letters") { "\(greeting().count) letters" }
    _ = greeting()  // a tweak is on the page as soon as it is declared
    await Tweaks.shared.persist(
        in: FileTweaks(path: "settings.json"),
        onProblem: { $0.log(to: logger) },
        onChange: { $0.log(to: logger) }
    )

    let router = Router()
    router.get("greeting") { _, _ in greeting() }
    TweaksPage<BasicRequestContext>(.shared) { request, _ in try password.check(request) }
        .addRoutes(to: router, at: "/settings")
    let server = Application(
        router: router,
        configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
        services: [TweakPolling(.shared)]
    )
    try await server.runService()
} catch {
    logger.critical("the server ended", metadata: ["reason": "\(error)"])
    exit(1)
}

func greeting() -> String {
    let text = Tweak("Site", "Texts", "Greeting", default: "Hello").value
    return Tweak("Site", "Texts", "Loud", default: false).value ? text.uppercased() : text
}
// snippet.end
#endif

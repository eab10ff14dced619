// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
/// What people know a device by: its browser and its system.
///
/// Devices call themselves by a line of which most is history. What is not recognized is shown as it came.
struct Device: Sendable, Hashable {
    var browser: String
    var system: String

    /// The order matters: most browsers name others too.
    private static let browsers = [
        ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"), ("Firefox/", "Firefox"),
        ("FxiOS/", "Firefox"), ("CriOS/", "Chrome"), ("Chrome/", "Chrome"), ("Safari/", "Safari"),
    ]

    private static let systems = [
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"), ("CrOS", "ChromeOS"),
        ("Mac OS X", "macOS"), ("Linux", "Linux"),
    ]

    /// Reads the line; nil where browser or system is none of those above.
    init?(userAgent line: String) {
        guard let browser = Self.browsers.first(where: { line.contains($0.0) }),
            let system = Self.systems.first(where: { line.contains($0.0) })
        else { return nil }
        self.browser = browser.1
        self.system = system.1
    }
}
#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
/// A device as users recognize it: its browser and its system.
///
/// The names are found in the `User-Agent` header, which mostly contains historical tokens. An unknown header is shown
/// unchanged.
struct Device: Sendable, Hashable {
    var browser: String
    var system: String

    /// The tokens of browsers.
    ///
    /// The order matters, since most browsers name others too.
    private static let browsers = [
        ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"), ("Firefox/", "Firefox"),
        ("FxiOS/", "Firefox"), ("CriOS/", "Chrome"), ("Chrome/", "Chrome"), ("Safari/", "Safari"),
    ]

    private static let systems = [
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"), ("CrOS", "ChromeOS"),
        ("Mac OS X", "macOS"), ("Linux", "Linux"),
    ]

    /// Creates a device from a `User-Agent` header; nil if the browser or the system is unknown.
    init?(userAgent line: String) {
        guard let browser = Self.browsers.first(where: { line.contains($0.0) }),
            let system = Self.systems.first(where: { line.contains($0.0) })
        else { return nil }
        self.browser = browser.1
        self.system = system.1
    }
}
#endif

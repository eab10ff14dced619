// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

internal import LimitedLogin
internal import TestSupport
internal import Testing

/// The order of the dialogs in which a device asks the user to sign in.
@Suite struct LoginDialogTests {
    /// A device with every kind of dialog.
    static let whole = LoginDevice(hasFacebookApp: true, hasSystemAccount: true)

    func order(
        _ behavior: LoginBehavior,
        _ tracking: LoginTracking = .enabled,
        on device: LoginDevice = whole,
        appSwitch: AppSwitch = .enabled
    ) -> [LoginDialog] {
        LoginDialog.order(behavior: behavior, tracking: tracking, device: device, appSwitch: appSwitch)
    }

    @Test(.rule("F7.7a"))
    func `with a fallback to a web view that comes last`() {
        #expect(order(.withFallbackToWebView) == [.nativeApp, .appWebPage, .browser, .webView])
        let bare = LoginDevice(hasFacebookApp: false, hasBrowser: false)
        #expect(order(.withFallbackToWebView, on: bare) == [.webView])
    }

    @Test(.rule("F7.7b"))
    func `without the fallback the browser comes last`() {
        #expect(order(.withNoFallbackToWebView) == [.nativeApp, .appWebPage, .browser])
        let bare = LoginDevice(hasFacebookApp: false, hasBrowser: false)
        #expect(order(.withNoFallbackToWebView, on: bare).isEmpty)
    }

    @Test(.rule("F7.7c"))
    func `forcing a web view leaves nothing else`() {
        #expect(order(.forcingWebView) == [.webView])
        #expect(order(.forcingWebView, on: LoginDevice(hasFacebookApp: true, hasWebView: false)).isEmpty)
    }

    @Test(.rule("F7.7d"))
    func `the system's account comes first where it is preferred, and no web view comes after`() {
        #expect(order(.useSystemAccountIfPresent) == [.systemAccount, .nativeApp, .appWebPage, .browser])
        let without = LoginDevice(hasFacebookApp: true)
        #expect(order(.useSystemAccountIfPresent, on: without) == [.nativeApp, .appWebPage, .browser])
    }

    @Test(.rule("F7.7e"))
    func `forcing the browser leaves nothing else`() {
        #expect(order(.forcingBrowser) == [.browser])
        #expect(order(.forcingBrowser, on: LoginDevice(hasFacebookApp: true, hasBrowser: false)).isEmpty)
    }

    @Test(.rule("F7.25"))
    func `in Facebook's app its own dialog comes first, and where that is missing a web page`() {
        let old = LoginDevice(hasFacebookApp: true, hasNativeDialog: false)
        #expect(order(.withNoFallbackToWebView, on: old) == [.appWebPage, .browser])
        let none = LoginDevice(hasFacebookApp: false, hasNativeDialog: true)
        #expect(order(.withNoFallbackToWebView, on: none) == [.browser])
    }

    @Test(.rule("F7.25"), arguments: LoginBehavior.allCases, LoginTracking.allCases)
    func `where a phone has nothing the login fails`(behavior: LoginBehavior, tracking: LoginTracking) {
        let nothing = LoginDevice(hasFacebookApp: false, hasBrowser: false, hasWebView: false)
        #expect(order(behavior, tracking, on: nothing).isEmpty)
    }

    @Test(.rule("F7.26"))
    func `there are five dialogs`() {
        #expect(LoginDialog.allCases == [.systemAccount, .nativeApp, .appWebPage, .browser, .webView])
        #expect(Set(LoginBehavior.allCases.flatMap { order($0) }) == Set(LoginDialog.allCases))
    }

    @Test(.rule("F4.17"), arguments: LoginBehavior.allCases)
    func `without the switch to Facebook's app its dialogs are left out, and no other`(behavior: LoginBehavior) {
        let expected = order(behavior).filter { $0 != .nativeApp && $0 != .appWebPage }
        #expect(order(behavior, appSwitch: .disabled) == expected)
    }

    @Test(
        .rule("F4.17"),
        arguments: [
            (LoginBehavior.withFallbackToWebView, true), (.withNoFallbackToWebView, true), (.forcingWebView, false),
            (.useSystemAccountIfPresent, true), (.forcingBrowser, true),
        ]
    )
    func `Limited Login has the browser alone`(behavior: LoginBehavior, hasBrowser: Bool) {
        #expect(order(behavior, .limited) == (hasBrowser ? [.browser] : []))
    }

    @Test(.rule("F4.17"))
    func `an SDK that switches in Limited Login too opens Facebook's own dialog first`() {
        var device = Self.whole
        device.switchesInLimitedLogin = true
        #expect(order(.withFallbackToWebView, .limited, on: device) == [.nativeApp, .browser])
        #expect(order(.withFallbackToWebView, .limited, on: device, appSwitch: .disabled) == [.browser])
        device.hasFacebookApp = false
        #expect(order(.withFallbackToWebView, .limited, on: device) == [.browser])
        #expect(order(.forcingWebView, .limited, on: device).isEmpty)
    }
}

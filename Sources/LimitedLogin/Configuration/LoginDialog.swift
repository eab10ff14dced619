// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// Where a person on a phone may be asked to sign in.
///
/// A server opens none of them. It can tell, for support and for tests of what an app asks for, which ones a phone
/// would try.
public enum LoginDialog: String, Sendable, Hashable, Codable, CaseIterable {
    /// The Facebook account in the settings of the system, as iOS 6 to 10 had it.
    case systemAccount
    /// Facebook's app, with a dialog of its own.
    case nativeApp
    /// Facebook's app, with a web page in it.
    case appWebPage
    /// The browser, or a view of it that shares its cookies.
    case browser
    /// A web view inside your app.
    case webView

    /// The dialogs that a phone would try, in this order.
    ///
    /// The next is tried where one cannot be opened. Limited Login has the browser alone: neither the system's account
    /// nor a web view gives an ID token, and the documents know no switch to Facebook's app; where the phone's SDK
    /// knows one all the same, ``LoginDevice/switchesInLimitedLogin`` says so.
    ///
    /// - Parameters:
    ///   - behavior: What the app prefers.
    ///   - tracking: Whether Facebook may use the login for advertising.
    ///   - device: What the phone has.
    ///   - appSwitch: Whether the login may go by way of Facebook's app.
    /// - Returns: The dialogs, the first to try first. Where there is none the login fails.
    public static func order(
        behavior: LoginBehavior,
        tracking: LoginTracking,
        device: LoginDevice,
        appSwitch: AppSwitch = .enabled
    ) -> [LoginDialog] {
        behavior.dialogs.filter { dialog in
            device.opens(dialog)
                && (appSwitch == .enabled || !dialog.isInFacebookApp)
                && (tracking == .enabled || dialog.isForLimitedLogin(on: device))
        }
    }

    private var isInFacebookApp: Bool { self == .nativeApp || self == .appWebPage }

    private func isForLimitedLogin(on device: LoginDevice) -> Bool {
        switch self {
        case .browser: true
        case .nativeApp: device.switchesInLimitedLogin
        case .systemAccount, .appWebPage, .webView: false
        }
    }
}

/// Which dialogs an app prefers.
///
/// The third version of Facebook's SDK asked apps for it; later ones go by way of Facebook's app and the browser.
public enum LoginBehavior: String, Sendable, Hashable, Codable, CaseIterable {
    /// Facebook's app, then the browser, then a web view.
    case withFallbackToWebView
    /// Facebook's app, then the browser.
    case withNoFallbackToWebView
    /// A web view, and nothing else.
    case forcingWebView
    /// The system's account, then Facebook's app, then the browser.
    case useSystemAccountIfPresent
    /// The browser, and nothing else.
    case forcingBrowser

    /// In Facebook's app its own dialog comes before the web page.
    fileprivate var dialogs: [LoginDialog] {
        switch self {
        case .withFallbackToWebView: [.nativeApp, .appWebPage, .browser, .webView]
        case .withNoFallbackToWebView: [.nativeApp, .appWebPage, .browser]
        case .forcingWebView: [.webView]
        case .useSystemAccountIfPresent: [.systemAccount, .nativeApp, .appWebPage, .browser]
        case .forcingBrowser: [.browser]
        }
    }
}

/// What a phone has to sign in with.
public struct LoginDevice: Sendable, Hashable {
    /// Whether Facebook's app is installed.
    public var hasFacebookApp: Bool
    /// Whether Facebook's app, being installed, has a dialog of its own that your app may open.
    public var hasNativeDialog: Bool
    /// Whether the system has a Facebook account that your app may ask.
    public var hasSystemAccount: Bool
    /// Whether a browser can be opened.
    public var hasBrowser: Bool
    /// Whether your app can show a web view.
    public var hasWebView: Bool
    /// Whether the phone's SDK opens Facebook's app in Limited Login too.
    ///
    /// Since version 18 the one for iOS can, where Facebook has switched it on from afar; no document says so.
    public var switchesInLimitedLogin: Bool

    /// A phone.
    ///
    /// - Parameters:
    ///   - hasFacebookApp: Whether Facebook's app is installed.
    ///   - hasNativeDialog: Whether Facebook's app has a dialog of its own that your app may open.
    ///   - hasSystemAccount: Whether the system has a Facebook account that your app may ask.
    ///   - hasBrowser: Whether a browser can be opened.
    ///   - hasWebView: Whether your app can show a web view.
    ///   - switchesInLimitedLogin: Whether the phone's SDK opens Facebook's app in Limited Login too.
    public init(
        hasFacebookApp: Bool,
        hasNativeDialog: Bool = true,
        hasSystemAccount: Bool = false,
        hasBrowser: Bool = true,
        hasWebView: Bool = true,
        switchesInLimitedLogin: Bool = false
    ) {
        self.hasFacebookApp = hasFacebookApp
        self.hasNativeDialog = hasNativeDialog
        self.hasSystemAccount = hasSystemAccount
        self.hasBrowser = hasBrowser
        self.hasWebView = hasWebView
        self.switchesInLimitedLogin = switchesInLimitedLogin
    }

    fileprivate func opens(_ dialog: LoginDialog) -> Bool {
        switch dialog {
        case .systemAccount: hasSystemAccount
        case .nativeApp: hasFacebookApp && hasNativeDialog
        case .appWebPage: hasFacebookApp
        case .browser: hasBrowser
        case .webView: hasWebView
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

/// A dialog in which a user can log in on a phone.
///
/// A server opens none of them. It can compute which ones a phone would try, for support and for tests.
public enum LoginDialog: String, Sendable, Hashable, Codable, CaseIterable {
    /// The Facebook account in the system settings of iOS 6 to 10.
    case systemAccount
    /// Facebook's app, with its native dialog.
    case nativeApp
    /// Facebook's app, with a web page.
    case appWebPage
    /// The browser, or a view of it that shares its cookies.
    case browser
    /// A web view inside your app.
    case webView

    /// Returns the dialogs that a phone would try, in this order.
    ///
    /// The next one is tried if one cannot be opened. Limited Login uses the browser only: neither the system's account
    /// nor a web view issues an ID token, and the documentation has no switch to Facebook's app. A phone's SDK may have
    /// one nevertheless (``LoginDevice/switchesInLimitedLogin``).
    ///
    /// - Parameters:
    ///   - behavior: The app's preference.
    ///   - tracking: Whether Facebook may use the login for advertising.
    ///   - device: The capabilities of the phone.
    ///   - appSwitch: Whether the login may switch to Facebook's app.
    /// - Returns: The dialogs, first choice first. If it is empty, the login fails.
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

/// The dialogs that an app prefers.
///
/// Version 3 of Facebook's SDK asked apps for it. Later versions use Facebook's app and the browser.
public enum LoginBehavior: String, Sendable, Hashable, Codable, CaseIterable {
    /// Facebook's app, then the browser, then a web view.
    case withFallbackToWebView
    /// Facebook's app, then the browser.
    case withNoFallbackToWebView
    /// A web view only.
    case forcingWebView
    /// The system's account, then Facebook's app, then the browser.
    case useSystemAccountIfPresent
    /// The browser only.
    case forcingBrowser

    /// The preferred dialogs, in order.
    ///
    /// In Facebook's app, the native dialog comes before the web page.
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

/// The capabilities of a phone.
public struct LoginDevice: Sendable, Hashable {
    /// Whether Facebook's app is installed.
    public var hasFacebookApp: Bool
    /// Whether Facebook's app, if installed, has a native dialog that your app may open.
    public var hasNativeDialog: Bool
    /// Whether the system has a Facebook account that your app may use.
    public var hasSystemAccount: Bool
    /// Whether a browser can be opened.
    public var hasBrowser: Bool
    /// Whether your app can show a web view.
    public var hasWebView: Bool
    /// Whether the phone's SDK opens Facebook's app in Limited Login too.
    ///
    /// The SDK for iOS can since version 18, if Facebook has enabled it remotely. It is undocumented.
    public var switchesInLimitedLogin: Bool

    /// Creates the capabilities of a phone.
    ///
    /// - Parameters:
    ///   - hasFacebookApp: Whether Facebook's app is installed.
    ///   - hasNativeDialog: Whether Facebook's app has a native dialog that your app may open.
    ///   - hasSystemAccount: Whether the system has a Facebook account that your app may use.
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

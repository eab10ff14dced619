// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginAccounts
internal import LoginTokens

/// The actions of the pages, independent of HTTP: each returns a reply to a request.
///
/// A GET request changes nothing. A POST request makes a change and redirects, or shows its form again with the
/// problems.
struct PageActions: Sendable {
    let signIn: SignInActions
    let providers: ProviderLoginActions
    let secondFactor: SecondFactorActions
    let phones: PhoneActions
    let passwords: PasswordActions
    let emails: EmailActions
    let account: AccountActions
    let linking: LinkActions
    let conflicts: ConflictActions
    let merging: MergeActions
    let sessions: SessionActions
    let permissions: PermissionActions
    let reauthentication: ReauthenticationActions
    let enrollment: EnrollmentActions
    let problems: ProblemReplies

    /// Creates the actions.
    ///
    /// - Parameters:
    ///   - auth: The accounts.
    ///   - text: The texts of the pages.
    ///   - languages: The languages that pages offer.
    ///   - support: The address for users who need help; nil if there is none.
    ///   - allowsGuests: Whether visitors can continue without a login.
    ///   - logos: The logos.
    ///   - clock: The clock for the remaining time of a sign-in.
    init(
        auth: Auth,
        text: PageText = .english,
        languages: [PageLanguages.Choice] = [],
        support: SupportLink? = nil,
        allowsGuests: Bool = false,
        logos: PageLogos = PageLogos(),
        clock: any WallClock = .system
    ) {
        let text = SharedText(text)
        let frames = PageFrames(text: text, logo: logos.service?.path, support: support, languages: languages)
        let choices = ProviderChoices(providers: auth.providers, text: text, logos: logos.providers)
        let forms = FormChecks(text: text)
        let steps = SecondFactorSteps(text: text)
        problems = ProblemReplies(frames: frames)
        signIn = SignInActions(
            auth: auth,
            frames: frames,
            choices: choices,
            forms: forms,
            allowsGuests: allowsGuests
        )
        providers = ProviderLoginActions(problems: problems)
        secondFactor = SecondFactorActions(
            auth: auth,
            frames: frames,
            forms: forms,
            steps: steps,
            problems: problems,
            clock: clock
        )
        phones = PhoneActions(auth: auth, frames: frames, forms: forms)
        passwords = PasswordActions(auth: auth, frames: frames, forms: forms)
        emails = EmailActions(frames: frames)
        account = AccountActions(auth: auth, frames: frames, choices: choices, forms: forms)
        linking = LinkActions(frames: frames, choices: choices)
        conflicts = ConflictActions(auth: auth, frames: frames, choices: choices)
        merging = MergeActions(auth: auth, frames: frames, choices: choices, problems: problems)
        sessions = SessionActions(frames: frames)
        permissions = PermissionActions(providers: auth.providers, frames: frames, choices: choices)
        reauthentication = ReauthenticationActions(frames: frames, choices: choices, forms: forms, steps: steps)
        enrollment = EnrollmentActions(auth: auth, frames: frames, forms: forms)
    }
}
#endif

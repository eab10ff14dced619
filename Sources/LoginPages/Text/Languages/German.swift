// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
/// The texts in German.
extension PageText {
    /// The texts in German, which no native speaker has reviewed.
    public static let german = PageText(
        frame: .german,
        login: .german,
        fragment: .german,
        signUp: .german,
        account: .german,
        confirm: .german,
        conflict: .german,
        merge: .german,
        secondFactor: .german,
        phone: .german,
        enroll: .german,
        recovery: .german,
        sessions: .german,
        reauthenticate: .german,
        permissions: .german,
        deletion: .german,
        password: .german,
        signedOut: .german,
        problem: .german,
        notices: .german,
        time: germanTime
    )

    /// Returns the description of a permission, by the provider's name.
    static func germanPermission(_ name: String) -> String {
        switch name {
        case "openid": "Ihre Identität"
        case "public_profile": "Name und Bild"
        case "email": "E-Mail-Adresse"
        case "user_friends": "Freunde, die diesen Dienst auch verwenden"
        case "user_birthday": "Geburtstag"
        case "user_age_range": "Altersgruppe"
        case "user_gender": "Geschlecht"
        case "user_hometown": "Heimatort"
        case "user_location": "Wohnort"
        case "user_link": "Link zu Ihrem Profil"
        case "gaming_profile": "Ihr Name in Spielen"
        case "gaming_user_picture": "Ihr Bild in Spielen"
        case "user_messenger_contact": "Nachrichten über Messenger"
        default: name
        }
    }
}

extension PageText.Frame {
    static let german = Self(
        language: "de",
        direction: "ltr",
        languageName: "Deutsch",
        languages: "Sprache",
        service: "Anmeldung",
        skip: "Zum Inhalt springen",
        navigation: "Ihr Konto",
        account: "Konto",
        sessions: "Sitzungen",
        signOut: "Abmelden",
        signIn: "Anmelden",
        cancel: "Abbrechen",
        guest: "Gast",
        someone: "Person ohne Namen",
        problems: "Es gibt ein Problem",
        title: { "\($0) – \($1)" },
        titleWithProblem: { "Problem: \($0)" },
        signedInAs: { "Angemeldet als \($0)" }
    )
}

extension PageText.Login {
    static let german = Self(
        title: "Anmelden",
        with: { "Weiter mit \($0)" },
        withPhone: "Weiter mit Telefon",
        or: "oder",
        email: "E-Mail-Adresse",
        password: "Passwort",
        submit: "Anmelden",
        forgotten: "Passwort vergessen?",
        newHere: "Neu hier?",
        nothing: "Die Anmeldung ist im Moment nicht möglich.",
        emailMissing: "Geben Sie Ihre E-Mail-Adresse ein.",
        passwordMissing: "Geben Sie Ihr Passwort ein.",
        guest: "Als Gast fortfahren"
    )
}

extension PageText.Fragment {
    static let german = Self(
        title: "Die Anmeldung wird abgeschlossen",
        pending: "Ihre Anmeldung wird abgeschlossen. Dafür muss Ihr Browser Skripte dieser Website zulassen.",
        missing: "Der Anbieter hat keine Antwort gesendet. Es hat sich nichts geändert.",
        another: "Neu beginnen oder eine andere Anmeldung verwenden"
    )
}

extension PageText.SignUp {
    static let german = Self(
        title: "Konto erstellen",
        passwordHint: { "Mindestens \($0) Zeichen; mehrere Wörter sind gut." },
        submit: "Konto erstellen",
        haveAccount: "Ich habe schon ein Konto"
    )
}

extension PageText.Conflict {
    static let german = Self(
        title: "Sie haben schon ein Konto",
        address: {
            """
            Die Adresse \($1) dieser Anmeldung (\($0)) gehört zu einem Konto, bei dem Sie sich \
            anders anmelden.
            """
        },
        noAddress: { "Die Adresse dieser Anmeldung (\($0)) gehört zu einem Konto, bei dem Sie sich anders anmelden." },
        asBefore: {
            """
            Melden Sie sich wie bisher an. Dann wird \($0) mit Ihrem Konto verknüpft, und Sie \
            können beide verwenden.
            """
        },
        otherWays: "Die Anmeldung dieses Kontos ist im Moment nicht verfügbar.",
        dismiss: "Zurück, ohne zu verknüpfen",
        elsewhereTitle: "Diese Anmeldung gehört zu einem anderen Konto",
        elsewhere: {
            """
            Diese Anmeldung (\($0)) gehört nicht zu \($1), sondern zu einem anderen Konto. Sie können \
            die beiden Konten zusammenführen.
            """
        },
        join: "Vorschau der Zusammenführung",
        leave: "Konten getrennt lassen"
    )
}

extension PageText.Merge {
    static let german = Self(
        title: "Zwei Konten zusammenführen",
        intro: {
            """
            \($0) geht in \($1) auf, dem Konto, bei dem Sie angemeldet sind. Das lässt sich nicht \
            rückgängig machen.
            """
        },
        moves: "Anmeldungen, die übernommen werden",
        nothingMoves: "Es wird keine Anmeldung übernommen.",
        drops: "Anmeldungen, die entfernt werden",
        choose: "Beide Konten haben eine Anmeldung derselben Art. Welches Konto behält seine?",
        clash: { "Beide haben \($0)." },
        keepThis: { "\($0) (hier sind Sie angemeldet)" },
        keepOther: { "\($0) (das andere Konto)" },
        keepMissing: "Wählen Sie ein Konto.",
        factors: "Danach gelten die Bestätigungsmethoden beider Konten.",
        confirm: "Konten zusammenführen",
        obstacle: { "Das geht noch nicht. \($0)" }
    )
}

extension PageText.Sessions {
    static let german = Self(
        current: "Dieses Gerät",
        unknownDevice: "Unbekanntes Gerät",
        device: { "\($0) auf \($1)" },
        network: "Netzwerk",
        lastSeen: "Zuletzt verwendet",
        opened: "Angemeldet",
        confirmed: "In zwei Schritten bestätigt",
        close: { "\($0) abmelden" },
        closeOthers: "Überall sonst abmelden",
        noOthers: "Sie sind nirgends sonst angemeldet."
    )
}

extension PageText.Reauthenticate {
    static let german = Self(
        intro: """
            Ihre Anmeldung liegt eine Weile zurück. Bitte melden Sie sich noch einmal an, und \
            versuchen Sie es dann erneut.
            """,
        code: """
            Ihr Konto verwendet die Bestätigung in zwei Schritten. Bitte bestätigen Sie, und \
            versuchen Sie es dann erneut.
            """
    )
}

extension PageText.Permissions {
    static let german = Self(
        title: "Was Sie teilen",
        manage: "Ändern, was Sie teilen",
        intro: {
            """
            Für jede Änderung melden Sie sich noch einmal bei \($0) an. Sie können sie jederzeit \
            rückgängig machen.
            """
        },
        granted: "Geteilt",
        declined: "Nicht geteilt: Sie haben abgelehnt",
        expired: "Nicht mehr geteilt, weil es nicht verwendet wurde",
        unknown: "Unbekannt: Der Anbieter meldet es nicht",
        request: { "Teilen: \($0)" },
        requestAgain: { "Noch einmal fragen: \($0)" },
        revoke: { "Nicht mehr teilen: \($0)" },
        all: "Alles",
        allHint: {
            """
            Dieser Dienst wird aus Ihrem Konto bei \($0) entfernt. Sie können sich später wieder \
            damit anmelden.
            """
        },
        revokeAll: { "Nichts mehr von \($0) teilen" },
        back: "Zurück zu Ihrem Konto"
    )
}

extension PageText.Deletion {
    static let german = Self(
        title: "Konto löschen",
        warning: "Ihr Profil, Ihre Anmeldungen und Ihre Sitzungen werden gelöscht.",
        sure: "Ich verstehe, dass sich das nicht rückgängig machen lässt",
        sureMissing: "Setzen Sie das Häkchen, um Ihr Konto zu löschen."
    )
}

extension PageText.Password {
    static let german = Self(
        forgottenTitle: "Passwort zurücksetzen",
        forgottenIntro: "Geben Sie Ihre E-Mail-Adresse ein. Wir senden Ihnen einen Link.",
        send: "Link senden",
        sentTitle: "Prüfen Sie Ihren Posteingang",
        sent: """
            Wenn ein Konto diese Adresse verwendet, haben wir einen Link dorthin gesendet. Sehen Sie auch im \
            Spam-Ordner nach.
            """,
        again: "Noch einmal versuchen",
        newTitle: "Ihr neues Passwort",
        newPassword: "Neues Passwort",
        save: "Passwort speichern",
        everywhere: "Damit werden Sie auf allen Geräten abgemeldet.",
        verifyTitle: "E-Mail-Adresse bestätigen",
        verifyIntro: "Bestätigen Sie mit der Schaltfläche, dass Sie die Nachricht erhalten haben.",
        verify: "Adresse bestätigen",
        change: "Passwort ändern",
        add: "Passwort hinzufügen",
        elsewhere: "Damit werden Sie auf allen anderen Geräten abgemeldet.",
        otherAccount: "Haben Sie schon ein Konto mit Passwort?",
        existing: "Geben Sie dessen Adresse und Passwort ein, um die beiden Konten zusammenzuführen.",
        join: "Weiter"
    )
}

extension PageText.SignedOut {
    static let german = Self(
        title: "Sie sind abgemeldet",
        intro: "Beim Anbieter Ihrer Anmeldung sind Sie vielleicht noch angemeldet.",
        deletedTitle: "Ihr Konto ist gelöscht",
        deletedIntro: "Alle zugehörigen Daten wurden gelöscht."
    )
}

extension PageText.ProblemTexts {
    static let german = Self(
        title: "Das hat nicht funktioniert",
        notFoundTitle: "Seite nicht gefunden",
        code: "Code",
        requestID: "Anfrage",
        start: "Zur Startseite",
        signInAgain: "Neu anmelden",
        newLink: "Neuen Link anfordern",
        support: "Support kontaktieren",
        retryAfter: {
            $0 <= 60
                ? "Versuchen Sie es in einer Minute noch einmal."
                : "Versuchen Sie es in \(($0 + 59) / 60) Minuten noch einmal."
        },
        explanation: { PageText.germanExplanation(of: $0) },
        stale: "Die Seite war zu lange geöffnet. Senden Sie das Formular noch einmal.",
        noCookie:
            "Der Browser hat kein Cookie dieser Website gesendet. Erlauben Sie Cookies, und laden Sie die Seite neu.",
        repeatedCookie:
            "Der Browser hat ein Cookie dieser Website zweimal gesendet, deshalb wurde es nicht angenommen. Beide wurden gelöscht: Laden Sie die Seite neu, und melden Sie sich gegebenenfalls noch einmal an.",
        otherSite: "Das Formular stammt nicht von einer Seite dieser Website. Öffnen Sie die Seite hier.",
        providerFailed:
            "Die Anmeldung ist beim Anbieter abgebrochen worden oder fehlgeschlagen. Melden Sie sich noch einmal an.",
        misconfigured: "Wir können die Anmeldung zurzeit nicht abschließen. Das liegt nicht an Ihnen.",
        unknownLogin:
            "Dieser Browser kennt diese Anmeldung nicht. Sie hat vielleicht in einem anderen Browser oder in einer App begonnen, oder vor zu langer Zeit. Beginnen Sie hier eine neue.",
        finishedLogin:
            "Diese Anmeldung ist schon beendet und kann nicht noch einmal verwendet werden. Wenn Sie nicht angemeldet sind, beginnen Sie eine neue."
    )
}

extension PageText.Notices {
    static let german = Self(
        cancelled: "Die Anmeldung wurde abgebrochen. Es hat sich nichts geändert.",
        linked: "Die Anmeldemethode ist verknüpft.",
        unlinked: "Die Verknüpfung ist gelöst.",
        merged: "Die beiden Konten sind zusammengeführt.",
        factorAdded: "Die App ist hinzugefügt. Erstellen Sie jetzt Wiederherstellungscodes, falls Sie sie verlieren.",
        factorRemoved: "Die Bestätigungsmethode ist entfernt.",
        sessionClosed: "Dieses Gerät ist abgemeldet.",
        othersClosed: "Alle anderen Geräte sind abgemeldet.",
        messageSent: "Eine Nachricht an Ihre Adresse ist unterwegs.",
        emailVerified: "Ihre E-Mail-Adresse ist bestätigt.",
        passwordChanged: "Ihr Passwort ist geändert. Melden Sie sich damit an.",
        confirmed: "Danke. Bitte wiederholen Sie, was Sie tun wollten.",
        notRecent: """
            Diese Anmeldung lag zu lange zurück. Melden Sie sich beim Anbieter ab und versuchen Sie \
            es noch einmal, oder verwenden Sie eine andere.
            """,
        permissionGranted: "Danke. Es wird jetzt geteilt.",
        permissionDeclined: "Sie haben abgelehnt. Sonst hat sich nichts geändert.",
        permissionUnknown: "Ihre Antwort ist eingegangen. Der Anbieter meldet nicht, ob Sie dies teilen.",
        permissionRevoked: "Es wird nicht mehr geteilt.",
        loginRevoked:
            "Es wird nichts mehr geteilt. Diese Anmeldemethode funktioniert wieder, wenn Sie ihr erneut zustimmen.",
        notLinked: """
            Sie sind angemeldet. Die andere Anmeldemethode wurde nicht verknüpft; auf der Seite Ihres \
            Kontos können Sie das nachholen.
            """,
        passwordSaved: "Ihr Passwort ist gespeichert.",
        phoneAdded: "Das Telefon ist hinzugefügt. Erstellen Sie jetzt Wiederherstellungscodes, falls Sie es verlieren.",
        signedUp: "Ihr Konto ist erstellt. Öffnen Sie den Link in unserer E-Mail, um Ihre Adresse zu bestätigen."
    )
}
#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
extension PageText.AccountTexts {
    static let german = Self(
        title: "Ihr Konto",
        profile: "Profil",
        name: "Name",
        noName: "Nicht bekannt",
        email: "E-Mail-Adresse",
        verified: "bestätigt",
        notVerified: "nicht bestätigt",
        verify: "Nachricht zum Bestätigen der Adresse senden",
        createdAt: "Mitglied seit",
        guest: "Sie sind nur auf diesem Gerät zu Gast. Verknüpfen Sie eine Anmeldung, um das Konto zu behalten.",
        logins: "Ihre Anmeldungen",
        loginAs: { "\($0): \($1)" },
        linkedAt: "Verknüpft",
        lastUsed: "Zuletzt verwendet",
        shares: "Mit diesem Dienst geteilt",
        permission: { PageText.germanPermission($0) },
        passwordLogin: "E-Mail und Passwort",
        phoneLogin: "Telefonnummer",
        notConfigured: "Diese Anmeldung ist im Moment nicht verfügbar.",
        revoked: "Sie haben diese Anmeldung beim Anbieter widerrufen. Verknüpfen Sie sie neu, um sie zu verwenden.",
        withoutPassword: "Es ist noch kein Passwort festgelegt.",
        unlink: { "Verknüpfung mit \($0) lösen" },
        lastLogin: """
            Dies ist Ihre einzige funktionierende Anmeldung. Um ihre Verknüpfung zu lösen, verknüpfen \
            Sie zuerst eine andere.
            """,
        more: "Anmeldung hinzufügen",
        link: { "\($0) verknüpfen" },
        factors: "Zweiter Schritt",
        noFactors:
            "Noch keiner. Ein zweiter Schritt schützt Ihr Konto auch dann, wenn jemand anders Ihre Anmeldung kennt.",
        app: "Authentifizierungs-App",
        phone: { "Telefon mit der Endung \($0)" },
        removeFactor: { "\($0) entfernen" },
        codesLeft: { $0 == 1 ? "1 Wiederherstellungscode ist übrig." : "\($0) Wiederherstellungscodes sind übrig." },
        noCodes: """
            Sie haben keine Wiederherstellungscodes. Wenn Sie Ihr Telefon verlieren, können Sie sich \
            nicht anmelden.
            """,
        makeCodes: "Neue Wiederherstellungscodes erstellen",
        data: "Ihre Daten",
        download: "Meine Daten herunterladen",
        delete: "Mein Konto löschen"
    )
}
#endif

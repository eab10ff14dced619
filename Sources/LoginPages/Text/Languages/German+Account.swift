// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
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
        guest: "Sie sind Gast. Fügen Sie eine Anmeldemethode hinzu, um dieses Konto zu behalten.",
        save: "Dieses Konto sichern",
        logins: "Anmeldemethoden",
        loginAs: { "\($0): \($1)" },
        linkedAt: "Verknüpft",
        lastUsed: "Zuletzt verwendet",
        shares: "Mit diesem Dienst geteilt",
        permission: { PageText.germanPermission($0) },
        passwordLogin: "E-Mail und Passwort",
        phoneLogin: "Telefonnummer",
        notConfigured: "Diese Anmeldemethode ist im Moment nicht verfügbar.",
        revoked:
            "Sie haben diese Anmeldemethode beim Anbieter widerrufen. Verknüpfen Sie sie neu, um sie zu verwenden.",
        withoutPassword: "Es ist noch kein Passwort festgelegt.",
        unlink: { "Verknüpfung mit \($0) lösen" },
        lastLogin: "Dies ist Ihre einzige funktionierende Anmeldemethode. Fügen Sie zuerst eine andere hinzu.",
        more: "Anmeldemethode hinzufügen",
        link: { "\($0) verknüpfen" },
        addPhone: "Telefonnummer hinzufügen",
        factors: "Bestätigung in zwei Schritten",
        noFactors:
            "Aus. Beim Anmelden wird zusätzlich ein Code verlangt, damit ein gestohlenes Passwort nicht ausreicht.",
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

extension PageText.Confirmations {
    static let german = Self(
        signOutTitle: "Abmelden und dieses Konto verlieren?",
        signOut: """
            Gäste können sich nicht wieder anmelden. Um dieses Konto und seine Daten zu behalten, sichern Sie \
            es vor dem Abmelden.
            """,
        unlink: { "Sie können sich dann nicht mehr mit \($0) bei diesem Konto anmelden." },
        removeFactor: "Seine Codes gelten hier dann nicht mehr. Ihre anderen Methoden schützen Ihr Konto weiterhin.",
        removeLastFactor: """
            Damit wird die Bestätigung in zwei Schritten ausgeschaltet. Ihre Wiederherstellungscodes gelten \
            nicht mehr.
            """,
        makeCodes: "Ihre bisherigen Wiederherstellungscodes gelten dann nicht mehr."
    )
}
#endif

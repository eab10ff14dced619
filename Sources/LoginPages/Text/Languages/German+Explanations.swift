// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginHTTP

/// The explanations of error codes in German.
extension PageText {
    /// Returns the explanation of a code; in English for codes that only programs receive.
    static func germanExplanation(of code: ProblemCode) -> String {
        germanExplanations[code.rawValue] ?? code.explanation
    }

    private static let germanExplanations = [
        "credential-already-in-use":
            """
        Diese Anmeldung gehört zu einem anderen Konto. Melden Sie sich damit an, und führen \
        Sie dann die beiden Konten zusammen.
        """,
        "account-exists-with-different-credential":
            """
        Es gibt ein Konto mit dieser E-Mail-Adresse. Melden Sie sich dort an, und verknüpfen \
        Sie dann diese Anmeldung.
        """,
        "email-already-in-use": "Diese E-Mail-Adresse gehört zu einem anderen Konto.",
        "provider-already-linked":
            "Dieses Konto hat schon eine Anmeldung dieser Art. Lösen Sie zuerst deren Verknüpfung.",
        "no-such-provider": "Dieses Konto hat keine Anmeldung dieser Art.",
        "ambiguous-provider": "Dieses Konto hat mehrere Anmeldungen dieser Art. Wählen Sie eine.",
        "last-provider": "Dies ist die letzte Möglichkeit, sich anzumelden. Verknüpfen Sie zuerst eine andere.",
        "requires-recent-login": "Melden Sie sich dafür noch einmal an.",
        "user-mismatch": "Diese Anmeldung gehört zu einer anderen Person. Verwenden Sie Ihre eigene.",
        "user-disabled": "Dieses Konto ist gesperrt.",
        "user-not-found": "Dieses Konto gibt es nicht.",
        "operation-not-allowed": "Das ist hier nicht verfügbar.",
        "invalid-credential": "Das hat nicht funktioniert. Melden Sie sich noch einmal an.",
        "wrong-password": "Die E-Mail-Adresse oder das Passwort ist falsch.",
        "weak-password": "Dieses Passwort ist zu leicht zu erraten. Verwenden Sie ein längeres.",
        "invalid-email": "Das ist keine gültige E-Mail-Adresse.",
        "invalid-profile": "Das ist kein gültiger Name oder kein gültiges Bild.",
        "invalid-phone-number": "Das ist keine gültige Telefonnummer. Beginnen Sie mit + und der Landesvorwahl.",
        "missing-or-invalid-nonce": "Diese Anmeldung ist unbekannt oder hat zu lange gedauert. Beginnen Sie von vorn.",
        "second-factor-required": "Bestätigen Sie, dass Sie es sind.",
        "missing-multi-factor-session": "Beginnen Sie von vorn.",
        "invalid-multi-factor-session": "Das hat zu lange gedauert. Melden Sie sich noch einmal an.",
        "missing-multi-factor-info": "Wählen Sie eine Bestätigungsmethode.",
        "multi-factor-info-not-found": "Dieses Konto hat diese Bestätigungsmethode nicht.",
        "invalid-verification-code": "Der Code ist falsch.",
        "invalid-verification-id": "Dieser Code ist unbekannt. Fordern Sie einen neuen an.",
        "session-expired": "Dieser Code ist abgelaufen. Fordern Sie einen neuen an.",
        "quota-exceeded":
            "Im Moment können keine weiteren Nachrichten gesendet werden. Versuchen Sie es später noch einmal.",
        "too-many-requests": "Sie haben es zu oft versucht. Versuchen Sie es später noch einmal.",
        "second-factor-already-enrolled": "Dieses Konto hat diese Bestätigungsmethode schon.",
        "maximum-second-factor-count-exceeded":
            "Dieses Konto hat die Höchstzahl an Bestätigungsmethoden. Entfernen Sie zuerst eine.",
        "unsupported-first-factor": "Diese Anmeldung lässt sich nicht mit dieser Bestätigungsmethode verbinden.",
        "unverified-email": "Bestätigen Sie zuerst Ihre E-Mail-Adresse.",
        "invalid-user-token": "Sie sind abgemeldet. Melden Sie sich noch einmal an.",
        "user-token-expired": "Ihre Sitzung ist abgelaufen. Melden Sie sich noch einmal an.",
        "account-merged": "Dieses Konto wurde mit einem anderen zusammengeführt. Melden Sie sich noch einmal an.",
        "merge-conflict":
            "Beide Konten haben eine Anmeldung derselben Art. Lösen Sie zuerst die Verknüpfung der einen.",
        "conflict-retry": "Versuchen Sie es noch einmal.",
        "store-unavailable": "Der Dienst ist vorübergehend nicht verfügbar. Versuchen Sie es gleich noch einmal.",
        "provider-unavailable": "Der Anbieter antwortet nicht. Versuchen Sie es gleich noch einmal.",
        "internal-error": "Es ist ein interner Fehler aufgetreten.",
        "invalid-request": "Der Anfrage fehlt etwas, oder sie ist ungültig.",
        "missing-session": "Melden Sie sich zuerst an.",
        "cross-site-request":
            "Die Anfrage kommt von einer anderen Website oder einer veralteten Seite. Laden Sie die Seite neu.",
        "not-found": "Unter diesem Pfad gibt es nichts.",
        "method-not-allowed": "Dieser Pfad unterstützt die Methode nicht.",
        "request-too-large": "Die Anfrage ist zu groß.",
        "keys-unavailable": "Die Schlüssel des Anbieters sind nicht erreichbar. Versuchen Sie es später noch einmal.",
        "not-ready": "Der Dienst ist noch nicht bereit.",
        "speculative-request": "Diese Seite wird nicht vorab geladen. Öffnen Sie sie noch einmal.",
    ]
}
#endif

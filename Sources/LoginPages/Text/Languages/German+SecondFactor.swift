// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
extension PageText.SecondFactor {
    static let german = Self(
        title: "Bestätigen Sie, dass Sie es sind",
        choose: "Wie möchten Sie es bestätigen?",
        withApp: { "Mit einem Code aus \($0)" },
        withPhone: { "Code an das Telefon mit der Endung \($0) senden" },
        withRecovery: "Mit einem Wiederherstellungscode",
        appCode: "Code aus Ihrer App",
        appHint: "Ihre App zeigt alle 30 Sekunden einen neuen Code an.",
        phoneCode: "Code aus der Nachricht",
        phoneHint: { "Er wurde an das Telefon mit der Endung \($0) gesendet." },
        recoveryCode: "Wiederherstellungscode",
        recoveryHint: "Einer Ihrer zehn Wiederherstellungscodes. Jeder gilt nur einmal.",
        codeMissing: "Geben Sie den Code ein.",
        codeReplayed: "Dieser Code wurde schon verwendet. Warten Sie, bis die App den nächsten anzeigt.",
        submit: "Bestätigen",
        another: "Andere Methode verwenden",
        backToSignIn: "Zurück zur Anmeldung",
        attemptsLeft: { $0 == 1 ? "Sie haben noch 1 Versuch." : "Sie haben noch \($0) Versuche." },
        timeLeft: {
            $0 == 1
                ? "Geben Sie den Code innerhalb von 1 Minute ein."
                : "Geben Sie den Code innerhalb von \($0) Minuten ein."
        }
    )
}

extension PageText.Phone {
    static let german = Self(
        signInTitle: "Mit einer Telefonnummer anmelden",
        linkTitle: "Telefonnummer zum Anmelden hinzufügen",
        enrollTitle: "Telefon für Codes hinzufügen",
        enrollIntro: "Wir senden jetzt einen Code an das Telefon. Von da an werden Sie beim Anmelden danach gefragt.",
        number: "Telefonnummer",
        numberHint: "Mit + und der Landesvorwahl, zum Beispiel +49 30 123456.",
        numberMissing: "Geben Sie die Telefonnummer ein.",
        send: "Code senden",
        resend: "Neuen Code senden",
        another: "Andere Nummer verwenden",
        confirm: "Telefon hinzufügen",
        reauthenticate: { "Code an die Nummer mit der Endung \($0) senden" },
        withNamed: { "Code an \($0) mit der Endung \($1) senden" }
    )
}

extension PageText.Enroll {
    static let german = Self(
        title: "Authentifizierungs-App hinzufügen",
        intro: "Sie brauchen eine App für Einmalcodes. Von da an werden Sie beim Anmelden nach einem Code gefragt.",
        name: "Wie nennen Sie das Gerät?",
        nameHint: "Ein Name, um es später wiederzuerkennen. Freiwillig.",
        begin: "Weiter",
        scan: "Scannen Sie diesen QR-Code mit der App.",
        picture: "QR-Code mit dem Schlüssel für die App",
        cannotScan: "Sie können ihn nicht scannen?",
        type: "Geben Sie diesen Schlüssel in der App ein. Groß- und Kleinschreibung spielen keine Rolle.",
        key: "Schlüssel",
        open: "App auf diesem Gerät öffnen",
        once: "Der Schlüssel wird nur jetzt angezeigt.",
        thenCode: "Geben Sie den 6-stelligen Code ein, den die App anzeigt.",
        confirm: "App hinzufügen",
        notShown: """
            Der Schlüssel wird nicht noch einmal angezeigt. Wenn er nicht in der App ist, beginnen \
            Sie von vorn.
            """,
        again: "Mit einem neuen Schlüssel beginnen"
    )
}

extension PageText.Recovery {
    static let german = Self(
        title: "Ihre Wiederherstellungscodes",
        intro: "Wenn Sie Ihr Telefon verlieren, melden Sie sich mit einem dieser Codes an. Jeder gilt einmal.",
        replaced: "Ihre früheren Codes gelten nicht mehr.",
        once: "Speichern Sie diese Codes jetzt. Sie werden nicht noch einmal angezeigt.",
        done: "Ich habe sie gespeichert",
        later: "Jetzt nicht"
    )
}
#endif

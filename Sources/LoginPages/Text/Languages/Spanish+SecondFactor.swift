// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
extension PageText.SecondFactor {
    static let spanish = Self(
        title: "Confirme que es usted",
        choose: "¿Cómo quiere confirmarlo?",
        withApp: { "Con un código de \($0)" },
        withPhone: { "Enviar un código al teléfono terminado en \($0)" },
        withRecovery: "Con un código de recuperación",
        appCode: "Código de su aplicación",
        appHint: "La aplicación muestra un código nuevo cada 30 segundos.",
        phoneCode: "Código del mensaje",
        phoneHint: { "Se ha enviado al teléfono terminado en \($0)." },
        recoveryCode: "Código de recuperación",
        recoveryHint: "Uno de sus diez códigos de recuperación. Cada uno sirve una sola vez.",
        codeMissing: "Escriba el código.",
        codeReplayed: "Este código ya se ha usado. Espere a que la aplicación muestre el siguiente.",
        submit: "Confirmar",
        another: "Usar otro método",
        backToSignIn: "Volver al inicio de sesión",
        attemptsLeft: { $0 == 1 ? "Le queda 1 intento." : "Le quedan \($0) intentos." },
        timeLeft: {
            $0 == 1
                ? "Escriba el código en el plazo de 1 minuto." : "Escriba el código en el plazo de \($0) minutos."
        }
    )
}

extension PageText.Phone {
    static let spanish = Self(
        signInTitle: "Iniciar sesión con un número de teléfono",
        linkTitle: "Añadir un número de teléfono para iniciar sesión",
        enrollTitle: "Añadir un teléfono para códigos",
        enrollIntro: "Ahora se enviará un código al teléfono. A partir de entonces se le pedirá uno al iniciar sesión.",
        number: "Número de teléfono",
        numberHint: "Con + y el prefijo del país, por ejemplo +49 30 123456.",
        numberMissing: "Escriba el número de teléfono.",
        send: "Enviar el código",
        resend: "Enviar otro código",
        another: "Usar otro número",
        confirm: "Añadir el teléfono",
        reauthenticate: { "Enviar un código al número terminado en \($0)" },
        withNamed: { "Enviar un código a \($0), terminado en \($1)" }
    )
}

extension PageText.Enroll {
    static let spanish = Self(
        title: "Añadir una aplicación de autenticación",
        intro: """
            Necesita una aplicación de códigos de un solo uso. A partir de entonces se le pedirá un \
            código al iniciar sesión.
            """,
        name: "¿Cómo llama al dispositivo?",
        nameHint: "Un nombre para reconocerlo más adelante. Opcional.",
        begin: "Continuar",
        scan: "Escanee este código QR con la aplicación.",
        picture: "Código QR con la clave para la aplicación",
        cannotScan: "¿No puede escanearlo?",
        type: "Escriba esta clave en la aplicación. Da igual usar mayúsculas o minúsculas.",
        key: "Clave",
        open: "Abrir la aplicación en este dispositivo",
        once: "La clave se muestra solo ahora.",
        thenCode: "Escriba el código de 6 cifras que muestra la aplicación.",
        confirm: "Añadir la aplicación",
        notShown: "La clave no se vuelve a mostrar. Si no está en la aplicación, empiece de nuevo.",
        again: "Empezar de nuevo con otra clave"
    )
}

extension PageText.Recovery {
    static let spanish = Self(
        title: "Sus códigos de recuperación",
        intro: "Si pierde el teléfono, inicie sesión con uno de estos códigos. Cada uno sirve una vez.",
        replaced: "Sus códigos anteriores ya no sirven.",
        once: "Guarde estos códigos ahora. No se volverán a mostrar.",
        done: "Los he guardado",
        later: "Ahora no"
    )
}
#endif

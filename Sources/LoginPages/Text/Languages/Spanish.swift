// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
internal import LoginHTTP

/// The texts in Spanish.
extension PageText {
    /// The texts in Spanish, which no native speaker has reviewed.
    public static let spanish = PageText(
        frame: .spanish,
        login: .spanish,
        fragment: .spanish,
        signUp: .spanish,
        account: .spanish,
        confirm: .spanish,
        conflict: .spanish,
        merge: .spanish,
        secondFactor: .spanish,
        phone: .spanish,
        enroll: .spanish,
        recovery: .spanish,
        sessions: .spanish,
        reauthenticate: .spanish,
        permissions: .spanish,
        deletion: .spanish,
        password: .spanish,
        signedOut: .spanish,
        problem: .spanish,
        notices: .spanish,
        time: spanishTime
    )

    /// Returns the description of a permission, by the provider's name.
    static func spanishPermission(_ name: String) -> String {
        switch name {
        case "openid": "su identidad"
        case "public_profile": "nombre e imagen"
        case "email": "correo electrónico"
        case "user_friends": "amigos que también usan este servicio"
        case "user_birthday": "fecha de nacimiento"
        case "user_age_range": "intervalo de edad"
        case "user_gender": "género"
        case "user_hometown": "ciudad de origen"
        case "user_location": "ciudad"
        case "user_link": "enlace a su perfil"
        case "gaming_profile": "su nombre en los juegos"
        case "gaming_user_picture": "su imagen en los juegos"
        case "user_messenger_contact": "mensajes por Messenger"
        default: name
        }
    }

    /// Returns the explanation of a code; in English for codes that only programs receive.
    static func spanishExplanation(of code: ProblemCode) -> String {
        spanishExplanations[code.rawValue] ?? code.explanation
    }

    private static let spanishExplanations = [
        "credential-already-in-use":
            """
        Este inicio de sesión pertenece a otra cuenta. Inicie sesión con él y combine \
        después las dos cuentas.
        """,
        "account-exists-with-different-credential":
            """
        Existe una cuenta con este correo electrónico. Inicie sesión en ella y vincule \
        después este inicio de sesión.
        """,
        "email-already-in-use": "Este correo electrónico pertenece a otra cuenta.",
        "provider-already-linked": "Esta cuenta ya tiene un inicio de sesión de este tipo. Desvincúlelo primero.",
        "no-such-provider": "Esta cuenta no tiene ningún inicio de sesión de este tipo.",
        "ambiguous-provider": "Esta cuenta tiene varios inicios de sesión de este tipo. Elija uno.",
        "last-provider": "Es la última forma de iniciar sesión. Vincule antes otra.",
        "requires-recent-login": "Inicie sesión de nuevo para hacer esto.",
        "user-mismatch": "Este inicio de sesión pertenece a otra persona. Use el suyo.",
        "user-disabled": "Esta cuenta está deshabilitada.",
        "user-not-found": "No existe esa cuenta.",
        "operation-not-allowed": "No está disponible aquí.",
        "invalid-credential": "No ha funcionado. Inicie sesión de nuevo.",
        "wrong-password": "El correo electrónico o la contraseña no son correctos.",
        "weak-password": "Esta contraseña es demasiado fácil de adivinar. Use una más larga.",
        "invalid-email": "No es una dirección de correo válida.",
        "invalid-profile": "No es un nombre o una imagen válidos.",
        "invalid-phone-number": "No es un número de teléfono válido. Empiece por + y el prefijo del país.",
        "missing-or-invalid-nonce": "Este inicio de sesión es desconocido o ha tardado demasiado. Empiece de nuevo.",
        "second-factor-required": "Confirme que es usted.",
        "missing-multi-factor-session": "Empiece de nuevo.",
        "invalid-multi-factor-session": "Ha tardado demasiado. Inicie sesión de nuevo.",
        "missing-multi-factor-info": "Elija un método de verificación.",
        "multi-factor-info-not-found": "Esta cuenta no tiene este método de verificación.",
        "invalid-verification-code": "El código no es correcto.",
        "invalid-verification-id": "Este código es desconocido. Solicite uno nuevo.",
        "session-expired": "Este código ha caducado. Solicite uno nuevo.",
        "quota-exceeded": "En este momento no se pueden enviar más mensajes. Inténtelo más tarde.",
        "too-many-requests": "Lo ha intentado demasiadas veces. Inténtelo más tarde.",
        "second-factor-already-enrolled": "Esta cuenta ya tiene este método de verificación.",
        "maximum-second-factor-count-exceeded":
            "Esta cuenta tiene el máximo de métodos de verificación. Quite antes uno.",
        "unsupported-first-factor": "Este inicio de sesión no se puede combinar con este método de verificación.",
        "unverified-email": "Confirme antes su correo electrónico.",
        "invalid-user-token": "Su sesión está cerrada. Inicie sesión de nuevo.",
        "user-token-expired": "Su sesión ha caducado. Inicie sesión de nuevo.",
        "account-merged": "Esta cuenta se combinó con otra. Inicie sesión de nuevo.",
        "merge-conflict": "Las dos cuentas tienen un inicio de sesión del mismo tipo. Desvincule antes uno.",
        "conflict-retry": "Inténtelo de nuevo.",
        "store-unavailable": "El servicio no está disponible temporalmente. Inténtelo de nuevo en un momento.",
        "provider-unavailable": "El proveedor no responde. Inténtelo de nuevo en un momento.",
        "internal-error": "Se ha producido un error interno.",
        "invalid-request": "La solicitud no es válida o le falta algún valor.",
        "missing-session": "Inicie sesión primero.",
        "cross-site-request":
            "La solicitud viene de otro sitio o de una página desactualizada. Vuelva a cargar la página.",
        "not-found": "No hay nada en esta dirección.",
        "method-not-allowed": "Esta dirección no admite el método.",
        "request-too-large": "La solicitud es demasiado grande.",
        "keys-unavailable": "Las claves del proveedor no están disponibles. Inténtelo más tarde.",
        "not-ready": "El servicio todavía no está listo.",
        "speculative-request": "Esta página no se carga por adelantado. Ábrala de nuevo.",
    ]
}

extension PageText.Frame {
    static let spanish = Self(
        language: "es",
        direction: "ltr",
        languageName: "Español",
        languages: "Idioma",
        service: "Inicio de sesión",
        skip: "Saltar al contenido",
        navigation: "Su cuenta",
        account: "Cuenta",
        sessions: "Sesiones",
        signOut: "Cerrar sesión",
        signIn: "Iniciar sesión",
        cancel: "Cancelar",
        guest: "Invitado",
        someone: "Persona sin nombre",
        problems: "Hay un problema",
        title: { "\($0) – \($1)" },
        titleWithProblem: { "Problema: \($0)" },
        signedInAs: { "Sesión iniciada como \($0)" }
    )
}

extension PageText.Login {
    static let spanish = Self(
        title: "Iniciar sesión",
        with: { "Continuar con \($0)" },
        withPhone: "Continuar con el teléfono",
        or: "o",
        email: "Correo electrónico",
        password: "Contraseña",
        submit: "Iniciar sesión",
        forgotten: "¿Ha olvidado su contraseña?",
        newHere: "¿Es nuevo aquí?",
        nothing: "En este momento no es posible iniciar sesión.",
        emailMissing: "Escriba su correo electrónico.",
        passwordMissing: "Escriba su contraseña.",
        guest: "Continuar como invitado"
    )
}

extension PageText.Fragment {
    static let spanish = Self(
        title: "Completando el inicio de sesión",
        pending: """
            Se está completando el inicio de sesión. Para ello, su navegador debe permitir los \
            scripts de este sitio.
            """,
        missing: "El proveedor no ha enviado ninguna respuesta. No ha cambiado nada.",
        another: "Empezar de nuevo o usar otro inicio de sesión"
    )
}

extension PageText.SignUp {
    static let spanish = Self(
        title: "Crear una cuenta",
        passwordHint: { "Al menos \($0) caracteres; varias palabras son una buena opción." },
        submit: "Crear la cuenta",
        haveAccount: "Ya tengo una cuenta"
    )
}

extension PageText.Conflict {
    static let spanish = Self(
        title: "Ya tiene una cuenta",
        address: {
            """
            La dirección \($1) de este inicio de sesión (\($0)) pertenece a una cuenta en la que \
            inicia sesión de otra forma.
            """
        },
        noAddress: {
            """
            La dirección de este inicio de sesión (\($0)) pertenece a una cuenta en la que inicia \
            sesión de otra forma.
            """
        },
        asBefore: {
            """
            Inicie sesión como antes. Entonces \($0) se vinculará a su cuenta y podrá usar \
            cualquiera de los dos.
            """
        },
        otherWays: "El inicio de sesión de esta cuenta no está disponible en este momento.",
        dismiss: "Volver sin vincular",
        elsewhereTitle: "Este inicio de sesión pertenece a otra cuenta",
        elsewhere: {
            """
            Este inicio de sesión (\($0)) no pertenece a \($1), sino a otra cuenta. Puede combinar las \
            dos cuentas.
            """
        },
        join: "Ver cómo quedaría",
        leave: "Mantener las cuentas separadas"
    )
}

extension PageText.Merge {
    static let spanish = Self(
        title: "Combinar dos cuentas",
        intro: {
            """
            \($0) pasa a formar parte de \($1), la cuenta en la que ha iniciado sesión. No se puede \
            deshacer.
            """
        },
        moves: "Inicios de sesión que se trasladan",
        nothingMoves: "Ningún inicio de sesión se traslada.",
        drops: "Inicios de sesión que se eliminan",
        choose: "Las dos cuentas tienen un inicio de sesión del mismo tipo. ¿Qué cuenta conserva el suyo?",
        clash: { "Las dos tienen \($0)." },
        keepThis: { "\($0) (ha iniciado sesión en ella)" },
        keepOther: { "\($0) (la otra cuenta)" },
        keepMissing: "Elija una cuenta.",
        factors: "Después se aplican los métodos de verificación de las dos cuentas.",
        confirm: "Combinar las cuentas",
        obstacle: { "Todavía no es posible. \($0)" }
    )
}

extension PageText.Sessions {
    static let spanish = Self(
        current: "Este dispositivo",
        unknownDevice: "Dispositivo desconocido",
        device: { "\($0) en \($1)" },
        network: "Red",
        lastSeen: "Último uso",
        opened: "Inicio de sesión",
        confirmed: "Confirmada con la verificación en dos pasos",
        close: { "Cerrar la sesión de \($0)" },
        closeOthers: "Cerrar las demás sesiones",
        noOthers: "No tiene ninguna otra sesión iniciada."
    )
}

extension PageText.Reauthenticate {
    static let spanish = Self(
        intro: "Ha pasado un tiempo desde que inició sesión. Iníciela una vez más y vuelva a intentarlo.",
        code: "Su cuenta usa la verificación en dos pasos. Confirme y vuelva a intentarlo."
    )
}

extension PageText.Permissions {
    static let spanish = Self(
        title: "Lo que comparte",
        manage: "Cambiar lo que comparte",
        intro: { "Para cada cambio inicia sesión una vez más en \($0). Puede deshacerlo en cualquier momento." },
        granted: "Compartido",
        declined: "No compartido: usted lo rechazó",
        expired: "Ya no se comparte, porque no se usaba",
        unknown: "Se desconoce: el proveedor no lo indica",
        request: { "Compartir: \($0)" },
        requestAgain: { "Preguntar de nuevo: \($0)" },
        revoke: { "Dejar de compartir: \($0)" },
        all: "Todo",
        allHint: {
            """
            Este servicio se elimina de su cuenta en \($0). Podrá volver a iniciar sesión con \
            ella más adelante.
            """
        },
        revokeAll: { "No compartir nada más de \($0)" },
        back: "Volver a su cuenta"
    )
}

extension PageText.Deletion {
    static let spanish = Self(
        title: "Eliminar su cuenta",
        warning: "Se eliminarán su perfil, sus inicios de sesión y sus sesiones.",
        sure: "Entiendo que no se puede deshacer",
        sureMissing: "Marque la casilla para eliminar su cuenta."
    )
}

extension PageText.Password {
    static let spanish = Self(
        forgottenTitle: "Restablecer la contraseña",
        forgottenIntro: "Escriba su correo electrónico y le enviaremos un enlace.",
        send: "Enviar el enlace",
        sentTitle: "Revise su correo",
        sent: """
            Si una cuenta usa esta dirección, le hemos enviado un enlace. Revise también la carpeta de \
            correo no deseado.
            """,
        again: "Intentarlo de nuevo",
        newTitle: "Su contraseña nueva",
        newPassword: "Contraseña nueva",
        save: "Guardar la contraseña",
        everywhere: "Con esto se cierra su sesión en todos los dispositivos.",
        verifyTitle: "Confirme su correo electrónico",
        verifyIntro: "Pulse el botón para confirmar que ha recibido el mensaje.",
        verify: "Confirmar la dirección",
        change: "Cambiar la contraseña",
        add: "Añadir una contraseña",
        elsewhere: "Con esto se cierra su sesión en todos los demás dispositivos.",
        otherAccount: "¿Ya tiene una cuenta con contraseña?",
        existing: "Escriba su dirección y su contraseña para combinar las dos cuentas.",
        join: "Continuar"
    )
}

extension PageText.SignedOut {
    static let spanish = Self(
        title: "Ha cerrado la sesión",
        intro: "Es posible que su sesión siga abierta en el proveedor.",
        deletedTitle: "Su cuenta se ha eliminado",
        deletedIntro: "Se han eliminado todos sus datos."
    )
}

extension PageText.ProblemTexts {
    static let spanish = Self(
        title: "No ha funcionado",
        notFoundTitle: "Página no encontrada",
        code: "Código",
        requestID: "Solicitud",
        start: "Ir a la página de inicio",
        signInAgain: "Iniciar sesión de nuevo",
        newLink: "Solicitar un enlace nuevo",
        support: "Contactar con soporte",
        retryAfter: {
            $0 <= 60
                ? "Inténtelo de nuevo dentro de un minuto."
                : "Inténtelo de nuevo dentro de \(($0 + 59) / 60) minutos."
        },
        explanation: { PageText.spanishExplanation(of: $0) },
        stale: "La página ha estado abierta demasiado tiempo. Envíe el formulario de nuevo.",
        noCookie: "El navegador no ha enviado ninguna cookie de este sitio. Permita las cookies y recargue la página.",
        repeatedCookie:
            "El navegador ha enviado dos veces una cookie de este sitio, por lo que no se ha aceptado. Se han eliminado las dos: recargue la página e inicie sesión de nuevo si es necesario.",
        otherSite: "El formulario no procede de una página de este sitio. Abra la página aquí.",
        providerFailed: "El inicio de sesión se canceló o falló en el proveedor. Inicie sesión de nuevo.",
        misconfigured: "En este momento no podemos completar el inicio de sesión. No es culpa suya.",
        unknownLogin:
            "Este navegador no conoce este inicio de sesión. Es posible que haya empezado en otro navegador o en una aplicación, o hace demasiado tiempo. Empiece uno nuevo aquí.",
        finishedLogin:
            "Este inicio de sesión ya ha terminado y no se puede volver a usar. Si no tiene la sesión iniciada, empiece uno nuevo."
    )
}

extension PageText.Notices {
    static let spanish = Self(
        cancelled: "El inicio de sesión se ha cancelado. No ha cambiado nada.",
        linked: "El método de inicio de sesión está vinculado.",
        unlinked: "El método de inicio de sesión está desvinculado.",
        merged: "Las dos cuentas se han combinado.",
        factorAdded: "La aplicación se ha añadido. Cree ahora códigos de recuperación, por si la pierde.",
        factorRemoved: "Se ha quitado el método de verificación.",
        sessionClosed: "Se ha cerrado la sesión de ese dispositivo.",
        othersClosed: "Se ha cerrado la sesión de todos los demás dispositivos.",
        messageSent: "Un mensaje va en camino a su dirección.",
        emailVerified: "Su correo electrónico está confirmado.",
        passwordChanged: "Su contraseña ha cambiado. Inicie sesión con ella.",
        confirmed: "Gracias. Repita lo que quería hacer.",
        notRecent: """
            Ese inicio de sesión no era reciente. Cierre la sesión en el proveedor e inténtelo de \
            nuevo, o use otro.
            """,
        permissionGranted: "Gracias. Ahora se comparte.",
        permissionDeclined: "Lo ha rechazado. No ha cambiado nada más.",
        permissionUnknown: "Hemos recibido su respuesta. El proveedor no indica si usted comparte esto.",
        permissionRevoked: "Ya no se comparte.",
        loginRevoked: "Ya no se comparte nada. Este método volverá a funcionar cuando lo acepte de nuevo.",
        notLinked: """
            Ha iniciado sesión. El otro método de inicio de sesión no se ha vinculado; puede hacerlo en la \
            página de su cuenta.
            """,
        passwordSaved: "Su contraseña se ha guardado.",
        phoneAdded: "El teléfono se ha añadido. Cree ahora códigos de recuperación, por si lo pierde.",
        signedUp: "Su cuenta se ha creado. Abra el enlace del correo que le hemos enviado para confirmar su dirección."
    )
}
#endif

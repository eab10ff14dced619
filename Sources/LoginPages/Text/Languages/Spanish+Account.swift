// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
extension PageText.AccountTexts {
    static let spanish = Self(
        title: "Su cuenta",
        profile: "Perfil",
        name: "Nombre",
        noName: "Desconocido",
        email: "Correo electrónico",
        verified: "confirmado",
        notVerified: "sin confirmar",
        verify: "Enviarme un mensaje para confirmar la dirección",
        createdAt: "Miembro desde",
        guest: "Es un invitado. Añada un método de inicio de sesión para conservar esta cuenta.",
        save: "Guardar esta cuenta",
        logins: "Métodos de inicio de sesión",
        loginAs: { "\($0): \($1)" },
        linkedAt: "Vinculado",
        lastUsed: "Último uso",
        shares: "Compartido con este servicio",
        permission: { PageText.spanishPermission($0) },
        passwordLogin: "Correo y contraseña",
        phoneLogin: "Número de teléfono",
        notConfigured: "Este método de inicio de sesión no está disponible en este momento.",
        revoked: "Usted revocó este método en el proveedor. Vincúlelo de nuevo para usarlo.",
        withoutPassword: "Todavía no hay ninguna contraseña.",
        unlink: { "Desvincular \($0)" },
        lastLogin: "Este es su único método de inicio de sesión que funciona. Para desvincularlo, añada antes otro.",
        more: "Añadir un método de inicio de sesión",
        link: { "Vincular \($0)" },
        addPhone: "Añadir un número de teléfono",
        factors: "Verificación en dos pasos",
        noFactors: "Desactivada. Pide un código al iniciar sesión, para que no baste con una contraseña robada.",
        app: "Aplicación de autenticación",
        phone: { "Teléfono terminado en \($0)" },
        removeFactor: { "Quitar \($0)" },
        codesLeft: { $0 == 1 ? "Queda 1 código de recuperación." : "Quedan \($0) códigos de recuperación." },
        noCodes: "No tiene códigos de recuperación. Si pierde el teléfono, no podrá iniciar sesión.",
        makeCodes: "Crear códigos de recuperación nuevos",
        data: "Sus datos",
        download: "Descargar mis datos",
        delete: "Eliminar mi cuenta"
    )
}

extension PageText.Confirmations {
    static let spanish = Self(
        signOutTitle: "¿Cerrar sesión y perder esta cuenta?",
        signOut: """
            Los invitados no pueden volver a iniciar sesión. Para conservar esta cuenta y sus datos, guárdela \
            antes de cerrar sesión.
            """,
        unlink: { "Ya no podrá iniciar sesión en esta cuenta con \($0)." },
        removeFactor: "Sus códigos dejarán de funcionar aquí. Los demás métodos seguirán protegiendo su cuenta.",
        removeLastFactor: """
            Se desactivará la verificación en dos pasos. Sus códigos de recuperación dejarán de funcionar.
            """,
        makeCodes: "Sus códigos de recuperación actuales dejarán de funcionar."
    )
}
#endif

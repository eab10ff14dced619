// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if Hummingbird
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
        guest: "Es invitado únicamente en este dispositivo. Vincule un inicio de sesión para conservar la cuenta.",
        logins: "Sus inicios de sesión",
        loginAs: { "\($0): \($1)" },
        linkedAt: "Vinculado",
        lastUsed: "Último uso",
        shares: "Compartido con este servicio",
        permission: { PageText.spanishPermission($0) },
        passwordLogin: "Correo y contraseña",
        phoneLogin: "Número de teléfono",
        notConfigured: "Este inicio de sesión no está disponible en este momento.",
        revoked: "Usted revocó este inicio de sesión en el proveedor. Vincúlelo de nuevo para usarlo.",
        withoutPassword: "Todavía no hay ninguna contraseña.",
        unlink: { "Desvincular \($0)" },
        lastLogin: "Este es su único inicio de sesión que funciona. Para desvincularlo, vincule antes otro.",
        more: "Añadir un inicio de sesión",
        link: { "Vincular \($0)" },
        factors: "Segundo paso",
        noFactors: """
            Ninguno todavía. Un segundo paso protege su cuenta aunque otra persona conozca su inicio \
            de sesión.
            """,
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
#endif

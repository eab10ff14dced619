// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

#if HTTP
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The formats of times, in UTC. The formats of Foundation need the whole module, with the data of all languages.
extension PageText {
    /// Formats a time in English.
    ///
    /// For example "3 October 2025, 14:05 UTC".
    static let englishTime: @Sendable (Date) -> String = { date in
        let time = TimeParts(date)
        let months = [
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
            "November", "December",
        ]
        return "\(time.day) \(months[time.month - 1]) \(time.year), \(time.hour):\(time.minute) UTC"
    }

    /// Formats a time in German.
    ///
    /// For example "3. Oktober 2025, 14:05 UTC".
    static let germanTime: @Sendable (Date) -> String = { date in
        let time = TimeParts(date)
        let months = [
            "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November",
            "Dezember",
        ]
        return "\(time.day). \(months[time.month - 1]) \(time.year), \(time.hour):\(time.minute) UTC"
    }

    /// Formats a time in Spanish.
    ///
    /// For example "3 de octubre de 2025, 14:05 UTC".
    static let spanishTime: @Sendable (Date) -> String = { date in
        let time = TimeParts(date)
        let months = [
            "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre",
            "noviembre", "diciembre",
        ]
        return "\(time.day) de \(months[time.month - 1]) de \(time.year), \(time.hour):\(time.minute) UTC"
    }

    /// Formats a time in Indonesian.
    ///
    /// For example "3 Oktober 2025, 14.05 UTC".
    static let indonesianTime: @Sendable (Date) -> String = { date in
        let time = TimeParts(date)
        let months = [
            "Januari", "Februari", "Maret", "April", "Mei", "Juni", "Juli", "Agustus", "September", "Oktober",
            "November", "Desember",
        ]
        return "\(time.day) \(months[time.month - 1]) \(time.year), \(time.hour).\(time.minute) UTC"
    }

    /// Formats a time in Korean.
    ///
    /// For example "2025년 10월 3일 14:05 UTC".
    static let koreanTime: @Sendable (Date) -> String = { date in
        let time = TimeParts(date)
        return "\(time.year)년 \(time.month)월 \(time.day)일 \(time.hour):\(time.minute) UTC"
    }
}

/// The parts of a time in UTC.
private struct TimeParts {
    let year, month, day, hour: Int

    /// The minute, with two digits.
    let minute: String

    init(_ date: Date) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute], from: date)
        (year, month, day) = (parts.year ?? 1970, parts.month ?? 1, parts.day ?? 1)
        hour = parts.hour ?? 0
        let minutes = parts.minute ?? 0
        minute = minutes < 10 ? "0\(minutes)" : "\(minutes)"
    }
}
#endif

// SPDX-License-Identifier: Apache-2.0
// Copyright the limited-login authors

import Foundation
import Measuring

/// The rows of AllocationBenchmark.
///
/// Allocations are counted in a separate program, because counting slows down the measured code.
enum AllocationRows {
    static func measure(in directory: URL) -> [Row] {
        let output = directory.appending(path: "allocations.jsonl")
        let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "AllocationBenchmark").path
        var rows: [Row] = []
        do {
            _ = try Program([program], output: output.path).run()
        } catch {
            // The program prints each row as soon as it is measured, and a later row may kill it.
            rows.append(Row("AllocationBenchmark to its end", notMeasured: "\(error)", goal: .atMost(0)))
        }
        let text = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
        return ((try? Row.rows(ofLines: text)) ?? []) + rows
    }
}

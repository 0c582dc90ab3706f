// SPDX-License-Identifier: GPL-3.0-or-later
// Conditions over a sweep's axes: "pool <= users and threads == virtual".
//
//   condition := clause {"or" clause};  clause := term {"and" term}
//   term := "not" term | sum [(< | <= | > | >= | == | = | !=) sum]
//   sum := product {(+ | -) product};  product := unit {(* | /) unit}
//   unit := number with an optional unit | axis | word | 'text' | "text" | "(" condition ")" | - unit
//
// An axis is named by its whole path or by the last word of it; a '-' inside a name belongs to the
// name, so a difference is written with spaces. A word that names no axis stands for itself and must
// be a value of some axis. Durations count in nanoseconds, rates in 1/s.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace narrows::scenario {

/// A number or a text; comparing a number with a text is false, but for !=.
using Operand = std::variant<double, std::string>;

/// An axis' value as the conditions see it: numbers, durations and rates as numbers.
[[nodiscard]] Operand operand(std::string_view text);

class Condition {
public:
    /// Parses; when that fails, error() says why and the condition holds for nothing.
    Condition(std::string_view text, const std::vector<std::string>& axes,
              const std::vector<std::vector<std::string>>& values);

    [[nodiscard]] const std::string& error() const { return error_; }
    /// values[i] is the value of axis i.
    [[nodiscard]] bool holds(std::span<const Operand* const> values) const;

private:
    friend class ConditionParser;
    enum class Op : std::uint8_t {
        literal,
        axis,
        add,
        subtract,
        multiply,
        divide,
        negate,
        less,
        less_equal,
        greater,
        greater_equal,
        equal,
        unequal,
        both,
        either,
        invert
    };
    struct Part {
        Op op = Op::literal;
        int left = 0;
        int right = 0;
        Operand value;
    };
    [[nodiscard]] Operand evaluate(int part, std::span<const Operand* const> values) const;
    [[nodiscard]] static double arithmetic(Op op, double a, double b);
    [[nodiscard]] static bool compare(Op op, const Operand& a, const Operand& b);

    std::vector<Part> parts_;
    int root_ = -1;
    std::string error_;
};

} // namespace narrows::scenario

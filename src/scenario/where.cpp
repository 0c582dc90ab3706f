// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/where.hpp"

#include "scenario/problems.hpp"
#include "scenario/quantity.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace narrows::scenario {

Operand operand(std::string_view text) {
    if (const auto number = parse_number(text)) return *number;
    DurationFault fault{};
    const double ns = parse_duration_ns(text, "", fault);
    if (fault == DurationFault::none) return ns;
    if (const auto share = parse_share(text)) return *share;
    if (const auto rate = parse_rate(text)) return *rate;
    return std::string(text);
}

class ConditionParser {
public:
    ConditionParser(Condition& into, std::string_view text, const std::vector<std::string>& axes,
                    const std::vector<std::vector<std::string>>& values)
        : into_(into), rest_(text), axes_(axes), values_(values) {}

    void run() {
        if (rest_.size() > kMaxLength) return fail("is longer than 1000 characters");
        const int root = either();
        skip_spaces();
        if (!rest_.empty()) fail(fmt::format("cannot be read from '{}' on", rest_.substr(0, 30)));
        if (into_.error_.empty()) into_.root_ = root;
    }

private:
    using Op = Condition::Op;
    static constexpr std::size_t kMaxLength = 1000;
    static constexpr int kMaxDepth = 50;

    void fail(std::string message) {
        if (into_.error_.empty()) into_.error_ = std::move(message);
        rest_ = {};
    }
    int add(Op op, int left = 0, int right = 0, Operand value = 0.0) {
        into_.parts_.push_back({op, left, right, std::move(value)});
        return static_cast<int>(into_.parts_.size()) - 1;
    }
    void skip_spaces() {
        while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\t' || rest_[0] == '\n'))
            rest_.remove_prefix(1);
    }
    bool take(std::string_view sign) {
        skip_spaces();
        if (!rest_.starts_with(sign)) return false;
        rest_.remove_prefix(sign.size());
        return true;
    }
    static bool in_name(char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' ||
               c == '-' || c == '[' || c == ']' || static_cast<unsigned char>(c) >= 0x80;
    }
    std::string_view next_word() {
        skip_spaces();
        std::size_t n = 0;
        while (n < rest_.size() && in_name(rest_[n]))
            ++n;
        return rest_.substr(0, n);
    }
    bool take_word(std::string_view word) {
        if (next_word() != word) return false;
        rest_.remove_prefix(word.size());
        return true;
    }

    int either() {
        int left = both();
        while (take_word("or") || take("||"))
            left = add(Op::either, left, both());
        return left;
    }
    int both() {
        int left = term();
        while (take_word("and") || take("&&"))
            left = add(Op::both, left, term());
        return left;
    }
    int term() {
        const Deeper deeper(*this);
        if (take_word("not")) return add(Op::invert, term());
        const int left = sum();
        static constexpr std::array<std::pair<std::string_view, Op>, 7> kSigns{{{"<=", Op::less_equal},
                                                                                {">=", Op::greater_equal},
                                                                                {"==", Op::equal},
                                                                                {"!=", Op::unequal},
                                                                                {"<", Op::less},
                                                                                {">", Op::greater},
                                                                                {"=", Op::equal}}};
        for (const auto& [sign, op] : kSigns) {
            if (take(sign)) return add(op, left, sum());
        }
        return left;
    }
    int sum() {
        int left = product();
        for (;;) {
            if (take("+"))
                left = add(Op::add, left, product());
            else if (take("-"))
                left = add(Op::subtract, left, product());
            else
                return left;
        }
    }
    int product() {
        int left = unit();
        for (;;) {
            if (take("*"))
                left = add(Op::multiply, left, unit());
            else if (take("/"))
                left = add(Op::divide, left, unit());
            else
                return left;
        }
    }
    int unit() {
        const Deeper deeper(*this);
        skip_spaces();
        if (rest_.empty()) return fail("ends where a value is expected"), 0;
        if (take("(")) {
            const int inside = either();
            if (!take(")")) fail("misses a ')'");
            return inside;
        }
        if (rest_[0] == '\'' || rest_[0] == '"') return quoted();
        if (rest_[0] == '-') return rest_.remove_prefix(1), add(Op::negate, unit());
        const std::string_view word = next_word();
        if (word.empty()) return fail(fmt::format("cannot be read from '{}' on", rest_.substr(0, 30))), 0;
        rest_.remove_prefix(word.size());
        if (word[0] >= '0' && word[0] <= '9') return number(word);
        return name(word);
    }
    int quoted() {
        const std::size_t end = rest_.find(rest_[0], 1);
        if (end == std::string_view::npos) return fail("misses a closing quote"), 0;
        const std::string text(rest_.substr(1, end - 1));
        rest_.remove_prefix(end + 1);
        return add(Op::literal, 0, 0, text);
    }
    int number(std::string_view word) {
        const bool percent = take("%");
        const Operand value = operand(percent ? std::string(word) + "%" : std::string(word));
        if (!std::holds_alternative<double>(value))
            return fail(fmt::format("'{}' is no number", word.substr(0, 30))), 0;
        return add(Op::literal, 0, 0, value);
    }
    int name(std::string_view word) {
        int found = -1;
        for (std::size_t i = 0; i < axes_.size(); ++i) {
            const std::string_view axis = axes_[i];
            const bool last =
                axis.size() > word.size() && axis.ends_with(word) && axis[axis.size() - word.size() - 1] == '.';
            if (axis != word && !last) continue;
            if (found >= 0) return fail(fmt::format("'{}' is the end of several axes; write the whole path", word)), 0;
            found = static_cast<int>(i);
        }
        if (found >= 0) return add(Op::axis, found);
        const bool value = std::any_of(values_.begin(), values_.end(), [&](const auto& some) {
            return std::find(some.begin(), some.end(), word) != some.end();
        });
        if (value) return add(Op::literal, 0, 0, operand(word));
        std::vector<std::string> known = axes_;
        for (const std::string& axis : axes_)
            known.push_back(axis.substr(axis.rfind('.') + 1));
        return fail(fmt::format("'{}' is neither an axis nor a value of one{}", word.substr(0, 60),
                                did_you_mean(word, known))),
               0;
    }

    /// Counts nesting, so that a long row of '(' or '-' cannot use up the stack.
    struct Deeper {
        explicit Deeper(ConditionParser& p) : parser(p) {
            if (++parser.depth_ > kMaxDepth) parser.fail("is nested too deep");
        }
        ~Deeper() { --parser.depth_; }
        Deeper(const Deeper&) = delete;
        Deeper& operator=(const Deeper&) = delete;
        ConditionParser& parser;
    };

    Condition& into_;
    std::string_view rest_;
    const std::vector<std::string>& axes_;
    const std::vector<std::vector<std::string>>& values_;
    int depth_ = 0;
};

Condition::Condition(std::string_view text, const std::vector<std::string>& axes,
                     const std::vector<std::vector<std::string>>& values) {
    ConditionParser(*this, text, axes, values).run();
}

bool Condition::holds(std::span<const Operand* const> values) const {
    if (root_ < 0) return false;
    const Operand result = evaluate(root_, values);
    const double* number = std::get_if<double>(&result);
    return number && *number != 0 && !std::isnan(*number);
}

Operand Condition::evaluate(int index, std::span<const Operand* const> values) const {
    const Part& part = parts_[static_cast<std::size_t>(index)];
    const auto left = [&] { return evaluate(part.left, values); };
    const auto right = [&] { return evaluate(part.right, values); };
    const auto truth = [](const Operand& o) { return std::holds_alternative<double>(o) && std::get<double>(o) != 0; };
    const auto value = [](const Operand& o) {
        return std::holds_alternative<double>(o) ? std::get<double>(o) : std::numeric_limits<double>::quiet_NaN();
    };
    switch (part.op) {
    case Op::literal: return part.value;
    case Op::axis: return *values[static_cast<std::size_t>(part.left)];
    case Op::both: return truth(left()) && truth(right()) ? 1.0 : 0.0;
    case Op::either: return truth(left()) || truth(right()) ? 1.0 : 0.0;
    case Op::invert: return truth(left()) ? 0.0 : 1.0;
    case Op::negate: return -value(left());
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide: return arithmetic(part.op, value(left()), value(right()));
    default: return compare(part.op, left(), right()) ? 1.0 : 0.0;
    }
}

double Condition::arithmetic(Op op, double a, double b) {
    switch (op) {
    case Op::add: return a + b;
    case Op::subtract: return a - b;
    case Op::multiply: return a * b;
    default: return a / b; // by zero: infinite or NaN, as IEEE 754 has it
    }
}

bool Condition::compare(Op op, const Operand& a, const Operand& b) {
    if (op == Op::equal) return a == b;
    if (op == Op::unequal) return a != b;
    const double* x = std::get_if<double>(&a);
    const double* y = std::get_if<double>(&b);
    if (!x || !y) return false;
    switch (op) {
    case Op::less: return *x < *y;
    case Op::less_equal: return *x <= *y;
    case Op::greater: return *x > *y;
    default: return *x >= *y;
    }
}

} // namespace narrows::scenario

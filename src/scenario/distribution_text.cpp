// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/distribution_text.hpp"

#include "scenario/problems.hpp"
#include "scenario/quantity.hpp"
#include "scenario/source_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <stdexcept>

namespace narrows::scenario {

namespace {

constexpr std::size_t kMaxSampleBytes = 16u << 20;
constexpr std::size_t kMaxParts = 1000;
constexpr int kMaxMixtures = 8; // mixtures inside mixtures

enum class Unit { duration, positive_duration, plain };

struct Parameter {
    std::string_view name;
    Unit unit;
    double low = 0;  // of a plain one, exclusive
    double high = 0; // of a plain one, inclusive
};

/// One way to write a law: its parameters in positional order, and what they make.
struct Form {
    std::string_view law;
    std::vector<Parameter> parameters;
    Distribution (*make)(const double*);
    bool positional = true;
};

const std::vector<Form>& forms() {
    constexpr Unit any = Unit::duration;
    constexpr Unit some = Unit::positive_duration;
    constexpr Unit plain = Unit::plain;
    static const std::vector<Form> kForms{
        {"constant", {{"value", any}}, [](const double* p) { return Distribution::constant(p[0]); }},
        {"exponential", {{"mean", some}}, [](const double* p) { return Distribution::exponential(p[0]); }},
        {"uniform",
         {{"low", any}, {"high", any}},
         [](const double* p) {
             if (p[0] > p[1]) throw std::invalid_argument("uniform: low must not be above high");
             return Distribution::uniform(p[0], p[1]);
         }},
        {"normal", {{"mean", some}, {"sd", any}}, [](const double* p) { return Distribution::normal(p[0], p[1]); }},
        {"lognormal",
         {{"mean", some}, {"p99", some}},
         [](const double* p) { return Distribution::lognormal_mean_p99(p[0], p[1]); },
         false},
        {"lognormal",
         {{"median", some}, {"sigma", plain, 0, 5}},
         [](const double* p) { return Distribution::lognormal_median(p[0], p[1]); },
         false},
        {"gamma",
         {{"mean", some}, {"shape", plain, 0, 1e6}},
         [](const double* p) { return Distribution::gamma(p[0], p[1]); }},
        {"weibull",
         {{"scale", some}, {"shape", plain, 0.05, 1e3}},
         [](const double* p) { return Distribution::weibull(p[0], p[1]); }},
        {"pareto",
         {{"minimum", some}, {"alpha", plain, 1, 1e3}},
         [](const double* p) { return Distribution::pareto(p[0], p[1]); }},
    };
    return kForms;
}

std::string written(const Form& form) {
    std::string text = std::string(form.law) + "(";
    for (std::size_t i = 0; i < form.parameters.size(); ++i) {
        if (i > 0) text += ", ";
        text += form.parameters[i].name;
        if (!form.positional) text += "=…";
    }
    return text + ")";
}

struct Argument {
    std::string_view key; // "" when positional
    std::string_view value;
};

class Parser {
public:
    Parser(std::string_view whole, const std::filesystem::path& folder, Fault& fault, std::string* included)
        : whole_(whole), folder_(folder), fault_(fault), included_(included) {}

    std::optional<Distribution> read(std::string_view text, int mixtures) {
        text = trimmed(text);
        if (text.empty()) return fail(text, fmt::format("is empty; write a duration or {}", distribution_forms()));
        const std::size_t paren = text.find('(');
        if (paren == std::string_view::npos) return constant(text);
        const std::string law(trimmed(text.substr(0, paren)));
        if (text.back() != ')') {
            return fail(
                text.substr(text.size()),
                fmt::format("'{}' misses its closing ')'; inside [ ] and {{ }} a value with a comma needs quotes",
                            text.substr(0, 60)));
        }
        if (!split(text.substr(paren + 1, text.size() - paren - 2))) return std::nullopt;
        const std::vector<Argument> arguments = std::move(arguments_);
        arguments_.clear();
        if (law == "mixture") return mixture(text, arguments, mixtures);
        if (law == "empirical") return empirical(text, arguments);
        return simple(text, law, arguments);
    }

private:
    std::optional<Distribution> fail(std::string_view where, std::string message) {
        // Views point into the whole text, so their distance is the place in it.
        const auto offset = where.data() ? where.data() - whole_.data() : 0;
        fault_ = {std::move(message), static_cast<std::size_t>(std::max<std::ptrdiff_t>(offset, 0))};
        return std::nullopt;
    }

    std::optional<Distribution> constant(std::string_view text) {
        DurationFault fault{};
        const double ns = parse_duration_ns(text, "", fault);
        if (fault == DurationFault::none) return Distribution::constant(ns);
        std::string more;
        if (fault == DurationFault::no_number) more = fmt::format(" or {}", distribution_forms());
        return fail(text, fmt::format("'{}' {}{}", text.substr(0, 60), describe(fault), more));
    }

    /// Splits at the commas outside parentheses into arguments_.
    bool split(std::string_view inside) {
        arguments_.clear();
        int depth = 0;
        std::size_t start = 0;
        for (std::size_t i = 0; i <= inside.size(); ++i) {
            const char c = i < inside.size() ? inside[i] : ',';
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
            if (depth < 0) return fail(inside.substr(i), "a ')' too many"), false;
            if (c != ',' || (depth > 0 && i < inside.size())) continue;
            if (depth > 0) return fail(inside.substr(i), "a ')' is missing"), false;
            add_argument(inside.substr(start, i - start));
            start = i + 1;
            if (arguments_.size() > kMaxParts) return fail(inside, "has too many parts; at most 1000"), false;
        }
        return true;
    }

    void add_argument(std::string_view text) {
        const std::size_t equals = text.find('=');
        const bool named = equals != std::string_view::npos && equals < text.find('(');
        if (named) {
            arguments_.push_back({trimmed(text.substr(0, equals)), trimmed(text.substr(equals + 1))});
        } else {
            const std::string_view value = trimmed(text);
            // An empty view still tells where it stands.
            arguments_.push_back({{}, value.empty() ? text.substr(0, 0) : value});
        }
    }

    std::optional<Distribution> simple(std::string_view text, const std::string& law,
                                       const std::vector<Argument>& arguments) {
        std::vector<const Form*> same;
        std::vector<std::string> laws{"mixture", "empirical"};
        for (const Form& form : forms()) {
            laws.emplace_back(form.law);
            if (form.law == law) same.push_back(&form);
        }
        if (same.empty()) {
            return fail(text, fmt::format("'{}' is no distribution; there are {}{}", law.substr(0, 40),
                                          distribution_forms(), did_you_mean(law, laws)));
        }
        for (const Form* form : same) {
            if (fits(*form, arguments)) return make(text, *form, arguments);
        }
        std::vector<std::string> ways;
        for (const Form* form : same)
            ways.push_back(written(*form));
        return fail(text, fmt::format("'{}' is written {}", law, listed(ways, "or")));
    }

    static bool fits(const Form& form, const std::vector<Argument>& arguments) {
        if (arguments.size() != form.parameters.size()) return false;
        for (const Parameter& parameter : form.parameters) {
            const auto named = [&](const Argument& a) { return a.key == parameter.name; };
            const auto count = std::count_if(arguments.begin(), arguments.end(), named);
            const Argument& here = arguments[static_cast<std::size_t>(&parameter - form.parameters.data())];
            if (count != 1 && !(count == 0 && form.positional && here.key.empty())) return false;
        }
        return true;
    }

    std::optional<Distribution> make(std::string_view text, const Form& form, const std::vector<Argument>& arguments) {
        std::array<double, 2> values{};
        for (std::size_t i = 0; i < form.parameters.size(); ++i) {
            const Argument* given = &arguments[i];
            for (const Argument& argument : arguments) {
                if (argument.key == form.parameters[i].name) given = &argument;
            }
            const auto value = parameter(form.parameters[i], given->value);
            if (!value) return std::nullopt;
            values[i] = *value;
        }
        try {
            return form.make(values.data());
        } catch (const std::invalid_argument& refused) {
            return fail(text, refused.what());
        }
    }

    std::optional<double> parameter(const Parameter& what, std::string_view text) {
        if (what.unit == Unit::plain) {
            const auto value = parse_number(text);
            if (value && *value > what.low && *value <= what.high) return value;
            fail(text, fmt::format("{} must be a number above {} and at most {}, not '{}'", what.name, what.low,
                                   what.high, text.substr(0, 40)));
            return std::nullopt;
        }
        DurationFault fault{};
        const double ns = parse_duration_ns(text, "", fault);
        if (fault != DurationFault::none) {
            fail(text, fmt::format("{}: '{}' {}", what.name, text.substr(0, 40), describe(fault)));
            return std::nullopt;
        }
        if (what.unit == Unit::positive_duration && ns <= 0) {
            fail(text, fmt::format("{} must be above 0", what.name));
            return std::nullopt;
        }
        return ns;
    }

    std::optional<Distribution> mixture(std::string_view text, const std::vector<Argument>& arguments, int mixtures) {
        if (mixtures >= kMaxMixtures) return fail(text, fmt::format("mixtures nest at most {} deep", kMaxMixtures));
        std::vector<Distribution::Part> parts;
        for (const Argument& argument : arguments) {
            const std::size_t colon = argument.value.find(':');
            const auto weight = parse_share(argument.value.substr(0, std::min(colon, argument.value.size())));
            if (!argument.key.empty() || colon == std::string_view::npos || !weight || *weight <= 0 || *weight > 1e9) {
                return fail(argument.key.empty() ? argument.value : argument.key,
                            "a part of a mixture is 'weight: distribution' with a weight above 0, as in "
                            "mixture(0.9: exponential(1ms), 0.1: 50ms)");
            }
            auto what = read(argument.value.substr(colon + 1), mixtures + 1);
            if (!what) return std::nullopt;
            parts.push_back({*weight, std::move(*what)});
        }
        return Distribution::mixture(std::move(parts));
    }

    std::optional<Distribution> empirical(std::string_view text, const std::vector<Argument>& arguments) {
        std::string_view file;
        std::string_view column;
        std::string_view unit;
        for (const Argument& argument : arguments) {
            if (argument.key.empty() && file.empty())
                file = argument.value;
            else if (argument.key == "column")
                column = argument.value;
            else if (argument.key == "unit")
                unit = argument.value;
            else
                return fail(text, "empirical is written empirical(file.csv, column=NAME, unit=ms)");
        }
        DurationFault fault{};
        if (!unit.empty()) (void)parse_duration_ns("1", unit, fault);
        if (fault != DurationFault::none)
            return fail(unit, fmt::format("unit '{}' {}", unit.substr(0, 20), describe(fault)));
        if (file.empty()) return fail(text, "empirical needs a file: empirical(file.csv, column=NAME, unit=ms)");
        std::string error;
        const auto csv = read_file(folder_ / file, kMaxSampleBytes, error);
        if (!csv) return fail(file, fmt::format("file '{}': {}", file.substr(0, 200), error));
        auto samples = read_samples(*csv, column, unit, error);
        if (!samples) return fail(file, fmt::format("file '{}' {}", file.substr(0, 200), error));
        if (included_) *included_ += *csv;
        return Distribution::empirical(std::move(*samples));
    }

    std::string_view whole_;
    const std::filesystem::path& folder_;
    Fault& fault_;
    std::string* included_;
    std::vector<Argument> arguments_;
};

} // namespace

std::string distribution_forms() {
    std::vector<std::string> all;
    for (const Form& form : forms()) {
        if (form.law != "constant") all.push_back(written(form));
    }
    all.emplace_back("empirical(file.csv, unit=ms)");
    all.emplace_back("mixture(0.9: …, 0.1: …)");
    return listed(all);
}

std::string distribution_laws() {
    std::string all = "empirical|mixture";
    std::string_view last;
    for (const Form& form : forms()) {
        if (form.law != last) all += fmt::format("|{}", form.law);
        last = form.law;
    }
    return all;
}

std::optional<Distribution> read_distribution(std::string_view text, const std::filesystem::path& folder, Fault& fault,
                                              std::string* included) {
    if (text.size() > 100'000) {
        fault = {"is too long for a distribution", 0};
        return std::nullopt;
    }
    return Parser(text, folder, fault, included).read(text, 0);
}

std::optional<Distribution> parse_distribution(std::string_view text, const std::filesystem::path& folder,
                                               std::string& error) {
    Fault fault;
    auto read = read_distribution(text, folder, fault);
    if (!read) error = std::move(fault.message);
    return read;
}

} // namespace narrows::scenario

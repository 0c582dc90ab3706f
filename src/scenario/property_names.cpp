// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/property_names.hpp"

#include "scenario/problems.hpp"

#include <algorithm>
#include <vector>

namespace narrows::scenario {

namespace {

using Words = std::vector<std::string>;

Words parts_of(std::string_view name) {
    Words parts;
    for (std::size_t start = 0; start <= name.size();) {
        const std::size_t end = std::min(name.find('.', start), name.size());
        parts.push_back(uniform_name(name.substr(start, end - start)));
        start = end + 1;
    }
    return parts;
}

/// "maxPoolSize", "max-pool-size" -> max, pool, size
Words words_of(std::string_view part) {
    Words words(1);
    bool small = false; // whether the letter before was a small one: then a capital begins a word
    for (const char c : part) {
        const bool capital = c >= 'A' && c <= 'Z';
        const bool separates = c == '-' || c == '_';
        if ((separates || (capital && small)) && !words.back().empty()) words.emplace_back();
        if (!separates) words.back() += uniform_name(std::string_view(&c, 1));
        small = !capital && !separates;
    }
    return words;
}

/// Whether each word of `some` shortens (or is) one of `all`, in the same order.
bool shortens(const Words& some, const Words& all) {
    std::size_t at = 0;
    for (std::string word : some) {
        if (word.ends_with('s')) word.pop_back(); // conns for connections
        while (at < all.size() && (word.size() < 3 || !all[at].starts_with(word)))
            ++at;
        if (at++ == all.size()) return false;
    }
    return true;
}

bool is_subsequence(const Words& some, const Words& all) {
    std::size_t at = 0;
    for (const std::string& word : all)
        at += at < some.size() && some[at] == word ? 1U : 0U;
    return at == some.size();
}

std::string_view last_part(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

} // namespace

std::string uniform_name(std::string_view name) {
    std::string uniform;
    for (const char c : name) {
        if (c != '-' && c != '_') uniform += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return uniform;
}

bool may_stand_for(std::string_view name, std::string_view known) {
    const Words given = parts_of(name);
    const Words right = parts_of(known);
    if (given == right) return false;
    // A single common word ("max") at the end says too little about which place is meant.
    const bool telling = words_of(last_part(known)).size() > 1;
    if (given.size() < right.size()) return telling && given.back() == right.back() && is_subsequence(given, right);
    if (given.size() != right.size() || !std::equal(given.begin(), given.end() - 1, right.begin())) return false;
    const std::size_t limit = std::max<std::size_t>(2, right.back().size() / 3);
    if (edit_distance(given.back(), right.back(), limit) <= limit && right.back().size() > 5) return true;
    const Words words = words_of(last_part(name));
    return telling && words.size() > 1 && shortens(words, words_of(last_part(known)));
}

} // namespace narrows::scenario

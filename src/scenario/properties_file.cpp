// SPDX-License-Identifier: GPL-3.0-or-later
// The format of java.util.Properties (its class comment in the JDK): '=', ':' or white space ends a
// key, '\' continues a line, '#' and '!' begin comments.
#include "scenario/quantity.hpp"
#include "scenario/source_text.hpp"
#include "scenario/spring.hpp"

#include <fmt/format.h>

namespace narrows::scenario {

namespace {

bool continues(std::string_view line) {
    const std::size_t last = line.find_last_not_of('\\');
    const std::size_t slashes = last == std::string_view::npos ? line.size() : line.size() - last - 1;
    return slashes % 2 == 1;
}

void append_utf8(std::string& out, unsigned code) {
    if (code < 0x80) {
        out += static_cast<char>(code);
    } else if (code < 0x800) {
        out += static_cast<char>(0xC0 | (code >> 6));
        out += static_cast<char>(0x80 | (code & 0x3F));
    } else {
        out += static_cast<char>(0xE0 | (code >> 12));
        out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
        out += static_cast<char>(0x80 | (code & 0x3F));
    }
}

/// \uXXXX; 0 when the four digits are not there.
std::size_t append_unicode(std::string& out, std::string_view digits) {
    unsigned code = 0;
    if (digits.size() < 4) return 0;
    for (const char c : digits.substr(0, 4)) {
        const char lower = static_cast<char>(c | 0x20);
        const bool decimal = c >= '0' && c <= '9';
        if (!decimal && (lower < 'a' || lower > 'f')) return 0;
        code = code * 16 + static_cast<unsigned>(decimal ? c - '0' : lower - 'a' + 10);
    }
    append_utf8(out, code >= 0xD800 && code <= 0xDFFF ? 0xFFFD : code);
    return 4;
}

std::string unescaped(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\\' || i + 1 == text.size()) {
            out += text[i];
            continue;
        }
        const char c = text[++i];
        if (c == 'n')
            out += '\n';
        else if (c == 't')
            out += '\t';
        else if (c == 'r')
            out += '\r';
        else if (c == 'u')
            i += append_unicode(out, text.substr(i + 1));
        else
            out += c;
    }
    return out;
}

/// Where the key ends: at the first '=', ':' or white space that no '\' precedes.
std::size_t key_end(std::string_view line) {
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '\\')
            ++i;
        else if (line[i] == '=' || line[i] == ':' || line[i] == ' ' || line[i] == '\t')
            return i;
    }
    return line.size();
}

void add_setting(std::string_view line, Mark mark, int origin, Node& into) {
    const std::size_t end = key_end(line);
    std::string_view value = line.substr(end);
    const std::size_t start = value.find_first_not_of(" \t");
    value = start == std::string_view::npos ? std::string_view{} : value.substr(start);
    if (value.starts_with('=') || value.starts_with(':')) value = value.substr(1);
    const std::string text = unescaped(trimmed(value));
    const std::string key = unescaped(line.substr(0, end));
    into.entries.push_back({key, mark, origin, scalar_node(text, mark, origin)});
}

} // namespace

Node parse_properties(std::string_view text, int origin, Problems& problems) {
    Node all;
    all.kind = Node::Kind::mapping;
    all.origin = origin;
    all.mark = {1, 1};
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    if (const std::size_t bad = first_bad_utf8(text); bad != std::string_view::npos) {
        problems.error(origin, mark_at(text, bad), "not UTF-8 text");
        return all;
    }
    std::string logical;
    Mark mark{0, 1};
    int number = 0;
    while (!text.empty() && all.entries.size() < kMaxNodes) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        ++number;
        if (line.ends_with('\r')) line.remove_suffix(1);
        const std::size_t start = std::min(line.find_first_not_of(" \t\f"), line.size());
        line.remove_prefix(start);
        if (logical.empty()) {
            if (line.empty() || line[0] == '#' || line[0] == '!') continue;
            mark = {number, static_cast<int>(start) + 1};
        }
        const bool more = continues(line) && !text.empty();
        logical += more ? line.substr(0, line.size() - 1) : line;
        if (more) continue;
        if (!logical.empty()) add_setting(logical, mark, origin, all);
        logical.clear();
    }
    return all;
}

} // namespace narrows::scenario

// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/source_text.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fstream>
#include <openssl/sha.h>

namespace narrows::scenario {

Mark mark_at(std::string_view text, std::size_t offset) {
    offset = std::min(offset, text.size());
    const std::string_view before = text.substr(0, offset);
    const std::size_t newline = before.rfind('\n');
    const std::size_t start = newline == std::string_view::npos ? 0 : newline + 1;
    return {static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1, static_cast<int>(offset - start) + 1};
}

namespace {

/// Length of the well-formed sequence at `at`, 0 if there is none (Unicode 15, table 3-7).
std::size_t sequence_length(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u;
    };
    const auto tail = [&](std::size_t i) { return byte(i) >= 0x80 && byte(i) <= 0xBF; };
    const unsigned first = byte(0);
    if (first < 0x80) return first == 0 ? 0 : 1;
    if (first >= 0xC2 && first <= 0xDF) return tail(1) ? 2 : 0;
    if (first >= 0xE0 && first <= 0xEF) {
        const bool allowed = (first != 0xE0 || byte(1) >= 0xA0) && (first != 0xED || byte(1) <= 0x9F);
        return allowed && tail(1) && tail(2) ? 3 : 0;
    }
    if (first >= 0xF0 && first <= 0xF4) {
        const bool allowed = (first != 0xF0 || byte(1) >= 0x90) && (first != 0xF4 || byte(1) <= 0x8F);
        return allowed && tail(1) && tail(2) && tail(3) ? 4 : 0;
    }
    return 0;
}

/// Whether a line opens a block scalar: its last word is | or > with optional indicators.
bool opens_block(std::string_view line) {
    const std::size_t comment = line.find(" #");
    if (comment != std::string_view::npos) line = line.substr(0, comment);
    const std::size_t end = line.find_last_not_of(" \t\r");
    if (end == std::string_view::npos) return false;
    line = line.substr(0, end + 1);
    const std::size_t sign = line.find_last_not_of("+-0123456789");
    if (sign == std::string_view::npos || (line[sign] != '|' && line[sign] != '>')) return false;
    return sign == 0 || line[sign - 1] == ' ';
}

} // namespace

std::size_t first_bad_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = sequence_length(text, i);
        if (length == 0) return i;
        i += length;
    }
    return std::string_view::npos;
}

std::optional<Mark> first_indenting_tab(std::string_view text) {
    int number = 0;
    std::size_t block = std::string_view::npos; // indentation of the line that opened a block scalar
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        const std::string_view line = text.substr(start, end - start);
        start = end + 1;
        ++number;
        const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
        const std::size_t word = line.find_first_not_of(" \t\r");
        if (word == std::string_view::npos) continue;
        if (block != std::string_view::npos && indent > block) continue;
        block = std::string_view::npos;
        if (line[word] == '#') continue;
        if (line[indent] == '\t') return Mark{number, static_cast<int>(indent) + 1};
        if (opens_block(line)) block = indent;
    }
    return std::nullopt;
}

std::optional<std::string> read_file(const std::filesystem::path& path, std::size_t limit, std::string& error) {
    std::error_code failed;
    const auto status = std::filesystem::status(path, failed);
    if (failed || !std::filesystem::exists(status)) {
        error = "there is no such file";
        return std::nullopt;
    }
    if (!std::filesystem::is_regular_file(status)) {
        error = std::filesystem::is_directory(status) ? "is a folder, not a file" : "is not a regular file";
        return std::nullopt;
    }
    const auto size = std::filesystem::file_size(path, failed);
    if (!failed && size > limit) {
        error = fmt::format("has {} bytes; at most {} are read", size, limit);
        return std::nullopt;
    }
    std::ifstream in(path, std::ios::binary);
    std::string content(limit + 1, '\0');
    in.read(content.data(), static_cast<std::streamsize>(content.size()));
    content.resize(static_cast<std::size_t>(in.gcount()));
    if (in.bad() || !in.eof() || content.size() > limit) {
        error = content.size() > limit ? fmt::format("has more than {} bytes", limit) : "cannot be read";
        return std::nullopt;
    }
    return content;
}

std::string sha256_hex(std::string_view bytes) {
    std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
    SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
    std::string hex;
    for (const unsigned char byte : digest)
        hex += fmt::format("{:02x}", byte);
    return hex;
}

} // namespace narrows::scenario

// SPDX-License-Identifier: GPL-3.0-or-later
// Spring Boot's properties under application:, with Boot's relaxed names.
#pragma once

#include "scenario/table.hpp"

namespace narrows::scenario {

/// `application:` as a mapping of properties, nested, dotted or mixed; or the path of an
/// application.yml or .properties file; or a mapping with `file:` and properties on top.
[[nodiscard]] Type<Application> application();

/// Whether a name is a property that the models use, or looks like one of Spring's.
[[nodiscard]] bool is_spring_property(std::string_view name);

/// The settings of a .properties file as a mapping of dotted names.
[[nodiscard]] Node parse_properties(std::string_view text, int origin, Problems& problems);

/// Whether a setting of that name is given in an `application:` node (this file's own, not those of a
/// file it names).
[[nodiscard]] bool gives_property(const Node& application, std::string_view name);

} // namespace narrows::scenario

// SPDX-License-Identifier: GPL-3.0-or-later
// Names of Spring Boot's properties: which are the same, and which may be meant for another.
#pragma once

#include <string>
#include <string_view>

namespace narrows::scenario {

/// A property's name as Boot compares names: lower case, without '-' and '_' (Spring Boot reference,
/// "Relaxed Binding").
[[nodiscard]] std::string uniform_name(std::string_view name);

/// Whether an unknown property is so near to a known one that it may be meant for it: it is in the same
/// place and its last part is misspelt or shortened (maxPoolSize for maximum-pool-size), or it lacks parts
/// of the known one's place (spring.datasource.maximum-pool-size).
[[nodiscard]] bool may_stand_for(std::string_view name, std::string_view known);

} // namespace narrows::scenario

// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/root.hpp"

namespace narrows::scenario {

std::string json_schema() {
    SchemaWriter writer;
    Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "A scenario of Narrows"}};
    schema.update(root_schema(writer));
    schema["$defs"] = writer.definitions;
    return schema.dump(2) + "\n";
}

} // namespace narrows::scenario

// Entries of `outputs:` in a job.
#pragma once

#include <string>
#include <vector>

#include "core/base/value.hpp"
#include "core/inline/definition.hpp"
#include "core/job/yaml_node.hpp"

namespace kernelbatch {

/// Memory with its contents, or a view of another output. Throws SpecError with the place.
InlineBuffer read_buffer(const std::string& name, const YamlNode& node,
                         const std::vector<InlineInput>& inputs, const NamedValues& facts);

}  // namespace kernelbatch

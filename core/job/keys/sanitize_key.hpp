// The key `sanitize`, wherever a job has it.
#pragma once

#include <string_view>

#include "core/job/keys/key.hpp"
#include "core/job/spec.hpp"

namespace kernelbatch {

/// `sanitize: true` or a list of checks.
CheckKinds read_check_kinds(const YamlNode& node, std::string_view key);
/// The same with the place of the checks: `[race, gpu]`.
Checks read_checks(const YamlNode& node, std::string_view key);
YamlNode checks_node(const Checks& checks);
Rule checks_rule(bool has_place);

}  // namespace kernelbatch

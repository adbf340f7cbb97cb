// Names of variables in compiled code.
#pragma once

#include <string>
#include <string_view>

namespace kernelbatch {

/// The symbol of a variable: its name or, for "ns::name", its Itanium-ABI mangled name
/// ("_ZN2ns4nameE").
std::string variable_symbol(std::string_view name);

}  // namespace kernelbatch

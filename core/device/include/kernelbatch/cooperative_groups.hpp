// CUDA's name for groups.hpp, where a text names it and does not include CUDA's own header.
#pragma once

#include "kernelbatch/groups.hpp"

namespace cooperative_groups {
using namespace kernelbatch::groups;
/// CUDA's plus has its type as an argument.
template <class T = void>
struct plus : kernelbatch::plus {};
}  // namespace cooperative_groups

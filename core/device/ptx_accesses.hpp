// Types of the elements that a PTX kernel loads and stores.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kernelbatch {

/// Accesses through one pointer that is passed to the kernel.
struct PointerAccess {
  std::size_t parameter = 0, offset = 0;  ///< place of the pointer; the offset is in the parameter
  /// "f32", "bf16", "s32", "u8"; empty if accesses differ or move bits of unknown meaning.
  std::string type;
};

/// Pointers whose accesses can be followed: by copies, sums, and selections. Types are those of
/// the instructions, or of what is computed with the values. Empty if the module has no such
/// entry or cannot be read.
std::vector<PointerAccess> pointer_accesses(std::string_view ptx, std::string_view entry);

}  // namespace kernelbatch

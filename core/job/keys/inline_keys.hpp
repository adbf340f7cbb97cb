// The keys of `workload: inline`: one table for each mapping that a kernel has.
#pragma once

#include <span>
#include <string_view>

#include "core/base/variant_kind.hpp"
#include "core/job/kernel_definition.hpp"
#include "core/job/keys/key.hpp"

namespace kernelbatch {

/// A key of a kernel, with the member that holds its value. Keys without a member are those of
/// arguments, textures, surfaces and globals.
struct KernelKey : Key {
  KernelMember (*member)(KernelDefinition&) = nullptr;
};

/// A kind of kernel named in jobs, with the keys in addition to `kind`.
struct InlineKind {
  VariantKind kind;
  std::string_view name;
  std::span<const KernelKey> keys;
  bool may_be_step = false;
};

std::span<const InlineKind> inline_kinds();
/// The row of a kind; throws std::out_of_range if jobs do not support it.
const InlineKind& inline_kind(VariantKind kind);

std::span<const Key> buffer_keys();         ///< of `outputs:`
std::span<const Key> scratch_array_keys();  ///< of `scratch:`
std::span<const Key> view_keys();           ///< `{of: x, …}`
std::span<const Key> scalar_argument_keys();
std::span<const Key> bytes_argument_keys();
std::span<const Key> tensor_map_argument_keys();
std::span<const Key> module_keys();
std::span<const Key> texture_keys();
std::span<const Key> surface_keys();
/// The first four are the sources; a reference has one of them.
std::span<const Key> inline_reference_keys();

}  // namespace kernelbatch

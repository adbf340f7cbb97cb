// Definition of a kernel written in a job: the structs that kernels are made from and called with.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/value.hpp"
#include "core/base/variant_kind.hpp"
#include "core/device/device.hpp"
#include "core/kernel/elementwise/kernel.hpp"
#include "core/kernel/jit/kernel.hpp"
#include "core/kernel/raw/kernel.hpp"
#include "core/kernel/reduction/kernel.hpp"

namespace kernelbatch {

/// Members of other kinds are unused. Texts are views of the job's nodes.
struct KernelDefinition {
  VariantKind kind = VariantKind::kElementwise;
  ElementwiseText elementwise = {};
  std::optional<std::int64_t> size = {};  ///< of the loop, if every array is raw
  ReductionText reduction = {};
  ReductionCall over = {};
  std::string_view source = {};  ///< of raw and jit kernels
  std::string entry = {};        ///< of raw and jit kernels
  LaunchShape shape = {};
  std::optional<int> carveout = {};  ///< of raw kernels and images: percent of L1
  RawOptions raw = {};
  std::vector<std::string> name_expressions = {};
  std::filesystem::path file = {};    ///< of a raw kernel, instead of a source; of an image
  std::filesystem::path ptx = {};     ///< of an image that the host device cannot run
  std::filesystem::path triton = {};  ///< description of an image that Triton made
  int null_pointers = 0;              ///< parameters behind those of the job
  JitOptions jit = {};
  std::string_view expression = {}, fused_name = "fused";
};

/// The member that a key fills; its type determines how the value is read.
using KernelMember =
    std::variant<bool*, std::size_t*, std::optional<int>*, std::optional<std::int64_t>*,
                 std::string_view*, std::string*, std::optional<std::string>*,
                 std::vector<std::string>*, std::filesystem::path*, CompilerBackend*, Dim3*,
                 std::optional<AxisNumbers>*, NamedValues*>;

}  // namespace kernelbatch

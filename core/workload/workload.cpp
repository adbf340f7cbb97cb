#include "core/workload/workload.hpp"

#include <array>

namespace kernelbatch {

Problem::~Problem() = default;
std::vector<OutputArray> Problem::outputs_of(std::string_view) const { return outputs(); }
Cost Problem::cost_of(std::string_view) const { return cost(); }

Inputs::~Inputs() = default;
Workload::~Workload() = default;

double Workload::device_bytes(const Params&) const { return 0; }

std::string_view to_text(VariantKind kind) noexcept {
  constexpr std::array<std::string_view, 8> kNames{
      "reference", "elementwise", "reduction", "jit", "raw", "fused", "unfused", "library"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace kernelbatch

#include "core/workload/workload.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "core/base/text.hpp"

namespace kernelbatch {

Problem::~Problem() = default;
std::vector<OutputArray> Problem::outputs_of(std::string_view) const { return outputs(); }
Cost Problem::cost_of(std::string_view) const { return cost(); }
bool Problem::reference_follows_inputs() const { return true; }

const OutputArray& output_named(const std::vector<OutputArray>& outputs, std::string_view name) {
  std::vector<std::string> names;
  for (const OutputArray& each : outputs) {
    if (each.name == name) return each;
    names.push_back("'" + each.name + "'");
  }
  throw std::logic_error(fmt::format("the workload declares no output '{}'; its outputs: {}", name,
                                     names.empty() ? "none" : join(names)));
}

Inputs::~Inputs() = default;

std::string form_text(const InputDeclaration& input) {
  if (input.extents.empty()) return "";
  const std::string dtype = input.dtype.empty() ? "" : input.dtype + ", ";
  return fmt::format("{}shape ({}{})", dtype, join(input.extents),
                     input.extents.size() == 1 ? "," : "");
}
Workload::~Workload() = default;

double Workload::device_bytes(const Params&) const { return 0; }

}  // namespace kernelbatch

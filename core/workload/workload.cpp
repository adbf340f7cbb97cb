#include "core/workload/workload.hpp"

namespace kernelbatch {

Problem::~Problem() = default;
std::vector<OutputArray> Problem::outputs_of(std::string_view) const { return outputs(); }
Cost Problem::cost_of(std::string_view) const { return cost(); }
bool Problem::reference_follows_inputs() const { return true; }

Inputs::~Inputs() = default;
Workload::~Workload() = default;

double Workload::device_bytes(const Params&) const { return 0; }

}  // namespace kernelbatch

#include "core/workload/run.hpp"

namespace kernelbatch {

Run::~Run() = default;

}  // namespace kernelbatch

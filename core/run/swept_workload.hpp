// SweptWorkload: a workload of a job with typed parameter values.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/job/case_id.hpp"
#include "core/job/sweep.hpp"
#include "core/workload/workload.hpp"

namespace kernelbatch {

struct SweptWorkload {
  std::string name, version;                                ///< of the workload
  std::vector<std::pair<std::string, std::string>> inputs;  ///< other parts of its case IDs
  Sweep sweep;

  std::string id_of(const NamedValues& values) const {
    return case_id(name, version, values, inputs);
  }
};

}  // namespace kernelbatch

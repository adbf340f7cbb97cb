// PassRun: runs one pass of a case in worker processes until each of its variants has a result.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/case/message.hpp"
#include "core/run/variant_results.hpp"

namespace kernelbatch {

class PassRun {
 public:
  explicit PassRun(const PassPlace& place);
  PassRun(const PassRun&) = delete;
  PassRun& operator=(const PassRun&) = delete;

  /// Throws DeviceError if there is no device, RunError if no worker can be started,
  /// EnvironmentError without the pass's tool.
  PassOutcome run();

 private:
  void run_groups();
  void run_under_tool();
  bool run_once(const CaseRequest& request);
  CaseRequest request_for(const std::vector<std::string>& variants) const;
  bool end_of_time(const WorkerActivity& during);
  bool lose_worker(const WorkerActivity& during);
  bool goes_on_unexplained(const WorkerActivity& during, const std::string& end);

  PassPlace place_;
  std::map<std::string, int> crashes_;  ///< per variant
  VariantResults results_;
};

}  // namespace kernelbatch

// Judge: runs jobs whose kernels are in their text, one after another, in a worker that stays warm.
#pragma once

#include <string>

#include "core/job/spec.hpp"
#include "core/result/reader.hpp"
#include "core/run/run_state.hpp"
#include "core/run/worker_client.hpp"

namespace kernelbatch {

struct JudgeOptions {
  WorkerCommand worker_command;
  std::string device;            ///< resolved selector
  std::string device_name = {};  ///< key of a stored calibration; empty: none is stored
  Checks sanitize = {};          ///< checks to run instead of timing
  int interrupt = -1;            ///< a descriptor that becomes readable when the run must stop
  bool keeps_spare = false;      ///< a second worker waits to replace a crashed one
};

class Judge {
 public:
  explicit Judge(JudgeOptions options);
  Judge(const Judge&) = delete;
  Judge& operator=(const Judge&) = delete;

  /// Runs all cases of a job. Nothing is stored: the results have no outputs. The device is
  /// calibrated at most once. Throws SpecError for a job that is invalid or loads a plugin,
  /// DeviceError if there is no device, RunError if no worker can be started, and Error with
  /// ExitCode::kResumable after an interruption.
  ResultFile run(const JobSpec& job);

 private:
  class Silent final : public RunObserver {
   public:
    void on_start(std::size_t, std::size_t) override {}
    void on_changes(std::size_t, const std::vector<std::string>&) override {}
    void on_variant(const PlannedCase&, const std::string&, Phase) override {}
    void on_result(const ResultRecord&, std::size_t, std::size_t) override {}
  };

  JudgeOptions options_;
  WorkerClient workers_;
  Silent observer_;
  RunState state_;
  int jobs_ = 0;
};

}  // namespace kernelbatch

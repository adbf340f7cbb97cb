// RunState: state shared by the cases of a run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/file.hpp"
#include "core/result/record.hpp"
#include "core/run/compile_ahead.hpp"
#include "core/run/output_place.hpp"
#include "core/run/pass.hpp"
#include "core/run/run_observer.hpp"
#include "core/run/worker_client.hpp"

namespace kernelbatch {

struct RunState {
  WorkerClient& workers;
  RunObserver& observer;
  RunPurpose purpose;
  OutputPlace* place = nullptr;   ///< null: nothing is stored
  std::string spill_folder = {};  ///< where workers write outputs; empty: none are stored
  std::int64_t number = -1;       ///< ResultRecord::run of this run's results
  EnvironmentRecord environment = {};
  std::vector<DeviceCalibration> calibration = {};  ///< of this job's device, once known
  bool was_calibrated = false;                      ///< or cannot be calibrated
  CompileAhead* ahead = nullptr;                    ///< null if nothing is compiled in advance
  double evidence_s = 0;                            ///< of one variant, most recent; 0 = unknown
  std::vector<std::string> problems = {};           ///< results that could not be written
};

/// An array to be stored.
struct SpilledArray {
  std::string variant, output;
  std::int64_t stride = 1;
  MappedFile file;
};

}  // namespace kernelbatch

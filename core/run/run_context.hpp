// RunContext: the harness behind Run. One variant of one case: verify, then time.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/job/spec.hpp"
#include "core/plugin/workload.hpp"
#include "core/run/guarded_output.hpp"
#include "core/run/measure.hpp"
#include "core/store/record.hpp"

namespace kernelbatch {

/// Host arrays of a case's outputs, by name.
using OutputArrays = std::map<std::string, Array>;

/// Times work that has been verified, on the streams that it uses.
using TimeWork =
    std::function<Timing(const std::function<void()>& work, std::vector<Stream*> streams)>;

/// What a variant is run with.
struct RunSetting {
  const Params& params;
  const std::vector<OutputArray>& outputs;  ///< with the tolerances that hold
  const MeasureSpec& measure;
  int repeat = 1;                      ///< 2 = compare two runs bit for bit
  const OutputArrays* want = nullptr;  ///< null: this run makes the reference
  bool is_timed = true;
  bool lists_launches = true;  ///< in one more run, after all timing
  double memory_limit = 0;     ///< bytes on the device; 0 = none
  /// Whether the variant's kernels can work in pieces on arrays that the limit keeps off the
  /// device.
  bool may_stream = false;
  double case_bytes = 0;          ///< that all of the case's arrays have at least; 0 = unknown
  double* memory_used = nullptr;  ///< what all variants that are alive use of it
  TimeWork time = {};             ///< on a device
  std::function<void(const std::string& phase)> on_phase;
};

/// Runs a variant's function as `Run`, filling a record: status, errors, times, launches' kernels.
/// `device` is null for a reference, which works in plain host memory.
class RunContext final : public Run {
 public:
  RunContext(Device* device, const RunSetting& setting, ResultRecord& record);
  ~RunContext() override;

  const Params& params() const override { return setting_.params; }
  Device& device() override;
  Stream& stream(int number) override;
  Array to_device(const Array& host) override;
  Array scratch(DType dtype, const Shape& shape) override;
  Array output(std::string_view name) override;
  void measure(const std::function<void()>& work) override;

  bool was_measured() const noexcept { return was_measured_; }
  /// Outputs of the verified run, in host memory.
  OutputArrays take_outputs() { return std::move(got_); }

 private:
  void measure_on_cpu(const std::function<void()>& work);
  void measure_on_device(const std::function<void()>& work);
  void first_call(const std::function<void()>& work);
  OutputArrays read_outputs();
  bool guards_are_whole();
  /// Compares what has a reference; returns whether all of that is right.
  bool verify();
  void record_kernels();
  void list_launches(const std::function<void()>& work);
  void count_memory(double bytes);
  /// Whether an array of so many bytes has to stay in host memory; counts the buffers for it if so.
  bool stays_on_host(std::size_t bytes);
  void wait_for_streams();

  Device* device_;
  const RunSetting& setting_;
  ResultRecord& record_;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::map<std::string, std::unique_ptr<GuardedOutput>, std::less<>> guarded_;
  std::set<std::string, std::less<>> overrun_;  ///< outputs whose guard bands have changed
  std::map<std::string, Array, std::less<>> host_outputs_;
  OutputArrays got_;
  double own_memory_ = 0, counted_ = 0, staged_ = 0;
  double* memory_used_;
  bool was_measured_ = false;
};

}  // namespace kernelbatch

// Recorder: copies a launch's memory before and after it, and writes the record.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "core/device/cuda/capture/record.hpp"
#include "core/device/cuda/capture/selection.hpp"

namespace kernelbatch::capture {

class Recorder {
 public:
  using Report = std::function<void(const std::string& message)>;
  /// `report` receives messages for the user.
  Recorder(Settings settings, DriverCalls& driver, Report report);

  const Settings& settings() const noexcept { return settings_; }
  Selection& selection() noexcept { return selection_; }

  /// Before a launch. `capture` has its launch, image and device. No other launch is recorded until
  /// end() or cancel(), which the same thread must call. Returns the memory that it reaches.
  std::vector<Range> begin(Capture capture);
  /// After the launch: writes the record. Returns its folder; empty if memory is missing.
  std::filesystem::path end();
  /// Writes a complete record whose memory was read by others. Returns its folder.
  std::filesystem::path write(Capture capture);
  /// The launch failed.
  void cancel(const std::string& reason);
  /// Writes the names and counts of the kernels seen so far.
  void write_seen() const;

 private:
  void read_before();
  /// Reads the contents of every range that is not yet in a block. False if memory is missing.
  bool read_new(const PointerSearch& search);
  std::filesystem::path write_locked(const Capture& capture);
  bool read(const Range& range, std::vector<std::byte>& contents);
  std::string over_limit(const PointerSearch& search) const;

  Settings settings_;
  DriverCalls& driver_;
  Report report_;
  Selection selection_;
  std::mutex mutex_;  ///< held from begin() to end()
  std::optional<Capture> capture_;
  std::uint64_t records_ = 0;
};

}  // namespace kernelbatch::capture

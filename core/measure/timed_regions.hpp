// Regions of a measurement that end when they go out of scope.
#pragma once

#include "core/device/gate.hpp"
#include "core/measure/timing_tools.hpp"

namespace kernelbatch {

/// Opens a closed gate, also if an exception is thrown.
class Hold {
 public:
  Hold(Gate& gate, Stream& stream, double patience_s) : gate_(gate) {
    gate_.close(stream, patience_s);
  }
  ~Hold() { gate_.open(); }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

 private:
  Gate& gate_;
};

/// Region that a waiting profiler captures, in a run for a profiler.
class ProfiledRegion {
 public:
  explicit ProfiledRegion(TimingTools& tools) : tools_(tools) {
    if (is_wanted()) start_profiler(tools_.device());
  }
  ~ProfiledRegion() {
    if (is_wanted()) stop_profiler(tools_.device());
  }
  ProfiledRegion(const ProfiledRegion&) = delete;
  ProfiledRegion& operator=(const ProfiledRegion&) = delete;

 private:
  bool is_wanted() const { return tools_.style() == TimingTools::Style::kPlain; }
  TimingTools& tools_;
};

}  // namespace kernelbatch

// TrySession: judges kernels on one device, in a worker that stays warm.
#pragma once

#include "core/app/try/answer.hpp"
#include "core/run/judge/judge.hpp"

namespace kernelbatch::app {

class TrySession {
 public:
  struct Setting {
    TryDevice device;
    int interrupt = -1;
    bool keeps_spare = false;  ///< a second worker replaces one that crashed
  };
  explicit TrySession(Setting setting);

  const TryDevice& device() const noexcept { return setting_.device; }
  /// Judges one or two files: at the size of their inputs, then at the other sizes. Errors of the
  /// request are answers. Throws DeviceError, and Error with ExitCode::kResumable after an
  /// interruption.
  TryAnswer answer(const TryOptions& options);

 private:
  Setting setting_;
  Judge judge_;
};

}  // namespace kernelbatch::app

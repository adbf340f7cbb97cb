// CUPTI's list of kernels. The library is opened at run time and listens only during a session.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/device/launch_log.hpp"

namespace kernelbatch::cuda {

/// From open() to finish() or destruction every kernel of the process is recorded. One at a time.
class CuptiSession {
 public:
  /// Null with a reason where CUPTI cannot be opened or another tool has it.
  static std::unique_ptr<CuptiSession> open(std::string& reason);
  ~CuptiSession();
  CuptiSession(const CuptiSession&) = delete;
  CuptiSession& operator=(const CuptiSession&) = delete;

  /// The kernels in the order in which they started; the device must be idle. `reason` says what
  /// went wrong, if anything.
  std::vector<Launch> finish(std::string& reason);

 private:
  CuptiSession() = default;
  bool is_listening_ = true;
};

/// Whether CUPTI can be used; `text` gets its file, or why not.
bool describe_cupti(std::string& text);

}  // namespace kernelbatch::cuda

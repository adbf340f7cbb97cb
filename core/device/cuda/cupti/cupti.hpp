// CUPTI's list of kernels. The library is opened at run time and listens only during a session.
#pragma once

#include <memory>
#include <string>

#include "core/device/launch_log.hpp"

namespace kernelbatch::cuda {

/// Records every kernel, copy and memset of the process from open() to finish() or destruction. One
/// session at a time.
class CuptiSession {
 public:
  /// Null with a reason if CUPTI cannot be opened or another tool uses it.
  static std::unique_ptr<CuptiSession> open(std::string& reason);
  ~CuptiSession();
  CuptiSession(const CuptiSession&) = delete;
  CuptiSession& operator=(const CuptiSession&) = delete;

  /// Kernels and transfers in the order in which they started, with starts in s since the first of
  /// them; the device must be idle. `reason` describes an error, if any.
  LaunchList finish(std::string& reason);

 private:
  CuptiSession() = default;
  bool is_listening_ = true, lists_transfers_ = false;
};

/// True if CUPTI can be used; `text` receives its file, or the reason why not.
bool describe_cupti(std::string& text);

}  // namespace kernelbatch::cuda

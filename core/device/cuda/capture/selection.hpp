// Selection: which launches are captured.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <regex>
#include <string>

#include "core/device/cuda/capture/settings.hpp"

namespace kernelbatch::capture {

/// A kernel that the program launched.
struct SeenKernel {
  std::string name = {};  ///< demangled
  bool matches = false;
  std::atomic<std::uint64_t> launches = 0;
  std::atomic<std::uint64_t> in_graphs = 0;  ///< nodes of instantiated graphs
};

class Selection {
 public:
  /// Throws std::regex_error for an invalid expression.
  explicit Selection(const Settings& settings);

  /// True if the expression matches the mangled or the demangled name.
  bool matches(const std::string& mangled) const;
  /// The kernel with this mangled name. The reference stays valid. Any thread may call it.
  SeenKernel& kernel(const std::string& mangled);
  /// Launches are captured from now on, or no longer.
  void set_open(bool is_open) { is_open_ = is_open; }
  /// Counts one launch. Returns its number among captured launches, from 1; 0 if it is not
  /// captured.
  std::uint64_t count(SeenKernel& kernel);
  /// Number of matching launches before the next captured one.
  std::uint64_t left_before() const;
  /// True if every launch that was asked for is captured.
  bool is_finished() const;

  /// Calls `visit` with every kernel, by mangled name.
  template <class Visit>
  void visit_kernels(Visit visit) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, kernel] : kernels_) visit(name, *kernel);
  }

 private:
  std::regex expression_;
  bool matches_all_;
  std::uint64_t first_, end_;
  std::atomic<bool> is_open_;
  std::atomic<std::uint64_t> matched_ = 0;
  mutable std::mutex mutex_;
  std::map<std::string, std::unique_ptr<SeenKernel>> kernels_;
};

}  // namespace kernelbatch::capture

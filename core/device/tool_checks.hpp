// Checks by a tool that this process runs under, such as compute-sanitizer.
#pragma once

#include <fstream>

#include "core/device/access_checks.hpp"

namespace kernelbatch {

/// Environment variable: the file in which a process under such a tool lists its arrays, so that
/// the tool's addresses can be resolved. One line each: address, bytes, bytes of an element, name.
inline constexpr const char* kCheckedArraysVariable = "KERNELBATCH_CHECKED_ARRAYS";

/// Has no findings itself.
class ToolChecks final : public AccessChecks {
 public:
  ToolChecks();
  void describe(const void* memory, std::size_t bytes, std::size_t item, const std::string& name,
                ArrayUse use) override;
  void on_finding(std::function<void(const KernelFinding&)>) override {}
  std::vector<KernelFinding> take_findings() override { return {}; }
  bool is_outside() const noexcept override { return true; }

 private:
  std::ofstream arrays_;
};

}  // namespace kernelbatch

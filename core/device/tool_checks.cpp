#include "core/device/tool_checks.hpp"

#include <fmt/format.h>

#include "core/base/process.hpp"

namespace kernelbatch {

ToolChecks::ToolChecks() {
  if (const auto path = environment(kCheckedArraysVariable)) arrays_.open(*path, std::ios::app);
}

void ToolChecks::describe(const void* memory, std::size_t bytes, std::size_t item,
                          const std::string& name, ArrayUse) {
  arrays_ << fmt::format("{:#x} {} {} {}\n", reinterpret_cast<std::uintptr_t>(memory), bytes, item,
                         name);
  arrays_.flush();  // the process may end before its time
}

}  // namespace kernelbatch

// A compiler for a GPU architecture, which needs no GPU, and sources for it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/device/device_list.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch::test {

/// Prints a warning and returns nullptr if there is no NVRTC.
inline std::unique_ptr<Compiler> cuda_compiler(const char* target = "sm_90") {
  try {
    return make_compiler(target);
  } catch (const DeviceError& error) {
    WARN("not checked: " << error.what());
    return nullptr;
  }
}

inline KernelSource source_of(const std::string& text, std::vector<std::string> entries) {
  KernelSource source;
  source.name = "source";
  source.text = text;
  source.entries = std::move(entries);
  return source;
}

}  // namespace kernelbatch::test

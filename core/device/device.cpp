#include "core/device/device.hpp"

namespace kernelbatch {

std::string_view to_text(DeviceKind kind) noexcept {
  return kind == DeviceKind::kCuda ? "cuda" : "host";
}

Event::~Event() = default;
Stream::~Stream() = default;
Compiler::~Compiler() = default;
Kernel::~Kernel() = default;
Module::~Module() = default;
Device::~Device() = default;

}  // namespace kernelbatch

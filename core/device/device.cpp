#include "core/device/device.hpp"

#include "core/base/error.hpp"
#include "core/device/tensor_map.hpp"

namespace kernelbatch {

Event::~Event() = default;
bool Event::is_done() {
  synchronize();
  return true;
}
StreamGraph::~StreamGraph() = default;
Stream::~Stream() = default;
void Stream::begin_capture() { throw UnsupportedError("this device has no graphs of work"); }
void* Stream::native() const noexcept { return nullptr; }
std::unique_ptr<StreamGraph> Stream::end_capture() {
  throw UnsupportedError("this device has no graphs of work");
}
Compiler::~Compiler() = default;
Kernel::~Kernel() = default;
void Kernel::set_max_dynamic_shared(std::int64_t) {
  throw UnsupportedError("this device has no limit of dynamic shared memory to set");
}
std::uint64_t Kernel::blocks_at_once(const LaunchShape& shape) { return shape.grid.count(); }

void Kernel::set_shared_carveout(int) {
  throw UnsupportedError("this device has no shared memory carveout to set");
}
Module::~Module() = default;
std::optional<InstructionMix> Module::instruction_mix(const std::string&) { return std::nullopt; }
Device::~Device() = default;
std::shared_ptr<void> Device::pin(void*, std::size_t) { return nullptr; }
void Device::reset_persisting_cache() noexcept {}
AccessChecks* Device::access_checks() noexcept { return nullptr; }
TextureFactory& Device::textures() { throw UnsupportedError("this device has no textures"); }
TensorMap Device::tensor_map(const TensorMapForm&) {
  throw UnsupportedError("this device has no tensor maps");
}

std::string device_text(const DeviceProperties& device) {
  return device.is_gpu ? device.name : "host " + device.name;
}

}  // namespace kernelbatch

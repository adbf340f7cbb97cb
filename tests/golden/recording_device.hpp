// A device that keeps the sources it is asked to compile and whose launches do nothing.
#pragma once

#include <memory>
#include <vector>

#include "core/device/device.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/h200.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch::test {

/// Memory is the host's, so that arrays can be made; kernels run nowhere. Keeps the kernel cache in
/// a folder of its own.
class RecordingDevice final : public Device {
 public:
  RecordingDevice();
  ~RecordingDevice() override;

  const std::vector<KernelSource>& sources() const noexcept { return sources_; }
  const std::vector<LaunchShape>& launches() const noexcept { return launches_; }

  const DeviceProperties& properties() const override { return properties_; }
  std::size_t free_memory() const override { return properties_.memory; }
  void* allocate(std::size_t bytes) override;
  void deallocate(void* memory) noexcept override;
  void copy(void* to, const void* from, std::size_t bytes, Copy kind, Stream& stream) override;
  void fill(void* memory, std::uint32_t pattern, std::size_t bytes, Stream& stream) override;
  std::unique_ptr<Stream> make_stream() override;
  std::unique_ptr<Event> make_event() override;
  Compiler& compiler() override { return *compiler_; }
  std::unique_ptr<Module> load(const Image& image) override;

 private:
  TemporaryFolder folder_;
  EnvironmentVariable cache_{"KERNELBATCH_CACHE_DIR", folder_.path().string()};
  DeviceProperties properties_ = h200_properties();
  std::vector<KernelSource> sources_;
  std::vector<LaunchShape> launches_;
  std::unique_ptr<Compiler> compiler_;
};

}  // namespace kernelbatch::test

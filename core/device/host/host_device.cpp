#include "core/device/host/host_device.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>

#include "core/base/clock.hpp"
#include "core/base/error.hpp"
#include "core/base/memory.hpp"
#include "core/base/sandbox/sandbox.hpp"
#include "core/base/text.hpp"
#include "core/device/host/checks/checker.hpp"
#include "core/device/host/host_backend.hpp"
#include "core/device/host/host_launch.hpp"
#include "core/device/host/host_stream.hpp"
#include "core/device/host/host_texture.hpp"
#include "core/device/host/tensor_box.hpp"

namespace kernelbatch::host {
namespace {

/// Value of a "Key: N kB" line of a /proc file, in bytes.
std::optional<std::size_t> proc_kilobytes(const char* path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key)) return std::strtoull(line.c_str() + key.size(), nullptr, 10) * 1024;
  return std::nullopt;
}

std::string read_cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) {
      const std::size_t colon = line.find(':');
      if (colon != std::string::npos) return std::string(trim(line.substr(colon + 1)));
    }
  return "host CPU";
}

/// Read once: the system asks all cores for their frequency.
const std::string& cpu_name() {
  static const std::string name = read_cpu_name();
  return name;
}

class HostDevice final : public Device {
 public:
  explicit HostDevice(const CheckKinds& kinds)
      : properties_(host_properties()),
        checker_(kinds.empty() ? nullptr : std::make_unique<Checker>(kinds)),
        pool_(properties_.compute_units, checker_.get()),
        textures_(checker_.get()) {}

  const DeviceProperties& properties() const override { return properties_; }
  std::size_t free_memory() const override { return available_memory(); }

  void* allocate(std::size_t bytes) override {
    // Linux would grant the memory and kill the process when it is used.
    void* memory = nullptr;
    if (bytes < kWorthAsking || bytes <= free_memory())
      memory = std::aligned_alloc(256, (std::max<std::size_t>(bytes, 1) + 255) / 256 * 256);
    if (memory == nullptr)
      throw OutOfMemoryError(fmt::format("the host cannot give {}: {} of {} are free",
                                         format_bytes(bytes), format_bytes(free_memory()),
                                         format_bytes(properties_.memory)));
    if (checker_) checker_->add_allocation(memory, bytes);
    return memory;
  }
  void deallocate(void* memory) noexcept override {
    if (checker_) checker_->remove_allocation(memory);
    if (hides_memory()) ::explicit_bzero(memory, ::malloc_usable_size(memory));
    std::free(memory);
  }
  AccessChecks* access_checks() noexcept override { return checker_.get(); }

  void copy(void* to, const void* from, std::size_t bytes, Copy, Stream& stream) override {
    do_or_keep(stream, [=, this] {
      if (bytes > 0) std::memmove(to, from, bytes);
      MeasuringClock::add_copy(static_cast<double>(bytes));
      if (checker_) checker_->set_values(to, bytes);
    });
  }
  void fill(void* memory, std::uint32_t pattern, std::size_t bytes, Stream& stream) override {
    do_or_keep(stream, [=, this] {
      if (checker_) checker_->set_values(memory, bytes);
      std::fill_n(static_cast<std::uint32_t*>(memory), bytes / 4, pattern);
      std::memcpy(static_cast<std::byte*>(memory) + bytes / 4 * 4, &pattern, bytes % 4);
    });
  }
  std::unique_ptr<Stream> make_stream() override { return std::make_unique<HostStream>(*this); }
  std::unique_ptr<Event> make_event() override { return std::make_unique<HostEvent>(); }
  Compiler& compiler() override {
    if (!compiler_) compiler_ = make_host_compiler(checker_ != nullptr);
    return *compiler_;
  }
  std::unique_ptr<Module> load(const Image& image) override {
    return load_module(image, properties_, pool_, calls_, checker_.get());
  }
  TextureFactory& textures() override { return textures_; }
  TensorMap tensor_map(const TensorMapForm& form) override { return encode_tensor_map(form); }
  LaunchCalls& calls() noexcept { return calls_; }

 private:
  template <class Step>
  static void do_or_keep(Stream& stream, const Step& step) {
    if (HostStream* const captured = capturing(stream))
      captured->keep(step);
    else
      step();
  }

  DeviceProperties properties_;
  std::unique_ptr<Checker> checker_;  ///< null: kernels run unchecked
  WorkerPool pool_;
  LaunchCalls calls_;
  std::unique_ptr<Compiler> compiler_;
  HostTextures textures_;
};

}  // namespace

DeviceProperties host_properties() {
  DeviceProperties p;
  p.backend = &kBackend;
  p.selector = kBackend.name;
  p.shares_host_memory = true;
  p.name = cpu_name();
  p.target = host_target();
  p.compute_units = usable_cores();
  p.memory = proc_kilobytes("/proc/meminfo", "MemTotal:").value_or(0);
  const long cache = ::sysconf(_SC_LEVEL3_CACHE_SIZE);
  p.shared_cache = cache > 0 ? static_cast<std::size_t>(cache) : 0;
  p.warp_size = 32;
  p.max_threads_per_block = 1024;
  p.max_threads_per_unit = 1024;
  p.shared_per_block = 48 * 1024;
  p.shared_per_block_optin = p.shared_per_unit = 228 * 1024;
  p.loop_block = 1;
  p.loop_lanes = 1;
  // Fixed, so that results do not depend on the number of cores.
  p.loop_blocks = 64;
  p.loop_grain = 1 << 13;
  p.vector_bytes = 0;
  p.streams_per_thread = 16;
  return p;
}

std::unique_ptr<Device> open(const CheckKinds& kinds) {
  return std::make_unique<HostDevice>(kinds);
}

LaunchList record_launches(Device& device, const std::function<void()>& work) {
  return dynamic_cast<HostDevice&>(device).calls().list(work);
}

}  // namespace kernelbatch::host

#include "tests/golden/recording_device.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

namespace kernelbatch::test {
namespace {

class RecordingCompiler final : public Compiler {
 public:
  explicit RecordingCompiler(std::vector<KernelSource>& sources) : sources_(sources) {}
  std::string_view target() const override { return "recorded"; }
  /// Different for every compiler, so that none takes another's images from the process's cache.
  std::string identity() const override {
    return std::to_string(reinterpret_cast<std::uintptr_t>(this)) + "-" + std::to_string(number_);
  }
  Image compile(const KernelSource& source) override {
    sources_.push_back(source);
    return {"recorded", source.text, {}};
  }

 private:
  static inline int made_ = 0;
  int number_ = ++made_;
  std::vector<KernelSource>& sources_;
};

class NoEvent final : public Event {
 public:
  void synchronize() override {}
  double seconds_since(const Event&) const override { return 0; }
};

class NoStream final : public Stream {
 public:
  explicit NoStream(Device& device) : device_(device) {}
  Device& device() const noexcept override { return device_; }
  void synchronize() override {}
  void record(Event&) override {}
  void wait(const Event&) override {}

 private:
  Device& device_;
};

class RecordingKernel final : public Kernel {
 public:
  explicit RecordingKernel(std::vector<LaunchShape>& launches) : launches_(launches) {}
  void launch(const LaunchShape& shape, std::span<void* const>, Stream&) override {
    launches_.push_back(shape);
  }
  std::span<const std::size_t> parameter_sizes() const override { return {}; }
  KernelAttributes attributes(int, std::size_t) const override { return {}; }

 private:
  std::vector<LaunchShape>& launches_;
};

class RecordingModule final : public Module {
 public:
  explicit RecordingModule(std::vector<LaunchShape>& launches) : launches_(launches) {}
  std::unique_ptr<Kernel> kernel(const std::string&) override {
    return std::make_unique<RecordingKernel>(launches_);
  }
  std::span<std::byte> global(const std::string&) override { return {}; }

 private:
  std::vector<LaunchShape>& launches_;
};

}  // namespace

RecordingDevice::RecordingDevice() : compiler_(std::make_unique<RecordingCompiler>(sources_)) {}
RecordingDevice::~RecordingDevice() = default;

void* RecordingDevice::allocate(std::size_t bytes) {
  return std::aligned_alloc(256, (std::max<std::size_t>(bytes, 1) + 255) / 256 * 256);
}
void RecordingDevice::deallocate(void* memory) noexcept { std::free(memory); }
void RecordingDevice::copy(void* to, const void* from, std::size_t bytes, Copy, Stream&) {
  if (bytes > 0) std::memcpy(to, from, bytes);
}
void RecordingDevice::fill(void* memory, std::uint32_t pattern, std::size_t bytes, Stream&) {
  std::fill_n(static_cast<std::uint32_t*>(memory), bytes / 4, pattern);
}
std::unique_ptr<Stream> RecordingDevice::make_stream() { return std::make_unique<NoStream>(*this); }
std::unique_ptr<Event> RecordingDevice::make_event() { return std::make_unique<NoEvent>(); }
std::unique_ptr<Module> RecordingDevice::load(const Image&) {
  return std::make_unique<RecordingModule>(launches_);
}

}  // namespace kernelbatch::test

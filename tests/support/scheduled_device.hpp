// The host device with the properties and the loops of another device: runs the launches of a GPU,
// thread by thread, without a GPU.
#pragma once

#include <memory>

#include "core/device/device_list.hpp"

namespace kernelbatch::test {

class ScheduledDevice final : public Device {
 public:
  explicit ScheduledDevice(DeviceProperties properties) : properties_(std::move(properties)) {
    const DeviceProperties& host = host_->properties();
    properties_.backend = host.backend;
    properties_.is_gpu = properties_.is_asynchronous = false;
    properties_.shares_host_memory = true;
    properties_.target = host.target;
  }
  const DeviceProperties& properties() const override { return properties_; }
  std::size_t free_memory() const override { return host_->free_memory(); }
  void* allocate(std::size_t bytes) override { return host_->allocate(bytes); }
  void deallocate(void* memory) noexcept override { host_->deallocate(memory); }
  void copy(void* to, const void* from, std::size_t bytes, Copy kind, Stream&) override {
    host_->copy(to, from, bytes, kind, *host_stream_);
  }
  void fill(void* memory, std::uint32_t pattern, std::size_t bytes, Stream&) override {
    host_->fill(memory, pattern, bytes, *host_stream_);
  }
  std::unique_ptr<Stream> make_stream() override {
    return std::make_unique<ScheduledStream>(*this, host_->make_stream());
  }
  std::unique_ptr<Event> make_event() override { return host_->make_event(); }
  Compiler& compiler() override { return compiler_; }
  std::unique_ptr<Module> load(const Image& image) override { return host_->load(image); }

 private:
  /// Compiles for the host, with the loop and the code paths of a GPU's prelude.
  class ScheduledCompiler final : public Compiler {
   public:
    explicit ScheduledCompiler(Compiler& host)
        : host_(host), identity_(host.identity() + kPrelude) {}
    std::string_view target() const override { return host_.target(); }
    std::string identity() const override { return identity_; }
    Image compile(const KernelSource& source) override {
      KernelSource scheduled = source;
      scheduled.text = kPrelude + source.text;
      return host_.compile(scheduled);
    }

   private:
    /// All threads of the grid, each at its own elements.
    static constexpr const char* kPrelude = R"(#define KERNELBATCH_ON_CUDA 1
#undef KERNELBATCH_FOR
#define KERNELBATCH_FOR(Index, name, count)                                                    \
  for (Index name = Index(blockIdx.x) * Index(blockDim.x) + Index(threadIdx.x); name < (count); \
       name += Index(gridDim.x) * Index(blockDim.x))
)";
    Compiler& host_;
    std::string identity_;
  };

  class ScheduledStream final : public Stream {
   public:
    ScheduledStream(Device& device, std::unique_ptr<Stream> host)
        : device_(device), host_(std::move(host)) {}
    Device& device() const noexcept override { return device_; }
    void synchronize() override { host_->synchronize(); }
    void record(Event& event) override { host_->record(event); }
    void wait(const Event& event) override { host_->wait(event); }

   private:
    Device& device_;
    std::unique_ptr<Stream> host_;
  };

  std::unique_ptr<Device> host_ = open_device(choose_device("host"));
  std::unique_ptr<Stream> host_stream_ = host_->make_stream();
  ScheduledCompiler compiler_{host_->compiler()};
  DeviceProperties properties_;
};

/// A stream of a scheduled device, both never destroyed: static kernels, which have memory of the
/// device, may outlive any other static object.
inline Stream& make_lasting_stream(const DeviceProperties& properties) {
  return *(new ScheduledDevice{properties})->make_stream().release();
}

}  // namespace kernelbatch::test

#include "core/device/compile_only.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/device/tensor_map.hpp"

namespace kernelbatch {
namespace {

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

class NoKernel final : public Kernel {
 public:
  explicit NoKernel(std::unique_ptr<Kernel> inspected) : inspected_(std::move(inspected)) {}
  void launch(const LaunchShape&, std::span<void* const>, Stream&) override {}
  std::span<const std::size_t> parameter_sizes() const override {
    return inspected_->parameter_sizes();
  }
  KernelAttributes attributes(int, std::size_t) const override { return {}; }

 private:
  std::unique_ptr<Kernel> inspected_;
};

class NoModule final : public Module {
 public:
  explicit NoModule(std::unique_ptr<Module> inspected) : inspected_(std::move(inspected)) {}
  std::unique_ptr<Kernel> kernel(const std::string& entry) override {
    return std::make_unique<NoKernel>(inspected_->kernel(entry));
  }
  std::optional<InstructionMix> instruction_mix(const std::string& entry) override {
    return inspected_->instruction_mix(entry);
  }
  std::span<std::byte> global(const std::string& name) override { return inspected_->global(name); }

 private:
  std::unique_ptr<Module> inspected_;
};

/// True if the source's text is what its precompiled code was compiled from. Otherwise it is the
/// PTX of a user's file, or empty.
bool has_source_text(const KernelSource& source) {
  const auto has = [&](const char* directive) {
    return source.text.find(directive) != std::string::npos;
  };
  return !source.text.empty() && !(has(".version ") && has(".target "));
}

/// Forwards to another compiler and records the texts of precompiled kernels.
class RememberingCompiler final : public Compiler {
 public:
  explicit RememberingCompiler(std::unique_ptr<Compiler> compiler)
      : compiler_(std::move(compiler)) {}
  std::string_view target() const override { return compiler_->target(); }
  std::string identity() const override { return compiler_->identity(); }
  Image compile(const KernelSource& source) override {
    Image image = compiler_->compile(source);
    if (!source.prebuilt.empty() && image.bytes == source.prebuilt && has_source_text(source)) {
      KernelSource text = source;
      text.prebuilt = {};
      ahead_.insert_or_assign(hash_hex(image.bytes), std::move(text));
    }
    return image;
  }
  /// The image itself, or for a precompiled kernel an image compiled from its text, which can be
  /// inspected. Throws UnsupportedError for PTX and fat binaries without a text.
  Image inspectable(const Image& image) {
    const auto found = ahead_.find(hash_hex(image.bytes));
    if (found != ahead_.end()) return compiler_->compile(found->second);
    if (!image.bytes.starts_with(ELFMAG))
      throw UnsupportedError("nothing to compile: it is compiled already, or by the driver");
    return image;
  }

 private:
  std::unique_ptr<Compiler> compiler_;
  std::map<std::string, KernelSource> ahead_;
};

class CompileOnlyDevice final : public Device {
 public:
  CompileOnlyDevice(DeviceProperties properties, std::unique_ptr<Compiler> compiler,
                    LoadForInspection load)
      : properties_(std::move(properties)),
        compiler_(std::move(compiler)),
        load_(std::move(load)) {}

  const DeviceProperties& properties() const override { return properties_; }
  std::size_t free_memory() const override { return properties_.memory; }

  void* allocate(std::size_t bytes) override {
    const std::size_t size = std::max<std::size_t>(bytes, 1);
    void* memory =
        ::mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      throw OutOfMemoryError(fmt::format("no {} of address space for an array of the job",
                                         format_bytes(static_cast<std::uint64_t>(bytes))));
    sizes_[memory] = size;
    return memory;
  }
  void deallocate(void* memory) noexcept override {
    const auto found = sizes_.find(memory);
    if (found == sizes_.end()) return;
    ::munmap(memory, found->second);
    sizes_.erase(found);
  }
  void copy(void* to, const void*, std::size_t bytes, Copy kind, Stream&) override {
    if (kind == Copy::kToHost && bytes > 0) std::memset(to, 0, bytes);
  }
  void fill(void*, std::uint32_t, std::size_t, Stream&) override {}
  std::unique_ptr<Stream> make_stream() override { return std::make_unique<NoStream>(*this); }
  std::unique_ptr<Event> make_event() override { return std::make_unique<NoEvent>(); }
  Compiler& compiler() override { return compiler_; }
  TensorMap tensor_map(const TensorMapForm&) override { return {}; }
  std::unique_ptr<Module> load(const Image& image) override {
    return std::make_unique<NoModule>(load_(compiler_.inspectable(image)));
  }

 private:
  DeviceProperties properties_;
  RememberingCompiler compiler_;
  LoadForInspection load_;
  std::map<void*, std::size_t> sizes_;
};

}  // namespace

std::unique_ptr<Device> make_compile_only_device(DeviceProperties properties,
                                                 std::unique_ptr<Compiler> compiler,
                                                 LoadForInspection load) {
  return std::make_unique<CompileOnlyDevice>(std::move(properties), std::move(compiler),
                                             std::move(load));
}

}  // namespace kernelbatch

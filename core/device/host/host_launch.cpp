#include "core/device/host/host_launch.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "core/base/clock.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/sandbox/sandbox.hpp"
#include "core/base/shared_library.hpp"
#include "core/device/host/checks/checker.hpp"
#include "core/device/host/host_launch_log.hpp"
#include "core/device/host/host_stream.hpp"
#include "core/device/host/image_check.hpp"
#include "core/device/symbol.hpp"

namespace kernelbatch::host {
namespace {

/// Blocks of a cooperative grid, each of which has a thread of its own.
constexpr std::uint64_t kMostTogether = 1024;
/// As on a GPU that allows clusters of more than 8 blocks.
constexpr std::uint64_t kLargestCluster = 16;

class HostKernel final : public Kernel {
 public:
  HostKernel(std::string name, Entry entry, std::vector<std::size_t> sizes,
             const DeviceProperties& properties, WorkerPool& pool, LaunchCalls& calls,
             Checker* checker)
      : name_(std::move(name)),
        entry_(entry),
        sizes_(std::move(sizes)),
        properties_(properties),
        pool_(pool),
        calls_(calls),
        checker_(checker) {}

  /// Limits the threads of a block: x, y, z, and whether exactly these are required.
  void set_block_limit(const unsigned* limit) noexcept { block_limit_ = limit; }

  void launch(const LaunchShape& shape, std::span<void* const> arguments, Stream& stream) override {
    const std::uint64_t threads = shape.block.count();
    require_block(shape.block);
    if (threads == 0 || shape.grid.count() == 0)
      throw RunError(fmt::format("launch of '{}' with a zero in its grid or block", name_));
    if (threads > static_cast<std::uint64_t>(properties_.max_threads_per_block))
      throw RunError(
          fmt::format("launch of '{}' with {} threads per block; at most {} are possible", name_,
                      threads, properties_.max_threads_per_block));
    if (shape.shared_bytes > properties_.shared_per_block_optin)
      throw RunError(
          fmt::format("kernel '{}' asks for {} bytes of dynamic shared memory; a block of "
                      "this device can have {}",
                      name_, shape.shared_bytes, properties_.shared_per_block_optin));
    if (shape.cooperative && shape.grid.count() > kMostTogether)
      throw RunError(
          fmt::format("cooperative launch of '{}' with a grid of ({}, {}, {}): the host device "
                      "runs at most {} blocks at once",
                      name_, shape.grid.x, shape.grid.y, shape.grid.z, kMostTogether));
    if (shape.cluster.count() > kLargestCluster)
      throw RunError(
          fmt::format("launch of '{}' with {} blocks in a cluster; at most {} are possible", name_,
                      shape.cluster.count(), kLargestCluster));
    if (HostStream* const captured = capturing(stream))
      captured->keep(kept_launch(shape, arguments));
    else
      run(shape, arguments.data());
  }

  std::span<const std::size_t> parameter_sizes() const override { return sizes_; }
  KernelAttributes attributes(int, std::size_t) const override {
    KernelAttributes attributes;
    attributes.max_threads = properties_.max_threads_per_block;
    attributes.max_dynamic_shared = max_dynamic_shared_;
    attributes.shared_carveout = shared_carveout_;
    return attributes;
  }
  void set_max_dynamic_shared(std::int64_t bytes) override {
    const auto most = static_cast<std::int64_t>(properties_.shared_per_block_optin);
    if (bytes < 0 || bytes > most)
      throw SpecError(
          fmt::format("max_dynamic_shared_size_bytes of '{}' is {}: a block of this device can "
                      "have 0 to {}",
                      name_, bytes, most));
    max_dynamic_shared_ = static_cast<int>(bytes);
  }
  void set_shared_carveout(int percent) override { shared_carveout_ = percent; }

 private:
  /// The launch for later execution, with its own copy of the arguments.
  std::function<void()> kept_launch(const LaunchShape& shape,
                                    std::span<void* const> arguments) const {
    std::vector<std::vector<std::byte>> values;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      const auto* bytes = static_cast<const std::byte*>(arguments[k]);
      values.emplace_back(bytes, bytes + sizes_[k]);
    }
    return [this, shape, values = std::move(values)]() mutable {
      std::vector<void*> pointers;
      for (auto& value : values) pointers.push_back(value.data());
      run(shape, pointers.data());
    };
  }

  void run(const LaunchShape& shape, void* const* arguments) const {
    if (checker_ != nullptr) {
      checker_->begin_launch(name_);
      checker_->ignore(arguments, sizes_.size() * sizeof(void*));
      for (std::size_t k = 0; k < sizes_.size(); ++k) checker_->ignore(arguments[k], sizes_[k]);
    }
    const auto start = MeasuringClock::now();
    pool_.run(entry_, arguments, shape);
    MeasuringClock::add_launch(static_cast<double>(shape.grid.count()) *
                               static_cast<double>(shape.block.count()));
    if (calls_.is_listing()) calls_.add(name_, shape, seconds_since(start));
  }

  void require_block(const Dim3& block) const {
    if (block_limit_ == nullptr) return;
    const Dim3 limit{block_limit_[0], block_limit_[1], block_limit_[2]};
    const bool is_exact = block_limit_[3] != 0;
    if (is_exact ? to_text(block) == to_text(limit) : block.count() <= limit.count()) return;
    throw RunError(fmt::format("launch of '{}' with a block of {} threads; its image {} {}", name_,
                               to_text(block), is_exact ? "requires" : "allows at most",
                               to_text(limit)));
  }

  std::string name_;
  Entry entry_;
  const unsigned* block_limit_ = nullptr;
  std::vector<std::size_t> sizes_;
  const DeviceProperties& properties_;
  WorkerPool& pool_;
  LaunchCalls& calls_;
  Checker* checker_;
  int max_dynamic_shared_ = static_cast<int>(properties_.shared_per_block);
  int shared_carveout_ = -1;
};

class HostModule final : public Module {
 public:
  HostModule(FileDescriptor file, SharedLibrary library, std::map<std::string, std::string> symbols,
             const DeviceProperties& properties, WorkerPool& pool, LaunchCalls& calls,
             Checker* checker)
      : file_(std::move(file)),
        library_(std::move(library)),
        symbols_(std::move(symbols)),
        properties_(properties),
        pool_(pool),
        calls_(calls),
        checker_(checker) {}
  ~HostModule() override {
    if (checker_ != nullptr) checker_->remove_library(first_entry());
  }

  /// Identifies the library for the checks.
  const void* first_entry() const { return library_.find("kernelbatch_entry_0"); }

  std::unique_ptr<Kernel> kernel(const std::string& entry) override {
    const auto found = symbols_.find(entry);
    void* address = found == symbols_.end() ? nullptr : library_.find(found->second.c_str());
    if (address == nullptr)
      throw SpecError(fmt::format("the compiled code has no kernel named '{}'", entry));
    const auto* count =
        static_cast<const unsigned*>(library_.find((found->second + "_count").c_str()));
    const auto* sizes =
        static_cast<const std::size_t* const*>(library_.find((found->second + "_sizes").c_str()));
    auto kernel = std::make_unique<HostKernel>(entry, reinterpret_cast<Entry>(address),
                                               std::vector<std::size_t>(*sizes, *sizes + *count),
                                               properties_, pool_, calls_, checker_);
    kernel->set_block_limit(
        static_cast<const unsigned*>(library_.find((found->second + "_block").c_str())));
    return kernel;
  }

  std::span<std::byte> global(const std::string& name) override {
    const std::span<std::byte> memory = library_.find_variable(variable_symbol(name).c_str());
    if (memory.empty())
      throw SpecError(fmt::format("the compiled code has no global variable named '{}'", name));
    return memory;
  }

 private:
  // Open as long as the library is: the loader identifies libraries by name, and the number in
  // "/proc/PID/fd/N" would be reused by the next kernel.
  FileDescriptor file_;
  SharedLibrary library_;
  std::map<std::string, std::string> symbols_;
  const DeviceProperties& properties_;
  WorkerPool& pool_;
  LaunchCalls& calls_;
  Checker* checker_;
};

}  // namespace

std::unique_ptr<Module> load_module(const Image& image, const DeviceProperties& properties,
                                    WorkerPool& pool, LaunchCalls& calls, Checker* checker) {
  if (!is_sandbox_off()) require_plain_image(image.bytes, checker != nullptr);
  // An anonymous file: needs no cleanup and works on a read-only file system.
  FileDescriptor file{::memfd_create("kernelbatch-kernel", MFD_CLOEXEC)};
  if (!file) throw RunError("cannot create an anonymous file for a compiled kernel");
  for (std::size_t written = 0; written < image.bytes.size();) {
    const ssize_t count =
        ::write(file.get(), image.bytes.data() + written, image.bytes.size() - written);
    if (count < 0) throw RunError("cannot write a compiled kernel to memory");
    written += static_cast<std::size_t>(count);
  }
  // Not /proc/self: a debugger would open the name as a descriptor of its own.
  const std::string path = fmt::format("/proc/{}/fd/{}", ::getpid(), file.get());
  SharedLibrary library(path, SharedLibrary::Lifetime::kWhileOwned);
  auto module = std::make_unique<HostModule>(std::move(file), std::move(library), image.symbols,
                                             properties, pool, calls, checker);
  if (checker != nullptr) checker->add_library(module->first_entry(), CodePlaces(image.bytes));
  return module;
}

}  // namespace kernelbatch::host

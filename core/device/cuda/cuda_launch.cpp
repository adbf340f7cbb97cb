#include "core/device/cuda/cuda_launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/error.hpp"
#include "core/device/cuda/cuda_launch_log.hpp"

namespace kernelbatch::cuda {
namespace {

std::vector<std::size_t> parameter_sizes_of(CUfunction function) {
  std::vector<std::size_t> sizes;
  for (std::size_t k = 0;; ++k) {
    std::size_t offset = 0;
    std::size_t size = 0;
    if (driver().cuFuncGetParamInfo_(function, k, &offset, &size) != CUDA_SUCCESS) return sizes;
    sizes.push_back(size);
  }
}

std::string text_of(const Dim3& d) { return fmt::format("({}, {}, {})", d.x, d.y, d.z); }

/// The extent that exceeds the limit of every GPU; empty if none does.
std::string axis_limit(const LaunchShape& shape) {
  constexpr std::uint32_t kBlockXY = 1024;
  constexpr std::uint32_t kBlockZ = 64;
  constexpr std::uint32_t kGridYZ = 65535;
  if (shape.block.x > kBlockXY || shape.block.y > kBlockXY || shape.block.z > kBlockZ)
    return fmt::format(" (a block can be at most ({}, {}, {}))", kBlockXY, kBlockXY, kBlockZ);
  if (shape.grid.x > INT32_MAX || shape.grid.y > kGridYZ || shape.grid.z > kGridYZ)
    return fmt::format(" (a grid can be at most ({}, {}, {}))", INT32_MAX, kGridYZ, kGridYZ);
  return "";
}

class CudaKernel final : public Kernel {
 public:
  CudaKernel(CUfunction function, std::string name, const DeviceProperties& properties,
             LaunchCalls& calls)
      : function_(function),
        name_(std::move(name)),
        properties_(properties),
        calls_(calls),
        sizes_(parameter_sizes_of(function)),
        max_threads_(attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)),
        max_dynamic_shared_(attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)) {}

  void launch(const LaunchShape& asked, std::span<void* const> arguments, Stream& stream) override {
    const Twin twin = stream.context().twin;
    const LaunchShape shape = twin == Twin::kNone ? asked : shape_of(twin, asked);
    if (shape.block.count() > static_cast<std::uint64_t>(max_threads_)) refuse_block(shape);
    if (shape.shared_bytes > static_cast<std::size_t>(max_dynamic_shared_))
      raise_shared_limit(shape.shared_bytes);
    const CUresult result = shape.cooperative || shape.cluster.count() > 1
                                ? launch_with_attributes(shape, arguments, stream)
                                : launch_plain(shape, arguments, stream);
    if (result != CUDA_SUCCESS) fail(result, shape);
    if (calls_.is_listing()) calls_.add(function_, shape);
  }

  std::uint64_t blocks_at_once(const LaunchShape& shape) override {
    if (shape.shared_bytes > static_cast<std::size_t>(max_dynamic_shared_))
      raise_shared_limit(shape.shared_bytes);
    if (shape.cluster.count() <= 1)
      return static_cast<std::uint64_t>(
                 resident_blocks(static_cast<int>(shape.block.count()), shape.shared_bytes)) *
             static_cast<std::uint64_t>(properties_.compute_units);
    std::array<CUlaunchAttribute, 2> attributes = {};
    const CUlaunchConfig config = config_of(shape, attributes);
    int clusters = 0;
    check(driver().cuOccupancyMaxActiveClusters_(&clusters, function_, &config),
          "cuOccupancyMaxActiveClusters");
    return static_cast<std::uint64_t>(clusters) * shape.cluster.count();
  }

  std::span<const std::size_t> parameter_sizes() const override { return sizes_; }

  KernelAttributes attributes(int block_threads, std::size_t shared_bytes) const override {
    KernelAttributes a;
    a.registers = attribute(CU_FUNC_ATTRIBUTE_NUM_REGS);
    a.shared_static = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
    a.local_bytes = attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
    a.const_bytes = attribute(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
    a.max_threads = max_threads_;
    a.ptx_version = attribute(CU_FUNC_ATTRIBUTE_PTX_VERSION);
    a.binary_version = attribute(CU_FUNC_ATTRIBUTE_BINARY_VERSION);
    a.cache_mode_ca = attribute(CU_FUNC_ATTRIBUTE_CACHE_MODE_CA);
    a.max_dynamic_shared = attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
    a.shared_carveout = attribute(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
    a.blocks_per_unit = resident_blocks(block_threads, shared_bytes);
    return a;
  }

  void set_max_dynamic_shared(std::int64_t bytes) override {
    if (bytes < 0 || bytes > most_dynamic_shared())
      throw SpecError(
          fmt::format("max_dynamic_shared_size_bytes of '{}' is {}: a block of this device can "
                      "have 0 to {}",
                      name_, bytes, most_dynamic_shared()));
    set_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(bytes));
    max_dynamic_shared_ = static_cast<int>(bytes);
  }

  void set_shared_carveout(int percent) override {
    set_attribute(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, percent);
  }

 private:
  LaunchShape shape_of(Twin twin, LaunchShape shape) {
    if (shape.cooperative || shape.cluster.count() > 1) return shape;
    if (twin == Twin::kHalfGrid) {
      std::uint32_t& extent = shape.grid.x > 1 ? shape.grid.x : shape.grid.y;
      extent = std::max(1u, extent / 2);
    }
    if (twin == Twin::kHalfOccupancy)
      shape.shared_bytes =
          shared_for_half(static_cast<int>(shape.block.count()), shape.shared_bytes);
    return shape;
  }

  /// Dynamic shared memory per block that halves the number of resident blocks; the requested
  /// amount if only one block is resident.
  std::size_t shared_for_half(int threads, std::size_t asked) {
    if (threads == half_threads_ && asked == half_asked_) return half_shared_;
    half_threads_ = threads;
    half_asked_ = half_shared_ = asked;
    const int resident = resident_blocks(threads, asked);
    const auto most = static_cast<std::size_t>(most_dynamic_shared());
    if (resident < 2 || most <= asked) return asked;
    raise_shared_limit(most);
    std::size_t few = most, many = asked;  // bytes with which few and many are resident
    if (resident_blocks(threads, few) > resident / 2) return asked;
    while (few - many > 256) {
      const std::size_t middle = many + (few - many) / 2;
      (resident_blocks(threads, middle) > resident / 2 ? many : few) = middle;
    }
    return half_shared_ = few;
  }

  /// The cheaper call, if its parameters suffice.
  CUresult launch_plain(const LaunchShape& shape, std::span<void* const> arguments,
                        Stream& stream) const {
    return driver().cuLaunchKernel_(
        function_, shape.grid.x, shape.grid.y, shape.grid.z, shape.block.x, shape.block.y,
        shape.block.z, static_cast<unsigned>(shape.shared_bytes),
        static_cast<CudaStream&>(stream).handle(), const_cast<void**>(arguments.data()), nullptr);
  }

  CUresult launch_with_attributes(const LaunchShape& shape, std::span<void* const> arguments,
                                  Stream& stream) {
    if (shape.cooperative) require_resident(shape);
    std::array<CUlaunchAttribute, 2> attributes = {};
    CUlaunchConfig config = config_of(shape, attributes);
    config.hStream = static_cast<CudaStream&>(stream).handle();
    return driver().cuLaunchKernelEx_(&config, function_, const_cast<void**>(arguments.data()),
                                      nullptr);
  }

  /// `attributes` must outlive the result.
  CUlaunchConfig config_of(const LaunchShape& shape, std::array<CUlaunchAttribute, 2>& attributes) {
    CUlaunchConfig config{};
    config.gridDimX = shape.grid.x;
    config.gridDimY = shape.grid.y;
    config.gridDimZ = shape.grid.z;
    config.blockDimX = shape.block.x;
    config.blockDimY = shape.block.y;
    config.blockDimZ = shape.block.z;
    config.sharedMemBytes = static_cast<unsigned>(shape.shared_bytes);
    config.attrs = attributes.data();
    if (shape.cooperative) {
      CUlaunchAttribute& attribute = attributes[config.numAttrs++];
      attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
      attribute.value.cooperative = 1;
    }
    if (shape.cluster.count() > 1) {
      allow_cluster(shape.cluster);
      CUlaunchAttribute& attribute = attributes[config.numAttrs++];
      attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
      attribute.value.clusterDim.x = shape.cluster.x;
      attribute.value.clusterDim.y = shape.cluster.y;
      attribute.value.clusterDim.z = shape.cluster.z;
    }
    return config;
  }

  int attribute(CUfunction_attribute which) const {
    int value = 0;
    check(driver().cuFuncGetAttribute_(&value, which, function_), "cuFuncGetAttribute");
    return value;
  }

  void set_attribute(CUfunction_attribute which, int value) {
    check(driver().cuFuncSetAttribute_(function_, which, value),
          fmt::format("setting attribute {} of '{}' to {}", static_cast<int>(which), name_, value));
  }

  int resident_blocks(int block_threads, std::size_t shared_bytes) const {
    int blocks = 0;
    check(driver().cuOccupancyMaxActiveBlocksPerMultiprocessor_(&blocks, function_, block_threads,
                                                                shared_bytes),
          "cuOccupancyMaxActiveBlocksPerMultiprocessor");
    return blocks;
  }

  /// Shared memory of a block that the kernel's static shared memory leaves free.
  std::int64_t most_dynamic_shared() const {
    return static_cast<std::int64_t>(properties_.shared_per_block_optin) -
           attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  }

  void raise_shared_limit(std::size_t bytes) {
    if (static_cast<std::int64_t>(bytes) > most_dynamic_shared())
      throw RunError(
          fmt::format("kernel '{}' asks for {} bytes of dynamic shared memory; a block "
                      "of this device can have {}",
                      name_, bytes, most_dynamic_shared()));
    set_max_dynamic_shared(static_cast<std::int64_t>(bytes));
  }

  [[noreturn]] void refuse_block(const LaunchShape& shape) const {
    if (shape.block.count() > static_cast<std::uint64_t>(properties_.max_threads_per_block))
      throw RunError(
          fmt::format("launch of '{}' with {} threads per block; at most {} are possible", name_,
                      shape.block.count(), properties_.max_threads_per_block));
    throw RunError(fmt::format(
        "launch of '{}' with {} threads per block; this kernel, with {} registers per "
        "thread and its launch bounds, allows at most {}",
        name_, shape.block.count(), attribute(CU_FUNC_ATTRIBUTE_NUM_REGS), max_threads_));
  }

  void require_resident(const LaunchShape& shape) {
    // The answer is constant: queried once per block size.
    if (shape.block.count() != resident_threads_ || shape.shared_bytes != resident_shared_) {
      resident_blocks_ = static_cast<std::uint64_t>(resident_blocks(
                             static_cast<int>(shape.block.count()), shape.shared_bytes)) *
                         static_cast<std::uint64_t>(properties_.compute_units);
      resident_threads_ = shape.block.count();
      resident_shared_ = shape.shared_bytes;
    }
    if (shape.grid.count() > resident_blocks_)
      throw RunError(
          fmt::format("cooperative launch of '{}' with a grid of {}: the largest possible is {} "
                      "blocks of {} threads, which is what the device holds at once",
                      name_, text_of(shape.grid), resident_blocks_, shape.block.count()));
  }

  void allow_cluster(const Dim3& cluster) {
    constexpr std::uint64_t kPortable = 8;
    if (properties_.capability_major < 9)
      throw UnsupportedError(
          fmt::format("thread-block clusters need compute capability 9.0; this device has {}.{}",
                      properties_.capability_major, properties_.capability_minor));
    if (cluster.count() <= kPortable || allows_large_cluster_) return;
    set_attribute(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    allows_large_cluster_ = true;
  }

  [[noreturn]] void fail(CUresult result, const LaunchShape& shape) const {
    const std::string cluster =
        shape.cluster.count() > 1 ? fmt::format(", clusters of {}", text_of(shape.cluster)) : "";
    check(result, fmt::format("launch of '{}' with grid {}, block {}{}, {} bytes of shared "
                              "memory{}",
                              name_, text_of(shape.grid), text_of(shape.block), cluster,
                              shape.shared_bytes, axis_limit(shape)));
    throw RunError("unreachable");
  }

  CUfunction function_;
  std::string name_;
  const DeviceProperties& properties_;
  LaunchCalls& calls_;
  std::vector<std::size_t> sizes_;
  int max_threads_, max_dynamic_shared_;
  bool allows_large_cluster_ = false;
  std::uint64_t resident_threads_ = 0, resident_blocks_ = 0;
  std::size_t resident_shared_ = 0;
  int half_threads_ = 0;
  std::size_t half_asked_ = 0, half_shared_ = 0;
};

}  // namespace

std::unique_ptr<Kernel> make_kernel(CUfunction function, std::string name,
                                    const DeviceProperties& properties, LaunchCalls& calls) {
  return std::make_unique<CudaKernel>(function, std::move(name), properties, calls);
}

}  // namespace kernelbatch::cuda

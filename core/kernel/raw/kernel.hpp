// RawModule and RawKernel: CUDA source or precompiled code, launched as specified by the user. An
// argument may be a tensor map: the bytes of device.tensor_map({.axes = 2, …}).
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/tensor_map.hpp"
#include "core/kernel/launch/argument.hpp"
#include "core/kernel/program/program.hpp"

namespace kernelbatch {

struct RawOptions {
  std::vector<std::string> options = {};  ///< of the compiler
  std::string name = "raw";               ///< for messages: compile errors read "<name>.cu:7: …"
  CompilerBackend backend = CompilerBackend::kNvrtc;
  /// The source uses cuComplex.h: its types and functions are replaced by those of complex<T>.
  bool translate_cucomplex = false;
};

/// Text and, if precompiled, its images for several architectures.
struct EmbeddedKernel {
  std::string_view text;
  std::string_view fatbin;  ///< may be empty: then the text is compiled at run time
};

/// A file: .cu is compiled; .ptx, .cubin and .fatbin are loaded directly.
struct KernelFile {
  std::filesystem::path path;
  std::filesystem::path ptx =
      {};  ///< of the same kernels, which the host device runs; may be empty
};

/// "nvrtc", "nvcc". Throws SpecError for another name.
CompilerBackend compiler_backend_named(std::string_view name);

namespace detail {
struct RawEntry;
struct RawProgram;
}  // namespace detail

/// One kernel of a module. Cheap to copy; shares the module.
class RawKernel {
 public:
  /// A module of one kernel. `entry` is a function's name or a template's name expression
  /// ("f<float>").
  RawKernel(std::string_view source, std::string_view entry, RawOptions options = {});
  RawKernel(const KernelFile& file, std::string_view entry, RawOptions options = {});

  /// Queues one launch. A contiguous array is passed as a pointer to its first element, or as a
  /// view if the source's parameter is an array_view or mdspan; scalars, textures and structs
  /// (as_bytes) by value. Throws SpecError for arguments that differ from the kernel's parameters
  /// in number, size or, if known from the source, kind and dtype; for a zero in grid, block or
  /// cluster; CompileError; RunError if the device refuses. After the first launch of a signature
  /// nothing is allocated.
  void launch(Stream& stream, const LaunchShape& shape, std::span<const Argument> arguments) const;

  template <class... A>
  void operator()(Stream& stream, const LaunchShape& shape, const A&... arguments) const {
    const std::array<Argument, sizeof...(A)> list{Argument(arguments)...};
    launch(stream, shape, list);
  }

  /// Registers, shared and local memory, occupancy; compiles and loads if necessary.
  KernelAttributes attributes(Device& device, int block_threads = 256,
                              std::size_t shared_bytes = 0) const;

  /// Sets "max_dynamic_shared_size_bytes" (bytes) or "preferred_shared_memory_carveout" (percent,
  /// -1 = the driver's choice). Throws SpecError for any other name and for values that the device
  /// does not support.
  void set_attribute(Device& device, std::string_view name, std::int64_t value) const;

  const std::string& name() const noexcept;

 private:
  friend class RawModule;
  explicit RawKernel(std::shared_ptr<detail::RawEntry> entry) : entry_(std::move(entry)) {}

  std::shared_ptr<detail::RawEntry> entry_;  // keeps the module, which its kernels own together
};

/// A source with several kernels; compiled and loaded on first use.
class RawModule {
 public:
  /// `entries` lists the kernels that will be requested; empty means every function (not template)
  /// marked `__global__`.
  RawModule(std::string_view source, std::vector<std::string> entries = {},
            RawOptions options = {});
  RawModule(const EmbeddedKernel& kernel, std::vector<std::string> entries,
            RawOptions options = {});
  /// Throws SpecError for a file that cannot be read, has an unknown extension, or does not have
  /// the contents that its extension promises. Compiled code needs no `entries`: any of its
  /// functions may be requested.
  RawModule(const KernelFile& file, std::vector<std::string> entries = {}, RawOptions options = {});

  /// Throws SpecError for a name that was not listed.
  RawKernel function(const std::string& entry) const;

  /// A `__device__` or `__constant__` variable as an array, which is valid as long as the module;
  /// compiles and loads if necessary. Variables of a namespace are "ns::name". Throws SpecError if
  /// there is no such variable or its size differs from the array's.
  Array global(Device& device, const std::string& name, DType dtype, const Shape& shape) const;

 private:
  std::shared_ptr<detail::RawProgram> program_;
};

/// CuPy's ten attributes by its names; -1 = unknown.
std::map<std::string, std::int64_t> attribute_table(const KernelAttributes& attributes);

/// Throws SpecError for a zero in grid, block or cluster, or a grid that is not a multiple of the
/// cluster.
void require_launch_shape(const LaunchShape& shape, const std::string& kernel);

}  // namespace kernelbatch

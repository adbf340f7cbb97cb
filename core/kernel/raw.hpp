// RawModule and RawKernel: CUDA source, or code compiled ahead, launched as the user says.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel/argument.hpp"
#include "core/kernel/program.hpp"

namespace kernelbatch {

struct RawOptions {
  std::vector<std::string> options = {};  ///< of the compiler
  std::string name = "raw";               ///< for messages: compile errors read "<name>.cu:7: …"
};

/// Text and, where it was compiled ahead, images of it for several architectures.
struct EmbeddedKernel {
  std::string_view text;
  std::string_view fatbin;  ///< may be empty: then the text is compiled at run time
};

/// One kernel of a module. Cheap to copy; shares the module.
class RawKernel {
 public:
  /// A module of one kernel. `entry` is a function's name or a template's name expression
  /// ("f<float>").
  RawKernel(std::string_view source, std::string_view entry, RawOptions options = {});

  /// Queues one launch. Arrays are passed as pointers to their first element and must be
  /// contiguous; scalars by value, with the size of their own type. Throws SpecError when number or
  /// sizes of the arguments differ from the kernel's parameters, for a zero in grid or block,
  /// CompileError.
  void launch(Stream& stream, const LaunchShape& shape, std::span<const Argument> arguments) const;

  template <class... A>
  void operator()(Stream& stream, const LaunchShape& shape, const A&... arguments) const {
    const std::vector<Argument> list{Argument(arguments)...};
    launch(stream, shape, list);
  }

  /// Registers, shared and local memory, occupancy; compiles and loads where that has not happened.
  KernelAttributes attributes(Device& device, int block_threads,
                              std::size_t shared_bytes = 0) const;

 private:
  friend class RawModule;
  RawKernel(std::shared_ptr<Program> program, std::string entry);

  std::shared_ptr<Program> program_;  // the module and its kernels own it together
  std::string entry_;
};

/// A source with several kernels. A value until first use.
class RawModule {
 public:
  /// `entries` lists the kernels that will be asked for.
  RawModule(std::string_view source, std::vector<std::string> entries, RawOptions options = {});
  RawModule(const EmbeddedKernel& kernel, std::vector<std::string> entries,
            RawOptions options = {});

  /// Throws SpecError for a name that was not listed.
  RawKernel function(const std::string& entry) const;

 private:
  std::shared_ptr<Program> program_;
};

/// Appends one argument's bytes as a raw kernel takes it. Throws SpecError.
void append_raw_argument(ArgumentBytes& bytes, const Argument& argument, const std::string& kernel,
                         std::size_t position);

/// Throws SpecError when number or sizes of arguments differ from what the kernel takes.
void require_matching_arguments(const ArgumentBytes& bytes, std::span<const std::size_t> wanted,
                                const std::string& kernel);

/// Throws SpecError for a zero in grid or block.
void require_launch_shape(const LaunchShape& shape, const std::string& kernel);

}  // namespace kernelbatch

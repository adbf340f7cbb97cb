#include "core/kernel/raw.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

KernelSource make_source(std::string_view text, std::string_view fatbin,
                         std::vector<std::string> entries, RawOptions options) {
  return {std::move(options.name),
          std::string(text),
          std::move(entries),
          std::move(options.options),
          false,
          fatbin};
}

}  // namespace

void append_raw_argument(ArgumentBytes& bytes, const Argument& argument, const std::string& kernel,
                         std::size_t position) {
  if (argument.is_array()) {
    if (!argument.array().is_contiguous())
      throw SpecError(
          fmt::format("argument {} of '{}' is an array that is not contiguous: a plain "
                      "pointer would lose its strides; pass a contiguous copy",
                      position + 1, kernel));
    bytes.append_value(argument.array().data());
    return;
  }
  std::byte value[16];
  argument.write_scalar(argument.dtype(), value, fmt::format("{} of {}", position + 1, kernel));
  bytes.append(value, size_of(argument.dtype()));
}

void require_matching_arguments(const ArgumentBytes& bytes, std::span<const std::size_t> wanted,
                                const std::string& kernel) {
  const std::vector<std::size_t>& given = bytes.sizes();
  if (given.size() != wanted.size())
    throw SpecError(fmt::format("kernel '{}' takes {} arguments, {} were given", kernel,
                                wanted.size(), given.size()));
  for (std::size_t k = 0; k < given.size(); ++k)
    if (given[k] != wanted[k])
      throw SpecError(fmt::format("argument {} of '{}' has {} bytes, the kernel's parameter {}",
                                  k + 1, kernel, given[k], wanted[k]));
}

void require_launch_shape(const LaunchShape& shape, const std::string& kernel) {
  for (const Dim3& extents : {shape.grid, shape.block})
    if (extents.count() == 0)
      throw SpecError(
          fmt::format("launch of '{}' with a zero in its grid ({}, {}, {}) or block "
                      "({}, {}, {})",
                      kernel, shape.grid.x, shape.grid.y, shape.grid.z, shape.block.x,
                      shape.block.y, shape.block.z));
}

RawKernel::RawKernel(std::string_view source, std::string_view entry, RawOptions options)
    : program_(std::make_shared<Program>(
          make_source(source, {}, {std::string(entry)}, std::move(options)))),
      entry_(entry) {}

RawKernel::RawKernel(std::shared_ptr<Program> program, std::string entry)
    : program_(std::move(program)), entry_(std::move(entry)) {}

void RawKernel::launch(Stream& stream, const LaunchShape& shape,
                       std::span<const Argument> arguments) const {
  require_launch_shape(shape, entry_);
  Kernel& kernel = program_->kernel(stream.device(), entry_);
  ArgumentBytes bytes;
  for (std::size_t k = 0; k < arguments.size(); ++k)
    append_raw_argument(bytes, arguments[k], entry_, k);
  require_matching_arguments(bytes, kernel.parameter_sizes(), entry_);
  const std::vector<void*> pointers = bytes.pointers();
  kernel.launch(shape, pointers, stream);
}

KernelAttributes RawKernel::attributes(Device& device, int block_threads,
                                       std::size_t shared_bytes) const {
  return program_->kernel(device, entry_).attributes(block_threads, shared_bytes);
}

RawModule::RawModule(std::string_view source, std::vector<std::string> entries, RawOptions options)
    : program_(std::make_shared<Program>(
          make_source(source, {}, std::move(entries), std::move(options)))) {}

RawModule::RawModule(const EmbeddedKernel& kernel, std::vector<std::string> entries,
                     RawOptions options)
    : program_(std::make_shared<Program>(
          make_source(kernel.text, kernel.fatbin, std::move(entries), std::move(options)))) {}

RawKernel RawModule::function(const std::string& entry) const {
  const std::vector<std::string>& entries = program_->source().entries;
  if (std::find(entries.begin(), entries.end(), entry) == entries.end())
    throw SpecError(
        fmt::format("the module was made without '{}'{}", entry, suggestion(entry, entries)));
  return RawKernel(program_, entry);
}

}  // namespace kernelbatch

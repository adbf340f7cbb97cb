#include "core/kernel/raw/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/kernel/launch/argument_signature.hpp"
#include "core/kernel/launch/kernel_parameters.hpp"
#include "core/kernel/raw/source.hpp"
#include "core/kernel/text/code_file.hpp"
#include "core/kernel/text/signature.hpp"

namespace kernelbatch {

namespace detail {

/// State of one kernel on one device, computed once.
struct RawPlan {
  Device* device;
  Kernel* kernel;
  KernelParameters parameters;
  std::vector<ArgumentSignature> accepted;  ///< of calls whose arguments were checked
};

/// One kernel of a module, with its state per device.
struct RawEntry {
  std::string name;
  RawProgram* program = nullptr;
  std::vector<RawPlan> plans;

  RawPlan& plan(Device& device);
};

namespace {
KernelSource viewing(KernelSource source, std::string_view binary) {
  if (!binary.empty()) source.prebuilt = binary;
  return source;
}
}  // namespace

struct RawProgram {
  explicit RawProgram(RawSource raw)
      : file(std::move(raw.file)),
        binary(std::move(raw.binary)),
        program(viewing(std::move(raw.source), binary)) {}
  RawProgram(const RawProgram&) = delete;
  RawProgram& operator=(const RawProgram&) = delete;

  std::filesystem::path file;
  std::string binary;
  Program program;
  std::map<std::string, RawEntry> entries;

  /// Loads; errors contain the file's name.
  Module& load(Device& device);
};

Module& RawProgram::load(Device& device) {
  if (file.empty()) return program.module(device);
  if (const std::string problem = reason_not_for(device.properties().target, binary);
      !problem.empty())
    throw UnsupportedError(fmt::format("cannot run '{}': {}", file.string(), problem));
  try {
    return program.module(device);
  } catch (const UnsupportedError&) {
    if (!program.source().text.empty()) throw;
    throw UnsupportedError(fmt::format("needs cuda: '{}' is code for a GPU", file.string()));
  } catch (const RunError& error) {
    throw SpecError(fmt::format("cannot load '{}': {}", file.string(), error.what()));
  }
}

RawPlan& RawEntry::plan(Device& device) {
  for (RawPlan& known : plans)
    if (known.device == &device) return known;
  program->load(device);
  Kernel& kernel = program->program.kernel(device, name);
  auto formals = find_parameters(program->program.source().text, name);
  KernelParameters parameters(name, std::move(formals).value_or(std::vector<FormalParameter>{}),
                              kernel.parameter_sizes(), kRawRules);
  return plans.emplace_back(RawPlan{&device, &kernel, std::move(parameters), {}});
}

}  // namespace detail

namespace {

/// Shares ownership of the whole module.
std::shared_ptr<detail::RawEntry> entry_of(const std::shared_ptr<detail::RawProgram>& program,
                                           const std::string& name) {
  detail::RawEntry& entry = program->entries[name];
  entry.name = name;
  entry.program = program.get();
  return {program, &entry};
}

}  // namespace

CompilerBackend compiler_backend_named(std::string_view name) {
  if (const auto backend = parse_choice<CompilerBackend>(name)) return *backend;
  throw SpecError(fmt::format("unknown backend '{}': expected nvrtc or nvcc", name));
}

void require_launch_shape(const LaunchShape& shape, const std::string& kernel) {
  const auto text = [](const Dim3& d) { return fmt::format("({}, {}, {})", d.x, d.y, d.z); };
  if (shape.grid.count() == 0 || shape.block.count() == 0)
    throw SpecError(fmt::format("launch of '{}' with a zero in its grid {} or block {}", kernel,
                                text(shape.grid), text(shape.block)));
  if (shape.cluster.count() == 0)
    throw SpecError(
        fmt::format("launch of '{}' with a zero in its cluster {}", kernel, text(shape.cluster)));
  if (shape.grid.x % shape.cluster.x != 0 || shape.grid.y % shape.cluster.y != 0 ||
      shape.grid.z % shape.cluster.z != 0)
    throw SpecError(fmt::format("launch of '{}': the grid {} is not a multiple of the cluster {}",
                                kernel, text(shape.grid), text(shape.cluster)));
}

RawKernel::RawKernel(std::string_view source, std::string_view entry, RawOptions options)
    : RawKernel(RawModule(source, {std::string(entry)}, std::move(options))
                    .function(std::string(entry))) {}

RawKernel::RawKernel(const KernelFile& file, std::string_view entry, RawOptions options)
    : RawKernel(
          RawModule(file, {std::string(entry)}, std::move(options)).function(std::string(entry))) {}

void RawKernel::launch(Stream& stream, const LaunchShape& shape,
                       std::span<const Argument> arguments) const {
  require_launch_shape(shape, entry_->name);
  Device& device = stream.device();
  detail::RawPlan& plan = entry_->plan(device);
  if (!std::any_of(plan.accepted.begin(), plan.accepted.end(),
                   [&](const auto& each) { return each.matches(arguments, device); })) {
    plan.parameters.check(arguments, device);
    plan.accepted.emplace_back(arguments, device);
  }
  ArgumentBlock block;
  plan.parameters.pack(arguments, block);
  plan.kernel->launch(shape, block.addresses(), stream);
}

KernelAttributes RawKernel::attributes(Device& device, int block_threads,
                                       std::size_t shared_bytes) const {
  return entry_->plan(device).kernel->attributes(block_threads, shared_bytes);
}

void RawKernel::set_attribute(Device& device, std::string_view name, std::int64_t value) const {
  Kernel& kernel = *entry_->plan(device).kernel;
  if (name == "max_dynamic_shared_size_bytes") {
    kernel.set_max_dynamic_shared(value);
  } else if (name == "preferred_shared_memory_carveout") {
    if (value < -1 || value > 100)
      throw SpecError(
          fmt::format("preferred_shared_memory_carveout of '{}' is {}: expected -1 to 100 percent",
                      entry_->name, value));
    kernel.set_shared_carveout(static_cast<int>(value));
  } else {
    std::vector<std::string> names;
    for (const auto& [known, unused] : attribute_table({})) names.push_back(known);
    if (std::find(names.begin(), names.end(), name) != names.end())
      throw SpecError(
          fmt::format("the attribute '{}' of '{}' cannot be set: only "
                      "max_dynamic_shared_size_bytes and preferred_shared_memory_carveout can",
                      name, entry_->name));
    throw SpecError(
        fmt::format("'{}' has no attribute '{}'{}", entry_->name, name, suggestion(name, names)));
  }
}

const std::string& RawKernel::name() const noexcept { return entry_->name; }

RawModule::RawModule(std::string_view source, std::vector<std::string> entries, RawOptions options)
    : program_(std::make_shared<detail::RawProgram>(
          raw_source(source, {}, std::move(entries), std::move(options)))) {}

RawModule::RawModule(const EmbeddedKernel& kernel, std::vector<std::string> entries,
                     RawOptions options)
    : program_(std::make_shared<detail::RawProgram>(
          raw_source(kernel.text, kernel.fatbin, std::move(entries), std::move(options)))) {}

RawModule::RawModule(const KernelFile& file, std::vector<std::string> entries, RawOptions options)
    : program_(std::make_shared<detail::RawProgram>(
          raw_source(file, std::move(entries), std::move(options)))) {}

RawKernel RawModule::function(const std::string& entry) const {
  const std::vector<std::string>& entries = program_->program.source().entries;
  const bool is_open = entries.empty() && !program_->binary.empty();
  if (!is_open && std::find(entries.begin(), entries.end(), entry) == entries.end())
    throw SpecError(
        fmt::format("the module was made without '{}'{}", entry, suggestion(entry, entries)));
  return RawKernel(entry_of(program_, entry));
}

Array RawModule::global(Device& device, const std::string& name, DType dtype,
                        const Shape& shape) const {
  const std::span<std::byte> memory = program_->load(device).global(name);
  const Array array = Array::of_memory(memory.data(), dtype, shape, &device);
  if (array.bytes() != memory.size())
    throw SpecError(fmt::format("the variable '{}' has {} bytes; {} of shape {} is {}", name,
                                memory.size(), name_of(dtype), to_text(shape), array.bytes()));
  return array;
}

std::map<std::string, std::int64_t> attribute_table(const KernelAttributes& attributes) {
  return {{"max_threads_per_block", attributes.max_threads},
          {"shared_size_bytes", attributes.shared_static},
          {"const_size_bytes", attributes.const_bytes},
          {"local_size_bytes", attributes.local_bytes},
          {"num_regs", attributes.registers},
          {"ptx_version", attributes.ptx_version},
          {"binary_version", attributes.binary_version},
          {"cache_mode_ca", attributes.cache_mode_ca},
          {"max_dynamic_shared_size_bytes", attributes.max_dynamic_shared},
          {"preferred_shared_memory_carveout", attributes.shared_carveout}};
}

}  // namespace kernelbatch

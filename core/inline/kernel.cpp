#include "core/inline/kernel.hpp"

#include <algorithm>
#include <stdexcept>

#include "core/base/error.hpp"
#include "core/kernel/fuse/fuse.hpp"
#include "core/kernel/fuse/parse.hpp"
#include "core/kernel/launch/kernel_parameters.hpp"
#include "core/kernel/text/signature.hpp"
#include "core/kernel/text/tokens.hpp"

namespace kernelbatch {
namespace {

std::vector<std::string> names_of(const std::vector<Parameter>& parameters) {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters) names.push_back(parameter.name);
  return names;
}

class Elementwise final : public InlineKernel {
 public:
  explicit Elementwise(const KernelDefinition& d) : kernel_(d.elementwise), size_(d.size) {}
  VariantKind kind() const noexcept override { return VariantKind::kElementwise; }
  std::optional<std::vector<std::string>> inputs() const override {
    return names_of(kernel_.inputs());
  }
  std::vector<std::string> outputs() const override { return names_of(kernel_.outputs()); }
  std::vector<ArrayForm> results(std::span<const Argument> inputs) const override {
    for (const Parameter& output : kernel_.outputs())
      if (output.is_raw && !size_)
        throw SpecError("raw output '" + output.name +
                        "': its shape is unknown; give size, or declare it under 'outputs'");
    return kernel_.results(inputs, size_);
  }
  void check(std::span<const Argument> arguments) const override {
    kernel_.results(arguments, size_beside_outputs());
    for (std::size_t k = 0; size_ && k < kernel_.outputs().size(); ++k) {
      const Shape& shape = arguments[kernel_.inputs().size() + k].array().shape();
      if (!kernel_.outputs()[k].is_raw && !(shape == Shape{*size_}))
        throw SpecError("size is " + std::to_string(*size_) + ", and output '" +
                        kernel_.outputs()[k].name + "' has shape " + to_text(shape));
    }
  }
  void call(Stream& stream, std::span<const Argument> arguments) const override {
    kernel_.launch(stream, arguments, size_beside_outputs());
  }

 private:
  /// Outputs are always given, and one that is not raw determines the size.
  std::optional<std::int64_t> size_beside_outputs() const {
    for (const Parameter& output : kernel_.outputs())
      if (!output.is_raw) return std::nullopt;
    return size_;
  }

  ElementwiseKernel kernel_;
  std::optional<std::int64_t> size_;
};

class Reduction final : public InlineKernel {
 public:
  explicit Reduction(const KernelDefinition& d) : kernel_(d.reduction), how_(d.over) {}
  VariantKind kind() const noexcept override { return VariantKind::kReduction; }
  std::optional<std::vector<std::string>> inputs() const override {
    return names_of(kernel_.inputs());
  }
  std::vector<std::string> outputs() const override { return names_of(kernel_.outputs()); }
  std::vector<ArrayForm> results(std::span<const Argument> inputs) const override {
    return kernel_.results(inputs, how_);
  }
  void check(std::span<const Argument> arguments) const override {
    kernel_.results(arguments, how_);
  }
  void call(Stream& stream, std::span<const Argument> arguments) const override {
    kernel_.launch(stream, arguments, how_);
  }

 private:
  ReductionKernel kernel_;
  ReductionCall how_;
};

class Fuse final : public InlineKernel {
 public:
  Fuse(const KernelDefinition& d, const std::vector<InlineInput>& inputs)
      : inputs_(names_in(d.expression, arrays_of(inputs))),  // others do not affect the shape
        kernel_(parse_fused(d.expression, inputs_, numbers_of(inputs)), std::string(d.fused_name)) {
  }
  VariantKind kind() const noexcept override { return VariantKind::kFused; }
  std::optional<std::vector<std::string>> inputs() const override { return inputs_; }
  std::vector<std::string> outputs() const override {
    if (kernel_.outputs() == 1) return {"out"};
    std::vector<std::string> names;
    for (int k = 0; k < kernel_.outputs(); ++k) names.push_back("out" + std::to_string(k));
    return names;
  }
  std::vector<ArrayForm> results(std::span<const Argument> inputs) const override {
    return kernel_.results(arrays(inputs));
  }
  void call(Stream& stream, std::span<const Argument> arguments) const override {
    kernel_.launch(stream, arguments.first(inputs_.size()), arguments.subspan(inputs_.size()));
  }

 private:
  static std::vector<std::string> arrays_of(const std::vector<InlineInput>& inputs) {
    std::vector<std::string> names;
    for (const InlineInput& input : inputs)
      if (!input.scalar) names.push_back(input.name);
    return names;
  }
  /// Numbers and parameters are part of the expression; they are weak if they have no dtype.
  static std::vector<NamedNumber> numbers_of(const std::vector<InlineInput>& inputs) {
    std::vector<NamedNumber> numbers;
    for (const InlineInput& input : inputs)
      if (input.scalar)
        numbers.push_back(
            {input.name,
             std::visit([](auto value) { return detail::to_constant(value); }, *input.scalar),
             input.dtype});
    return numbers;
  }
  static std::vector<Array> arrays(std::span<const Argument> arguments) {
    std::vector<Array> list;
    for (const Argument& argument : arguments) list.push_back(argument.array());
    return list;
  }

  std::vector<std::string> inputs_;
  FusedKernel kernel_;
};

class Raw final : public InlineKernel {
 public:
  explicit Raw(const KernelDefinition& d)
      : module_(make_module(d)),
        kernel_(module_.function(std::string(d.entry))),
        kind_(d.kind),
        null_pointers_(d.null_pointers),
        shape_(d.shape),
        carveout_(d.carveout),
        formals_(find_parameters(d.source, d.entry)) {}
  VariantKind kind() const noexcept override { return kind_; }
  void check(std::span<const Argument> arguments) const override {
    if (!formals_) return;
    if (formals_->size() != arguments.size())
      throw SpecError("kernel '" + kernel_.name() + "' takes " + std::to_string(formals_->size()) +
                      " arguments, " + std::to_string(arguments.size()) + " were given");
    for (std::size_t k = 0; k < arguments.size(); ++k)
      require_fitting(arguments[k], (*formals_)[k], k, kernel_.name(), kRawRules);
  }
  std::optional<DType> number_dtype(std::size_t at) const override {
    if (!formals_ || at >= formals_->size()) return std::nullopt;
    const FormalParameter& formal = (*formals_)[at];
    return formal.kind == FormalParameter::Kind::kScalar ? formal.dtype : std::nullopt;
  }
  bool is_read_only(std::size_t at) const override {
    return formals_ && at < formals_->size() && (*formals_)[at].is_read_only;
  }
  void call(Stream& stream, std::span<const Argument> arguments) const override {
    set_carveout(stream.device());
    if (null_pointers_ == 0) return kernel_.launch(stream, shape_, arguments);
    std::vector<Argument> all(arguments.begin(), arguments.end());
    all.insert(all.end(), static_cast<std::size_t>(null_pointers_), Argument(std::uint64_t{0}));
    kernel_.launch(stream, shape_, all);
  }
  Array global(Device& device, const std::string& name, const ArrayForm& form) const override {
    return module_.global(device, name, form.dtype, form.shape);
  }

 private:
  /// Once for a device: the driver's call would be part of the timed work.
  void set_carveout(Device& device) const {
    if (!carveout_ || device_with_carveout_ == &device) return;
    kernel_.set_attribute(device, "preferred_shared_memory_carveout", *carveout_);
    device_with_carveout_ = &device;
  }
  static RawModule make_module(const KernelDefinition& d) {
    std::vector<std::string> entries = d.name_expressions;
    if (entries.empty()) entries.emplace_back(d.entry);
    if (d.file.empty()) return RawModule(d.source, entries, d.raw);
    return RawModule(KernelFile{.path = d.file, .ptx = d.ptx}, entries, d.raw);
  }

  RawModule module_;
  RawKernel kernel_;
  VariantKind kind_;
  int null_pointers_;
  LaunchShape shape_;
  std::optional<int> carveout_;
  mutable const Device* device_with_carveout_ = nullptr;
  std::optional<std::vector<FormalParameter>> formals_;  ///< nothing if unknown from the source
};

class Jit final : public InlineKernel {
 public:
  explicit Jit(const KernelDefinition& d) : kernel_(d.source, d.entry, d.jit), shape_(d.shape) {}
  VariantKind kind() const noexcept override { return VariantKind::kJit; }
  void check(std::span<const Argument> arguments) const override { kernel_.check(arguments); }
  bool is_read_only(std::size_t at) const override { return kernel_.is_read_only(at); }
  void call(Stream& stream, std::span<const Argument> arguments) const override {
    kernel_.launch(stream, shape_, arguments);
  }

 private:
  JitKernel kernel_;
  LaunchShape shape_;
};

}  // namespace

InlineKernel::~InlineKernel() = default;

std::vector<ArrayForm> InlineKernel::results(std::span<const Argument>) const {
  throw std::logic_error("a kernel without inferred outputs was asked for them");
}

std::optional<DType> InlineKernel::number_dtype(std::size_t) const { return std::nullopt; }

bool InlineKernel::is_read_only(std::size_t) const { return false; }

Array InlineKernel::global(Device&, const std::string& name, const ArrayForm&) const {
  throw SpecError("global '" + name + "': only kernels of kind raw have variables");
}

std::unique_ptr<InlineKernel> make_inline_kernel(const KernelDefinition& definition,
                                                 const std::vector<InlineInput>& inputs) {
  switch (definition.kind) {
    case VariantKind::kElementwise:
      return std::make_unique<Elementwise>(definition);
    case VariantKind::kReduction:
      return std::make_unique<Reduction>(definition);
    case VariantKind::kRaw:
    case VariantKind::kImage:
      return std::make_unique<Raw>(definition);
    case VariantKind::kJit:
      return std::make_unique<Jit>(definition);
    case VariantKind::kFused:
      return std::make_unique<Fuse>(definition, inputs);
    default:
      throw std::logic_error("a kernel of a kind that jobs do not have");
  }
}

}  // namespace kernelbatch

#include "core/kernel/jit/kernel.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/quantity.hpp"
#include "core/kernel/raw/kernel.hpp"

namespace kernelbatch {
namespace {

/// A constant's C++ type and value.
struct ConstantText {
  std::string type, value;
};

ConstantText constant_text(const std::string& name, const Value& value) {
  struct Writer {
    const std::string& name;
    ConstantText operator()(bool v) const { return {"bool", v ? "true" : "false"}; }
    ConstantText operator()(std::int64_t v) const {
      // The smallest integer has no literal.
      return {"long long", v == INT64_MIN ? "(-9223372036854775807LL - 1)" : fmt::format("{}", v)};
    }
    ConstantText operator()(double v) const {
      if (!std::isfinite(v))
        throw SpecError(fmt::format(
            "the constant '{}' is {}: only finite numbers can be baked in, pass it as an argument",
            name, v));
      return {"double", to_written_text(v)};
    }
    ConstantText operator()(const std::string&) const {
      throw SpecError(
          fmt::format("the constant '{}' is a text: only numbers can be baked in", name));
    }
  };
  return std::visit(Writer{name}, value);
}

}  // namespace

JitKernel::JitKernel(std::string_view source, std::string_view entry, JitOptions options)
    : source_(source), entry_(entry), options_(std::move(options)) {}
JitKernel::JitKernel(const JitKernel& other)
    : source_(other.source_), entry_(other.entry_), options_(other.options_) {}
JitKernel::JitKernel(JitKernel&&) noexcept = default;
JitKernel& JitKernel::operator=(JitKernel&&) noexcept = default;
JitKernel::~JitKernel() = default;

const JitSource& JitKernel::source() const {
  if (!read_) read_ = read_jit_source(source_, entry_, entry_);
  return *read_;
}

void JitKernel::check(std::span<const Argument> arguments) const {
  ConstantTexts constants;
  for (const auto& [name, value] : options_.constants)
    constants.emplace_back(name, constant_text(name, value).value);
  JitInstance(source(), entry_, constants, arguments);
}

bool JitKernel::is_read_only(std::size_t at) const {
  return at < source().parameters.size() && source().parameters[at].is_read_only;
}

const JitPlan& JitKernel::plan(std::span<const Argument> arguments, Device& device) const {
  for (const auto& each : plans_)
    if (each->fits(arguments, device)) return *each;
  std::string text = "#include \"kernelbatch/device.hpp\"\n";
  ConstantTexts constants;
  for (const auto& [name, value] : options_.constants) {
    const ConstantText written = constant_text(name, value);
    text += fmt::format("constexpr {} {} = {};\n", written.type, name, written.value);
    constants.emplace_back(name, written.value);
  }
  text += "#line 1 \"" + entry_ + "\"\n";
  plans_.push_back(std::make_unique<JitPlan>(source(), entry_, text, options_.options, constants,
                                             arguments, device));
  return *plans_.back();
}

void JitKernel::launch(Stream& stream, const LaunchShape& shape,
                       std::span<const Argument> arguments) const {
  require_launch_shape(shape, entry_);
  plan(arguments, stream.device()).launch(shape, arguments, stream);
}

}  // namespace kernelbatch

#include "core/kernel/jit.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/kernel/raw.hpp"
#include "core/kernel/tokens.hpp"

namespace kernelbatch {
namespace {

std::string constant_text(const std::string& name, const Value& value) {
  struct Writer {
    const std::string& name;
    std::string operator()(bool v) const { return fmt::format("constexpr bool {} = {};", name, v); }
    std::string operator()(std::int64_t v) const {
      return fmt::format("constexpr long long {} = {};", name, v);
    }
    std::string operator()(double v) const {
      return fmt::format("constexpr double {} = {:.17g};", name, v);
    }
    std::string operator()(const std::string&) const {
      throw SpecError(
          fmt::format("the constant '{}' is a text: only numbers can be baked in", name));
    }
  };
  return std::visit(Writer{name}, value);
}

/// Number of template parameters of `entry`: those of the last template<…> before its name.
std::size_t template_parameters(const std::string& source, const std::string& entry) {
  const std::vector<std::string> tokens = tokens_of(source);
  std::size_t count = 0;
  for (std::size_t k = 0; k + 1 < tokens.size(); ++k) {
    if (tokens[k] == "template" && tokens[k + 1] == "<") {
      count = 1;
      int depth = 0;
      for (std::size_t j = k + 1; j < tokens.size(); ++j) {
        if (tokens[j] == "<") ++depth;
        if (tokens[j] == ">" && --depth == 0) break;
        if (tokens[j] == "," && depth == 1) ++count;
      }
    }
    if (tokens[k] == entry && tokens[k + 1] == "(") return count;
    if (tokens[k] == ";" || tokens[k] == "}") count = 0;
  }
  throw SpecError(fmt::format("the source has no function '{}'", entry));
}

}  // namespace

JitKernel::JitKernel(std::string_view source, std::string_view entry, JitOptions options)
    : source_(source), entry_(entry), options_(std::move(options)) {}

void JitKernel::launch(Stream& stream, const LaunchShape& shape,
                       std::span<const Argument> arguments) const {
  require_launch_shape(shape, entry_);
  ArgumentBytes bytes;
  std::vector<std::string> types;
  for (const Argument& argument : arguments) {
    const std::string element(info(argument.dtype()).c_name);
    if (argument.is_array()) {
      if (argument.array().device() != &stream.device())
        throw SpecError(fmt::format("an argument of '{}' is not on the stream's device", entry_));
      types.push_back(view_type(argument.array(), element));
      bytes.append_view(argument.array());
    } else {
      types.push_back(element);
      std::byte value[16];
      argument.write_scalar(argument.dtype(), value, fmt::format("{} of {}", types.size(), entry_));
      bytes.append(value, size_of(argument.dtype()));
    }
  }
  const std::string signature = join(types, ", ");
  auto found = programs_.find(signature);
  if (found == programs_.end()) {
    std::string text = "#include \"kernelbatch/device.hpp\"\n";
    for (const auto& [name, value] : options_.constants) text += constant_text(name, value) + "\n";
    text += "#line 1 \"" + entry_ + "\"\n" + source_;
    const std::size_t wanted = template_parameters(source_, entry_);
    if (wanted > types.size())
      throw SpecError(fmt::format("'{}' has {} template parameters and was given {} arguments",
                                  entry_, wanted, types.size()));
    std::string entry = entry_;
    if (wanted > 0) entry += "<" + join(std::span(types).first(wanted), ", ") + ">";
    KernelSource source{entry_, std::move(text), {entry}, options_.options, false, {}};
    found = programs_.emplace(signature, Program(std::move(source))).first;
  }
  Kernel& kernel = found->second.kernel(stream.device(), found->second.source().entries.front());
  require_matching_arguments(bytes, kernel.parameter_sizes(), entry_);
  const std::vector<void*> pointers = bytes.pointers();
  kernel.launch(shape, pointers, stream);
}

}  // namespace kernelbatch

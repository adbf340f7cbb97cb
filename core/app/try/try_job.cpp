#include "core/app/try/try_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>

#include "core/app/try/kernel_file.hpp"
#include "core/array/input.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/job/keys/value.hpp"
#include "core/job/yaml_writer.hpp"

namespace kernelbatch::app {
namespace fs = std::filesystem;
namespace {

/// Variant of a reference that is not one of the files.
constexpr const char* kOtherReference = "reference_kernel";

YamlNode quoted(std::string text) {
  return {.kind = YamlNode::Kind::kScalar, .text = std::move(text), .quoted = true};
}
YamlNode mapping(std::vector<std::pair<std::string, YamlNode>> entries) {
  YamlNode node{.kind = YamlNode::Kind::kMapping};
  for (auto& [name, value] : entries) {
    node.keys.push_back({name, {}});
    node.children.push_back(std::move(value));
  }
  return node;
}
YamlNode list(std::vector<YamlNode> entries) {
  return {.kind = YamlNode::Kind::kList, .children = std::move(entries)};
}

class Composer {
 public:
  explicit Composer(const TryOptions& options) : options_(options) {
    for (const std::string& text : options.inputs) inputs_.push_back(named_file(text));
    for (const std::string& text : options.outputs) {
      const std::size_t at = text.find('=');
      outputs_[text.substr(0, at)] = at == std::string::npos ? "" : text.substr(at + 1);
      order_.push_back(text.substr(0, at));
    }
    for (const std::string& text : options.values) {
      const std::size_t at = text.find('=');
      if (at == std::string::npos || at == 0 || at + 1 == text.size())
        throw SpecError(fmt::format("--set {}: expected a name and a value, n=1000", text));
      values_[text.substr(0, at)] = text.substr(at + 1);
    }
    if (options.reference.ends_with(".cu"))
      reference_ =
          read_kernel(options.reference, launch_of(options, options.reference).entries, {});
    for (const std::string& file : options.files) {
      std::optional<TryKernel> right = reference_;
      if (!right && !kernels_.empty()) right = kernels_.front();
      kernels_.push_back(read_kernel(file, launch_of(options, file).entries, right));
    }
    if (kernels_.size() == 2 && kernels_[0].variant == kernels_[1].variant) {
      kernels_[0].variant += "_a";
      kernels_[1].variant += "_b";
    }
    for (TryKernel& kernel : kernels_)
      if (!is_plain_name(kernel.variant) || kernel.variant == "reference" ||
          kernel.variant == kOtherReference ||
          std::isdigit(static_cast<unsigned char>(kernel.variant.front())))
        kernel.variant = &kernel == &kernels_[0] ? "a" : "b";
  }

  TryJob compose() {
    std::vector<std::pair<std::string, YamlNode>> variants, inputs;
    TryJob job;
    for (const TryKernel& kernel : kernels_) {
      variants.emplace_back(kernel.variant, variant(kernel));
      job.variants.push_back(kernel.variant);
    }
    if (reference_) variants.emplace_back(kOtherReference, variant(*reference_));
    for (const NamedFile& input : inputs_)
      inputs.emplace_back(input.name, mapping({{"file", quoted(fs::absolute(input.file))}}));
    std::vector<std::pair<std::string, YamlNode>> tolerance;
    if (!options_.rtol.empty()) tolerance.emplace_back("rtol", scalar_node(options_.rtol));
    if (!options_.atol.empty()) tolerance.emplace_back("atol", scalar_node(options_.atol));
    std::vector<std::pair<std::string, YamlNode>> all{
        {"kernelbatch", scalar_node("1")},
        {"name", scalar_node("try")},
        {"device", quoted(options_.device)},
        {"workload", scalar_node("inline")},
        {"outputs", mapping(outputs())},
        {"variants", mapping(std::move(variants))},
        {"reference", reference()},
        {"measure", measure()},
        {"limits", mapping({{"timeout", scalar_node(fmt::format("{}s", options_.timeout))},
                            {"retries", scalar_node("0")}})},
        {"output", mapping({{"arrays", scalar_node("none")}})}};
    if (!inputs.empty()) all.emplace_back("inputs", mapping(std::move(inputs)));
    const int sets = options_.want.empty() ? options_.draws : 1;
    std::vector<std::pair<std::string, YamlNode>> verify{
        {"input_sets", scalar_node(fmt::format("{}", sets))}};
    if (!tolerance.empty()) verify.emplace_back("tolerance", mapping(std::move(tolerance)));
    if (options_.sanitizes) verify.emplace_back("sanitize", scalar_node("true"));
    all.emplace_back("verify", mapping(std::move(verify)));
    job.yaml = write_yaml(mapping(std::move(all)));
    return job;
  }

 private:
  bool is_input(const std::string& name) const {
    return std::ranges::find(inputs_, name, &NamedFile::name) != inputs_.end();
  }

  YamlNode measure() const {
    if (!options_.is_timed) return mapping({{"times", scalar_node("false")}});
    return mapping({{"preset", scalar_node("quick")},
                    {"counters", quoted("off")},
                    {"twins", quoted("off")},
                    {"stop", mapping({{"min_samples", scalar_node("20")},
                                      {"timeout", scalar_node("0.2s")}})}});
  }

  YamlNode variant(const TryKernel& kernel) {
    std::vector<YamlNode> args;
    for (const FormalParameter& parameter : kernel.parameters)
      args.push_back(argument(kernel, parameter));
    const TryLaunch& launch = launch_of(options_, kernel.given);
    const std::string grid = launch.grid.empty()
                                 ? fmt::format("ceil({}.size / ({}))", first_output(), launch.block)
                                 : with_values(launch.grid);
    return mapping({{"kind", scalar_node("raw")},
                    {"module", mapping({{"file", quoted(kernel.file)}})},
                    {"entry", quoted(kernel.entry)},
                    {"name_expressions", list({quoted(kernel.entry)})},
                    {"grid", extents(grid)},
                    {"block", extents(launch.block)},
                    {"args", list(std::move(args))}});
  }

  /// Replaces the names of --set, and of the first input's number of elements.
  std::string with_values(const std::string& text) const {
    const auto is_letter = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    };
    std::string made;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = at;
      while (end < text.size() && is_letter(text[end])) ++end;
      const std::string word = text.substr(at, end - at);
      // `x.size` is a property of an array.
      const bool is_member = at > 0 && text[at - 1] == '.';
      if (end == at)
        made += text[end++];
      else if (const std::string value = is_member ? "" : value_of(word); !value.empty())
        made += '(' + value + ')';
      else
        made += word;
      at = end;
    }
    return made;
  }

  /// The value of a number's name; empty if it has none.
  std::string value_of(const std::string& name) const {
    if (const auto given = values_.find(name); given != values_.end()) return given->second;
    return is_count(name) && !inputs_.empty() ? inputs_.front().name + ".size" : "";
  }

  /// "256", or "16,16".
  static YamlNode extents(const std::string& text) {
    std::vector<YamlNode> parts;
    // A comma within parentheses is a function's.
    int depth = 0;
    std::string part;
    for (const char c : text + ",") {
      depth += (c == '(') - (c == ')');
      if (c != ',' || depth > 0) {
        part += c;
        continue;
      }
      parts.push_back(scalar_node(std::string(trim(part))));
      part.clear();
    }
    return parts.size() == 1 ? parts.front() : list(std::move(parts));
  }

  YamlNode argument(const TryKernel& kernel, const FormalParameter& parameter) {
    const std::string name = name_of_parameter(parameter);
    const auto where = [&] {
      return fmt::format("'{}': '{}' of '{}'", kernel.file, parameter.text, kernel.entry);
    };
    if (is_input(name)) return scalar_node(name);
    if (outputs_.contains(name)) {
      note_dtype(name, parameter, where());
      return scalar_node(name);
    }
    if (parameter.kind != FormalParameter::Kind::kScalar)
      throw SpecError(fmt::format("{} is neither an input nor an output: --in {}.npy or --out {}",
                                  where(), name, name));
    const std::string value = value_of(name);
    if (value.empty()) throw SpecError(fmt::format("{} has no value: --set {}=…", where(), name));
    if (!parameter.dtype) throw SpecError(where() + " has a type that is not understood");
    return mapping({{"scalar", scalar_node(value)},
                    {"dtype", scalar_node(std::string(kernelbatch::name_of(*parameter.dtype)))}});
  }

  static bool is_count(const std::string& name) {
    constexpr std::string_view kCounts[] = {"n", "N", "size", "count", "len", "length", "num"};
    return std::ranges::find(kCounts, name) != std::end(kCounts);
  }

  void note_dtype(const std::string& output, const FormalParameter& parameter,
                  const std::string& where) {
    if (!parameter.dtype) throw SpecError(where + " points to a type that is not understood");
    const auto [known, is_new] = dtypes_.emplace(output, *parameter.dtype);
    if (!is_new && known->second != *parameter.dtype)
      throw SpecError(fmt::format("{} points to {}, in the other file to {}", where,
                                  kernelbatch::name_of(*parameter.dtype),
                                  kernelbatch::name_of(known->second)));
  }

  const std::string& first_output() const { return order_.front(); }

  std::vector<std::pair<std::string, YamlNode>> outputs() const {
    std::vector<std::pair<std::string, YamlNode>> nodes;
    for (const std::string& name : order_) {
      const auto dtype = dtypes_.find(name);
      if (dtype == dtypes_.end())
        throw SpecError(fmt::format("no kernel has a parameter '{}' for --out {}", name, name));
      std::vector<YamlNode> shape;
      if (const std::string& text = outputs_.at(name); !text.empty()) {
        for (const std::string& extent : split(text, 'x')) {
          const auto value = values_.find(extent);
          shape.push_back(scalar_node(value == values_.end() ? extent : value->second));
        }
      } else {
        if (inputs_.empty())
          throw SpecError(fmt::format("--out {}: without an input its shape must be given, {}=1000",
                                      name, name));
        for (const std::int64_t extent : npy_form(inputs_.front().file).shape)
          shape.push_back(scalar_node(fmt::format("{}", extent)));
      }
      nodes.emplace_back(
          name,
          mapping({{"shape", list(std::move(shape))},
                   {"dtype", scalar_node(std::string(kernelbatch::name_of(dtype->second)))}}));
    }
    return nodes;
  }

  YamlNode reference() const {
    if (reference_) return mapping({{"variant", scalar_node(kOtherReference)}});
    if (!options_.reference.empty()) return mapping({{"cpp", quoted(statements())}});
    if (options_.want.empty() && kernels_.size() > 1)
      return mapping({{"variant", scalar_node(kernels_.front().variant)}});
    if (options_.want.empty())
      throw SpecError(
          "a single file needs a reference: --want y.npy, --want-from reference.cpp, or a first "
          "file");
    std::vector<std::pair<std::string, YamlNode>> files;
    for (const std::string& text : options_.want) {
      const NamedFile named = named_file(text);
      // The file of a single output may have any name.
      const std::string name =
          !outputs_.contains(named.name) && order_.size() == 1 ? order_.front() : named.name;
      files.emplace_back(name, quoted(fs::absolute(named.file)));
    }
    return mapping({{"file", mapping(std::move(files))}});
  }

  std::string statements() const {
    if (!fs::exists(options_.reference))
      throw SpecError(fmt::format("there is no file '{}'", options_.reference));
    return read_file(options_.reference);
  }

  const TryOptions& options_;
  std::vector<NamedFile> inputs_;
  std::map<std::string, std::string> outputs_;  ///< and their given shapes
  std::vector<std::string> order_;              ///< of the outputs
  std::map<std::string, std::string> values_;
  std::map<std::string, DType> dtypes_;
  std::vector<TryKernel> kernels_;
  std::optional<TryKernel> reference_;
};

}  // namespace

const TryLaunch& launch_of(const TryOptions& options, const std::string& file) {
  const auto found = options.launches.find(file);
  return found == options.launches.end() ? options : found->second;
}

TryJob make_try_job(const TryOptions& options) {
  if (options.files.empty()) throw SpecError("no kernel file");
  if (options.outputs.empty()) throw SpecError("--out is required: it names the output parameter");
  return Composer(options).compose();
}

}  // namespace kernelbatch::app

#include "core/inline/kernel_definition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/base/text.hpp"
#include "core/inline/job_lines.hpp"
#include "core/inline/triton_image.hpp"
#include "core/job/keys/inline_keys.hpp"
#include "core/job/reader.hpp"
#include "core/verify/input_source.hpp"
#include "core/verify/job_value.hpp"

namespace kernelbatch {
namespace {

/// A parameter's value in C++: a dtype's name becomes that of its type.
std::string cpp_text(const Value& value) {
  const auto* const text = std::get_if<std::string>(&value);
  const auto dtype = text == nullptr ? std::nullopt : dtype_named(*text);
  if (!dtype) return to_text(value);
  // The names of raw kernels: cuda_fp16.h has half, not float16.
  const DTypeInfo& row = info(*dtype);
  return std::string(row.c_name == row.name && !row.cpp_names[0].empty() ? row.cpp_names[0]
                                                                         : row.c_name);
}

/// Replaces each `{name}` of a parameter by its value in C++. Throws SpecError with the place of
/// `node` if a name is misspelled.
std::string with_values(std::string_view text, const NamedValues& facts, const YamlNode& node) {
  std::string replaced;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t end = text[at] == '{' ? text.find('}', at) : std::string_view::npos;
    const std::string name(text.substr(at + 1, end == std::string_view::npos ? 0 : end - at - 1));
    const Value* const value = name.empty() ? nullptr : find_value(facts, name);
    if (value != nullptr) {
      replaced += cpp_text(*value);
      at = end;
      continue;
    }
    if (is_identifier(name)) {
      std::vector<std::string> known;
      for (const auto& fact : facts) known.push_back(fact.first);
      if (const std::string near = nearest_name(name, known); !near.empty())
        fail_at(node.place,
                fmt::format("'{{{}}}' is no parameter (did you mean '{}'?)", name, near));
    }
    replaced += text[at];
  }
  return replaced;
}

/// Reads the value of one key; the member's type determines how.
class MemberReader {
 public:
  MemberReader(const Key& key, const YamlNode& node, const NamedValues& facts,
               const std::string& job_folder)
      : key_(key), node_(node), facts_(facts), job_folder_(job_folder) {}

  void operator()(bool* to) const { *to = read_boolean(node_, key_.name); }
  void operator()(std::size_t* to) const {
    const std::int64_t value = integer(node_);
    if (value < 0) fail_at(node_.place, fmt::format("'{}' must not be negative", key_.name));
    *to = static_cast<std::size_t>(value);
  }
  void operator()(std::optional<int>* to) const {
    const std::int64_t value = integer(node_);
    const auto [low, high] = std::pair(key_.rule.low, key_.rule.high);
    if (value < low || value > high)
      fail_at(node_.place,
              fmt::format("'{}' must be from {} to {}, not {}", key_.name, low, high, value));
    *to = static_cast<int>(value);
  }
  void operator()(std::optional<std::int64_t>* to) const { *to = integer(node_); }
  void operator()(std::string_view* to) const {
    if (has_text()) *to = node_.text;
  }
  void operator()(std::string* to) const {
    if (has_text()) *to = node_.text;
  }
  void operator()(std::optional<std::string>* to) const {
    if (has_text()) *to = node_.text;
  }
  void operator()(std::vector<std::string>* to) const {
    for (const Scalar& each : read_scalars(node_, key_.name))
      to->push_back(key_.rule.kind == Rule::Kind::kOptionTexts
                        ? with_values(each.text, facts_, node_)
                        : each.text);
  }
  void operator()(std::filesystem::path* to) const {
    if (!node_.is_scalar()) expect_keys(node_, key_.name, module_keys());
    InputSpec spec;
    spec.name = key_.name;
    spec.place = node_.place;
    spec.value = node_.is_scalar() ? read_scalar(node_, key_.name)
                                   : read_scalar(*node_.find("file"), "file");
    *to = find_input_file(spec, job_folder_);
  }
  void operator()(CompilerBackend* to) const {
    with_place(node_.place, key_.name,
               [&] { *to = compiler_backend_named(read_text(node_, key_.name)); });
  }
  void operator()(Dim3* to) const;
  void operator()(std::optional<AxisNumbers>* to) const;
  void operator()(NamedValues* to) const;

 private:
  std::int64_t integer(const YamlNode& node) const {
    return evaluate_integer(read_scalar(node, key_.name), facts_);
  }
  bool has_text() const {
    if (!node_.is_null()) read_scalar(node_, key_.name);
    return !node_.is_null();
  }

  const Key& key_;
  const YamlNode& node_;
  const NamedValues& facts_;
  const std::string& job_folder_;
};

void MemberReader::operator()(Dim3* to) const {
  std::vector<std::int64_t> numbers;
  if (node_.is_list())
    for (const YamlNode& each : node_.children) numbers.push_back(integer(each));
  else
    numbers.push_back(integer(node_));
  if (numbers.empty() || numbers.size() > 3)
    fail_at(node_.place,
            fmt::format("'{}' needs one to three numbers, not {}", key_.name, numbers.size()));
  std::uint32_t* const parts[] = {&to->x, &to->y, &to->z};
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (numbers[k] < 1 || numbers[k] > std::numeric_limits<std::int32_t>::max())
      fail_at(node_.place,
              fmt::format("'{}' has {}: each must be from 1 to 2147483647", key_.name, numbers[k]));
    *parts[k] = static_cast<std::uint32_t>(numbers[k]);
  }
}

void MemberReader::operator()(std::optional<AxisNumbers>* to) const {
  if (node_.is_null()) return;
  if (node_.is_scalar() && (node_.text == "none" || node_.text == "None")) return;
  std::vector<int> axes;
  for (const std::int64_t axis :
       evaluate_integers(read_scalar_or_list(node_, key_.name), facts_, key_.name)) {
    if (axis < -kMaxAxes || axis >= kMaxAxes)
      fail_at(node_.place,
              fmt::format("axis {} is out of range: arrays have at most {} axes", axis, kMaxAxes));
    axes.push_back(static_cast<int>(axis));
  }
  *to = AxisNumbers(axes);
}

void MemberReader::operator()(NamedValues* to) const {
  expect_mapping(node_, key_.name);
  for (std::size_t k = 0; k < node_.keys.size(); ++k) {
    const std::string& name = node_.keys[k].text;
    const Number number = evaluate_number(read_scalar(node_.children[k], name), facts_);
    Value value;
    if (const auto* truth = std::get_if<bool>(&number))
      value = *truth;
    else if (const auto* whole = std::get_if<std::int64_t>(&number))
      value = *whole;
    else if (const auto* real = std::get_if<double>(&number))
      value = *real;
    else
      fail_at(node_.children[k].place, "a constant must be a truth value, an integer or a real");
    to->emplace_back(name, value);
  }
}

void require_block(const Dim3& block, const YamlNode& options) {
  // Limits of every CUDA device since compute capability 2.0, and of the host device.
  constexpr std::uint64_t kMaxThreads = 1024;
  constexpr std::uint32_t kMaxBlockDepth = 64;
  const std::uint64_t threads = std::uint64_t{block.x} * block.y;
  if (threads > kMaxThreads || threads * block.z > kMaxThreads)
    fail_at(options.find("block")->place,
            fmt::format("a block of {} x {} x {} threads is too large: a block has at most {}",
                        block.x, block.y, block.z, kMaxThreads));
  if (block.z > kMaxBlockDepth)
    fail_at(
        options.find("block")->place,
        fmt::format("a block of depth {} is too large: it is at most {}", block.z, kMaxBlockDepth));
}

/// The kernel must be among the listed names, or in the source.
void require_entry(const KernelDefinition& kernel, const YamlNode& options) {
  const std::vector<std::string>& names = kernel.name_expressions;
  const std::string& entry = kernel.entry;
  const YamlNode* node = options.find("entry");
  if (names.empty() && !kernel.source.empty())
    require_kernel(std::string(kernel.source), entry, node->place);
  else if (!names.empty() && std::ranges::find(names, entry) == names.end())
    fail_at(node->place, fmt::format("'entry: {}' is not among 'name_expressions'{}", entry,
                                     suggestion(entry, names)));
}

}  // namespace

KernelDefinition read_kernel(const InlineVariant& variant, const NamedValues& facts,
                             const std::string& job_folder) {
  KernelDefinition kernel;
  kernel.kind = variant.kind;
  kernel.raw.name = variant.name;
  for (const KernelKey& key : inline_kind(variant.kind).keys) {
    const YamlNode* found = variant.options.find(key.name);
    if (found != nullptr && key.member != nullptr)
      std::visit(MemberReader(key, *found, facts, job_folder), key.member(kernel));
  }
  if (!kernel.triton.empty())
    with_place(variant.options.find("triton")->place, "triton", [&] { read_triton(kernel); });
  if (!kernel.entry.empty() && variant.options.find("entry") != nullptr) {
    kernel.entry = with_values(kernel.entry, facts, *variant.options.find("entry"));
    require_entry(kernel, variant.options);
  }
  require_block(kernel.shape.block, variant.options);
  return kernel;
}

}  // namespace kernelbatch

#include "core/run/input_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/array/input.hpp"
#include "core/array/random.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/process.hpp"
#include "core/base/quantity.hpp"
#include "core/base/text.hpp"
#include "core/job/yaml.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

namespace {

const Scalar* option(const InputSpec& spec, std::string_view key) {
  for (const auto& [name, value] : spec.options)
    if (name == key) return &value;
  return nullptr;
}

double real_option(const InputSpec& spec, std::string_view key, double otherwise) {
  const Scalar* value = option(spec, key);
  return value == nullptr ? otherwise : parse_real(value->text);
}

DType dtype_option(const InputSpec& spec) {
  const Scalar* value = option(spec, "dtype");
  if (value == nullptr) return DType::kFloat64;
  const auto dtype = dtype_named(value->text);
  if (!dtype)
    throw SpecError(fmt::format("{}: unknown dtype '{}'{}", to_text(value->place), value->text,
                                suggestion(value->text, dtype_names())));
  return *dtype;
}

/// The list `[2, 5]` of `shape:`; for arange a missing shape is its length.
Shape shape_option(const InputSpec& spec) {
  const Scalar* value = option(spec, "shape");
  if (value == nullptr) {
    if (spec.kind == "arange") return {parse_integer(spec.value.text)};
    throw SpecError(fmt::format("{}: input '{}' needs a shape", to_text(spec.place), spec.name));
  }
  Shape shape;
  const YamlNode list = parse_yaml_argument(value->text, to_text(value->place));
  if (!list.is_list()) return {parse_integer(value->text)};
  for (const YamlNode& extent : list.children) shape.push_back(parse_integer(extent.text));
  return shape;
}

[[noreturn]] void fail_unavailable(const InputSpec& spec) {
  throw SpecError(fmt::format("{}: input '{}': the source '{}' is not available in this version",
                              to_text(spec.place), spec.name, spec.kind));
}

Array make_input(const InputSpec& spec, const std::string& job_folder) {
  if (spec.kind == "file") return read_npy(find_input_file(spec, job_folder));
  const DType dtype = dtype_option(spec);
  const Shape shape = shape_option(spec);
  const auto seed = static_cast<std::uint64_t>(
      option(spec, "seed") != nullptr ? parse_integer(option(spec, "seed")->text) : 0);
  if (spec.kind == "random") {
    if (spec.value.text == "uniform" || spec.value.text == "integers")
      return random_uniform(dtype, shape, real_option(spec, "low", 0), real_option(spec, "high", 1),
                            seed);
    if (spec.value.text == "normal")
      return random_normal(dtype, shape, real_option(spec, "mean", 0), real_option(spec, "std", 1),
                           seed);
  }
  if (spec.kind == "arange")
    return arange(dtype, shape, real_option(spec, "start", 0), real_option(spec, "step", 1));
  if (spec.kind == "zeros") return arange(dtype, shape, 0, 0);
  if (spec.kind == "ones") return arange(dtype, shape, 1, 0);
  if (spec.kind == "full") return arange(dtype, shape, real_option(spec, "value", 0), 0);
  fail_unavailable(spec);
}

}  // namespace

void check_input(const InputSpec& spec, const std::string& job_folder) {
  static const std::vector<std::string> kMade{"random", "arange", "zeros", "ones", "full"};
  if (spec.kind == "file") {
    find_input_file(spec, job_folder);
    return;
  }
  if (std::ranges::find(kMade, spec.kind) == kMade.end()) fail_unavailable(spec);
  try {
    dtype_option(spec);
    element_count(shape_option(spec));
    for (const char* key : {"start", "step", "value", "low", "high", "mean", "std", "seed"})
      real_option(spec, key, 0);
  } catch (const SpecError& error) {
    const std::string what = error.what();
    if (what.starts_with(spec.place.file + ":")) throw;
    fail_at(spec.place, fmt::format("input '{}': {}", spec.name, what));
  }
}

fs::path find_input_file(const InputSpec& spec, const std::string& job_folder) {
  const fs::path given = spec.value.text;
  std::vector<fs::path> tried;
  if (given.is_absolute()) {
    tried = {given};
  } else {
    tried = {fs::path(job_folder) / given, given};
    for (const std::string& data : data_folders())
      tried.push_back(fs::path(data).parent_path() / given);
  }
  std::error_code ignored;
  for (const fs::path& path : tried)
    if (fs::exists(path, ignored)) return path;
  throw SpecError(fmt::format("{}: input '{}': there is no file '{}'", to_text(spec.place),
                              spec.name, given.string()));
}

std::vector<std::string> data_folders() {
  std::vector<std::string> folders;
  if (const auto named = environment("KERNELBATCH_DATA_DIR")) folders.push_back(*named);
  const fs::path beside = executable_path().parent_path();
  folders.push_back(beside.parent_path() / "share" / "kernelbatch" / "data");
  // Of a build folder inside the source tree: build/kernelbatch and build/tests/….
  folders.push_back(beside.parent_path() / "data");
  folders.push_back(beside.parent_path().parent_path() / "data");
  return folders;
}

JobInputs::JobInputs(std::vector<InputSpec> specs, std::string job_folder)
    : specs_(std::move(specs)), taken_(specs_.size(), false), job_folder_(std::move(job_folder)) {}

Array JobInputs::take(std::string_view name, const std::function<Array()>& make) {
  for (std::size_t k = 0; k < specs_.size(); ++k) {
    if (specs_[k].name != name) continue;
    taken_[k] = true;
    return make_input(specs_[k], job_folder_);
  }
  return make();
}

std::string JobInputs::data_file(std::string_view name) const {
  std::error_code ignored;
  for (const std::string& folder : data_folders())
    if (const fs::path path = fs::path(folder) / name; fs::exists(path, ignored)) return path;
  throw SpecError(fmt::format("the data file '{}' is not in {}; set KERNELBATCH_DATA_DIR", name,
                              join(data_folders())));
}

void JobInputs::require_all_taken() const {
  for (std::size_t k = 0; k < specs_.size(); ++k)
    if (!taken_[k])
      throw SpecError(fmt::format("{}: the workload takes no input '{}'", to_text(specs_[k].place),
                                  specs_[k].name));
}

}  // namespace kernelbatch

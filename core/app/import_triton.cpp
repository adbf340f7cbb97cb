#include "core/app/import_triton.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"

namespace kernelbatch::app {
namespace {

namespace fs = std::filesystem;

struct TritonKernel {
  std::string name;
  fs::path description;  ///< the JSON file
  int hidden = 0;        ///< parameters that Triton appends
};

std::vector<TritonKernel> triton_kernels(const fs::path& folder) {
  std::vector<TritonKernel> kernels;
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
    if (entry.path().extension() != ".json") continue;
    const auto json = nlohmann::json::parse(read_file(entry.path()), nullptr, false);
    if (!json.is_object() || !json.contains("num_warps") || !json.contains("name")) continue;
    const int hidden = static_cast<int>(json.contains("global_scratch_size")) +
                       static_cast<int>(json.contains("profile_scratch_size"));
    kernels.push_back({json.value("name", ""), entry.path(), hidden});
  }
  if (error) throw SpecError(fmt::format("{}: {}", folder.string(), error.message()));
  std::ranges::sort(kernels, {}, &TritonKernel::description);
  return kernels;
}

TritonKernel chosen_kernel(const fs::path& folder, const std::string& name) {
  std::vector<TritonKernel> kernels = triton_kernels(folder);
  if (kernels.empty())
    throw SpecError(fmt::format("{}: there is no kernel of Triton (a .json file with 'num_warps')",
                                folder.string()));
  std::set<std::string> known;
  for (const TritonKernel& each : kernels) known.insert(each.name);
  if (!name.empty())
    std::erase_if(kernels, [&](const TritonKernel& each) { return each.name != name; });
  const std::vector<std::string> names(known.begin(), known.end());
  if (kernels.empty())
    throw SpecError(fmt::format("there is no kernel '{}'{}", name, suggestion(name, names)));
  if (kernels.size() > 1)
    throw SpecError(
        fmt::format("{} has {} compiled kernels ({}): choose one with --kernel, or its own folder",
                    folder.string(), kernels.size(), join(names)));
  return kernels.front();
}

/// Types of a kernel's parameters in PTX: "u32", "f32"; "ptr" for a pointer.
std::vector<std::string> ptx_parameters(std::string_view ptx, const std::string& kernel) {
  std::vector<std::string> types;
  std::size_t at = ptx.find(".entry " + kernel + "(");
  if (at == std::string_view::npos) return types;
  const std::size_t end = ptx.find(')', ptx.find('\n', at));
  constexpr std::string_view kParameter = ".param .";
  for (at = ptx.find(kParameter, at); at < end; at = ptx.find(kParameter, at + 1)) {
    const std::string_view rest = ptx.substr(at + kParameter.size());
    const std::string_view type = rest.substr(0, rest.find_first_of(" \t"));
    types.emplace_back(rest.substr(type.size()).starts_with(" .ptr") ? "ptr" : type);
  }
  return types;
}

std::string dtype_of_ptx(const std::string& type) {
  if (type == "f32") return "float32";
  if (type == "f64") return "float64";
  if (type.ends_with("64")) return "int64";
  return type.ends_with("32") ? "int32" : "int16";
}

}  // namespace

std::string triton_job(const fs::path& folder, const std::string& kernel) {
  const TritonKernel found = chosen_kernel(folder, kernel);
  const auto beside = [&](const char* extension) {
    return fs::absolute(fs::path(found.description).replace_extension(extension));
  };
  if (!fs::exists(beside(".ptx")))
    throw SpecError(
        fmt::format("'{}' is missing: it has the kernel's parameters", beside(".ptx").string()));
  std::vector<std::string> types = ptx_parameters(read_file(beside(".ptx")), found.name);
  types.resize(types.size() - std::min(types.size(), static_cast<std::size_t>(found.hidden)));
  std::vector<std::string> arguments, arrays;
  for (std::size_t k = 0; k < types.size(); ++k) {
    const bool is_pointer = types[k] == "ptr";
    if (is_pointer) arrays.push_back(fmt::format("p{}", k));
    arguments.push_back(is_pointer
                            ? arrays.back()
                            : fmt::format("{{scalar: n, dtype: {}}}", dtype_of_ptx(types[k])));
  }
  if (arrays.empty()) throw SpecError(fmt::format("kernel '{}' has no pointers", found.name));
  std::string job = fmt::format(
      "# {0}, compiled by Triton. The files have neither shapes nor types of elements: edit\n"
      "# shapes, dtypes, scalars and the grid. The last array is taken for the output.\n"
      "kernelbatch: 1\nname: {0}\nworkload: inline\nparams:\n  n: 1024\n",
      found.name);
  if (arrays.size() > 1) job += "inputs:\n";
  for (std::size_t k = 0; k + 1 < arrays.size(); ++k)
    job += fmt::format("  {}: {{random: normal, shape: [n], dtype: float32}}\n", arrays[k]);
  job += fmt::format("outputs:\n  {}: {{shape: [n], dtype: float32}}\n", arrays.back());
  return job + fmt::format(
                   "variants:\n  triton:\n    kind: image\n    image: {}\n    triton: {}\n"
                   "    grid: [1]\n    args: [{}]\n",
                   beside(fs::exists(beside(".cubin")) ? ".cubin" : ".ptx").string(),
                   fs::absolute(found.description).string(), join(arguments));
}

}  // namespace kernelbatch::app

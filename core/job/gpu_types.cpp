#include "core/job/gpu_types.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace kernelbatch {
namespace {

bool is_count(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// "gpu:h100:2" without its first part; empty for another resource.
std::string without_name(const std::string& resource) {
  constexpr std::string_view kGpu = "gpu:";
  return resource.starts_with(kGpu) ? resource.substr(kGpu.size()) : "";
}

}  // namespace

bool is_gpu_key(std::string_view key) { return key == "gres" || key.starts_with("gpus"); }

bool requests_gpus(const SlurmSpec& slurm) {
  return std::ranges::any_of(slurm.values, [](const auto& value) {
    const bool is_per_task =
        value.first == "tres_per_task" && value.second.text.find("gres/gpu") != std::string::npos;
    return is_gpu_key(value.first) || is_per_task;
  });
}

std::vector<std::string> gpu_types(std::string_view key, const Scalar& value) {
  std::vector<std::string> types;
  for (const std::string& part : split(value.text, ',')) {
    const std::string request = key == "gres" ? without_name(part) : part;
    const std::string type = request.substr(0, request.find(':'));
    if (type.empty() || is_count(type)) continue;
    if (type == request && type[0] >= '0' && type[0] <= '9')
      fail_at(value.place,
              fmt::format("slurm.{} '{}': a type that begins with a digit needs a count: '{}:1'",
                          key, value.text, part));
    types.push_back(type);
  }
  return types;
}

std::vector<std::string> gpu_types_of_site(std::string_view gres) {
  std::vector<std::string> types;
  for (const std::string& part : split(gres, ',')) {
    // "gpu:4" has no type; "(S:0-7)" are sockets.
    const std::string rest = without_name(part);
    const std::string type = rest.substr(0, rest.find_first_of(":("));
    if (!type.empty() && !is_count(type)) types.push_back(type);
  }
  return types;
}

}  // namespace kernelbatch

#include "core/inline/triton_image.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/error.hpp"
#include "core/base/file.hpp"

namespace kernelbatch {
namespace {

using Json = nlohmann::json;

std::int64_t integer_of(const Json& description, const char* name, std::int64_t otherwise) {
  const auto found = description.find(name);
  if (found == description.end()) return otherwise;
  if (!found->is_number_integer())
    throw SpecError(fmt::format("'{}' is {}, not an integer", name, found->dump()));
  return found->get<std::int64_t>();
}

}  // namespace

void read_triton(KernelDefinition& kernel) {
  const Json description = Json::parse(read_file(kernel.triton), nullptr, false);
  if (!description.is_object() || !description.contains("num_warps"))
    throw SpecError(
        fmt::format("'{}' is no description of a kernel by Triton", kernel.triton.string()));
  if (kernel.entry.empty() && description.contains("name") && description["name"].is_string())
    kernel.entry = description["name"].get<std::string>();
  constexpr int kLanes = 32;
  const std::int64_t threads = kLanes * integer_of(description, "num_warps", 1);
  if (threads < 1 || threads > 1024)
    throw SpecError(fmt::format("'num_warps' is {}: a block has 1 to 32", threads / kLanes));
  if (kernel.shape.block.count() == 1) kernel.shape.block.x = static_cast<std::uint32_t>(threads);
  if (kernel.shape.shared_bytes == 0)
    kernel.shape.shared_bytes = static_cast<std::size_t>(integer_of(description, "shared", 0));
  if (kernel.shape.cluster.count() == 1)
    kernel.shape.cluster.x = static_cast<std::uint32_t>(integer_of(description, "num_ctas", 1));
  for (const char* const scratch : {"global_scratch_size", "profile_scratch_size"}) {
    const std::int64_t bytes = integer_of(description, scratch, -1);
    if (bytes > 0)
      throw SpecError(fmt::format(
          "the kernel needs scratch memory ('{}' is {}), which jobs cannot give", scratch, bytes));
    if (bytes == 0) ++kernel.null_pointers;
  }
}

}  // namespace kernelbatch

#include "core/run/output_spill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/store/output.hpp"
#include "core/store/shard_files.hpp"

namespace kernelbatch {
namespace {

constexpr std::size_t kLargestKept = std::size_t{256} << 20;
constexpr std::int64_t kSampledElements = 1 << 16;

}  // namespace

std::vector<SpilledOutput> spill_outputs(const CaseRequest& request, ResultRecord& record,
                                         const std::map<std::string, Array>& outputs) {
  std::vector<SpilledOutput> all;
  const bool keeps = request.arrays == "all" || request.arrays == "sample" ||
                     (request.arrays == "failing" && record.status == Status::kVerificationFailed);
  for (OutputRecord& output : record.outputs) output.stride = 0;
  if (!keeps || request.spill_folder.empty()) return all;
  for (const auto& [name, array] : outputs) {
    SpilledOutput spilled;
    spilled.output = name;
    if (array.bytes() > kLargestKept || request.arrays == "sample")
      spilled.stride = std::max<std::int64_t>(1, array.size() / kSampledElements);
    for (OutputRecord& output : record.outputs) {
      if (output.name != name) continue;
      output.stride = spilled.stride;
      if (spilled.stride > 1) add_statistics(output, {array.data(), array.bytes()});
    }
    spilled.file =
        (std::filesystem::path(request.spill_folder) /
         fmt::format("{}.{}.{}{}", request.case_id, record.variant, name, kSpilledSuffix))
            .string();
    // A merge by somebody else removes folders that are empty.
    make_writable_folder(request.spill_folder);
    errno = 0;
    std::ofstream file(spilled.file, std::ios::binary);
    if (spilled.stride == 1) {
      file.write(reinterpret_cast<const char*>(array.data()),
                 static_cast<std::streamsize>(array.bytes()));
    } else {
      const auto item = static_cast<std::int64_t>(size_of(array.dtype()));
      for (std::int64_t k = 0; k < array.size(); k += spilled.stride)
        file.write(reinterpret_cast<const char*>(array.data() + k * item), item);
    }
    if (!file.flush())
      throw StoreError(fmt::format("cannot write '{}': {}", spilled.file,
                                   errno != 0 ? std::strerror(errno) : "the disk may be full"));
    all.push_back(std::move(spilled));
  }
  return all;
}

}  // namespace kernelbatch

#include "core/run/output_spill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

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
    const FileDescriptor file = create_file(spilled.file);
    if (spilled.stride == 1) {
      write_all(file.get(), {array.data(), array.bytes()}, spilled.file);
    } else {
      const std::size_t item = size_of(array.dtype());
      std::vector<std::byte> kept;
      for (std::int64_t k = 0; k < array.size(); k += spilled.stride) {
        const std::byte* const element = array.data() + static_cast<std::size_t>(k) * item;
        kept.insert(kept.end(), element, element + item);
      }
      write_all(file.get(), kept, spilled.file);
    }
    all.push_back(std::move(spilled));
  }
  return all;
}

}  // namespace kernelbatch

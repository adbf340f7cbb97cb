#include "core/case/output_spill.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <span>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/sandbox/sandbox.hpp"
#include "core/result/output.hpp"
#include "core/result/shard_files.hpp"

namespace kernelbatch {
namespace {

constexpr std::size_t kLargestKept = std::size_t{256} << 20;
constexpr std::int64_t kSampledElements = 1 << 16;

[[noreturn]] void fail(const std::string& folder) {
  throw StoreError(fmt::format("cannot write outputs in '{}': {}", folder, std::strerror(errno)));
}

/// A new file without a name: the next variant cannot remove it, and a killed worker leaves none.
FileDescriptor nameless_file(const CaseRequest& request) {
  if (is_confined()) {
    FileDescriptor memory{::memfd_create("kernelbatch-output", MFD_CLOEXEC)};
    if (!memory) fail("memory");
    return memory;
  }
  // A concurrent merge removes empty folders.
  make_writable_folder(request.spill_folder);
  FileDescriptor unnamed{
      ::open(request.spill_folder.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC, 0600)};
  if (unnamed) return unnamed;
  // For file systems without O_TMPFILE: a temporary name, removed at once, or by the next run after
  // a kill.
  static int count = 0;
  const std::filesystem::path path =
      std::filesystem::path(request.spill_folder) /
      fmt::format("{}.{}.{}{}", request.case_id, ::getpid(), count++, kSpilledSuffix);
  FileDescriptor file{
      ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
  if (!file || ::unlink(path.c_str()) != 0) fail(request.spill_folder);
  return file;
}

}  // namespace

bool keeps_outputs(KeptArrays kept, Status status) noexcept {
  return kept == KeptArrays::kAll || kept == KeptArrays::kSample ||
         (kept == KeptArrays::kFailing && status == Status::kVerificationFailed);
}

std::int64_t spilled_elements(std::int64_t elements, std::int64_t stride) noexcept {
  return elements / stride + (elements % stride != 0 ? 1 : 0);
}

std::vector<SpilledOutput> spill_outputs(const RequestedCase& wanted, ResultRecord& record,
                                         const std::map<std::string, Array>& outputs) {
  std::vector<SpilledOutput> all;
  const std::string& folder = wanted.request.spill_folder;
  const KeptArrays kept = wanted.job.output.arrays;
  for (OutputRecord& output : record.outputs) output.stride = 0;
  if (!keeps_outputs(kept, record.status) || folder.empty()) return all;
  for (const auto& [name, array] : outputs) {
    SpilledOutput spilled;
    spilled.output = name;
    if (array.bytes() > kLargestKept || kept == KeptArrays::kSample)
      spilled.stride = std::max<std::int64_t>(1, array.size() / kSampledElements);
    for (OutputRecord& output : record.outputs) {
      if (output.name != name) continue;
      output.stride = spilled.stride;
      if (spilled.stride > 1) add_statistics(output, {array.data(), array.bytes()});
    }
    spilled.file = nameless_file(wanted.request);
    if (spilled.stride == 1) {
      write_all(spilled.file.get(), {array.data(), array.bytes()}, folder);
    } else {
      const std::size_t item = size_of(array.dtype());
      const Array sample =
          Array::on_host(array.dtype(), Shape{spilled_elements(array.size(), spilled.stride)});
      for (std::int64_t k = 0; k < sample.size(); ++k)
        std::memcpy(sample.data() + static_cast<std::size_t>(k) * item,
                    array.data() + static_cast<std::size_t>(k * spilled.stride) * item, item);
      write_all(spilled.file.get(), {sample.data(), sample.bytes()}, folder);
    }
    all.push_back(std::move(spilled));
  }
  return all;
}

}  // namespace kernelbatch

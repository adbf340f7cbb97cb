#include "core/run/output_place.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/store/merged_reader.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

namespace {

void require_same_job(const fs::path& file, const JobSpec& job) {
  const MergedFile merged(file);
  const std::string sha = hash_hex(job.source);
  const auto is_same = [&](const JobRecord& known) {
    return known.name == job.name || known.sha == sha;
  };
  if (!merged.jobs().empty() && std::ranges::none_of(merged.jobs(), is_same))
    throw SpecError(
        fmt::format("'{}' holds results of the job '{}', not of '{}': choose another "
                    "output",
                    file.string(), merged.jobs().front().name, job.name));
}

}  // namespace

OutputPlace::OutputPlace(fs::path file, fs::path folder, const JobSpec& job,
                         const std::vector<const PlannedCase*>& cases)
    : file_(std::move(file)), folder_(std::move(folder)) {
  if (fs::is_directory(file_))
    throw StoreError(fmt::format("cannot write '{}': it is a folder", file_.string()));
  make_writable_folder(file_.parent_path());
  if (fs::exists(file_)) require_same_job(file_, job);
  make_writable_folder(folder_);
  for (const PlannedCase* planned : cases) case_ids_.insert(planned->case_id);
  remove_spilled();
}

OutputPlace::~OutputPlace() {
  remove_spilled();
  // Folders that hold shards refuse, which is what is wanted.
  std::error_code ignored;
  fs::remove(folder_, ignored);
  fs::remove(folder_.parent_path(), ignored);
}

void OutputPlace::remove_spilled() const noexcept {
  try {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder_, ignored)) {
      const std::string name = entry.path().filename().string();
      if (name.ends_with(".raw") && case_ids_.contains(name.substr(0, name.find('.'))))
        fs::remove(entry.path(), ignored);
    }
  } catch (const std::exception& error) {
    warn(fmt::format("cannot tidy '{}': {}", folder_.string(), error.what()));
  }
}

}  // namespace kernelbatch

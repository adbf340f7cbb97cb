#include "core/result/open_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/confined.hpp"
#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/result/collect.hpp"
#include "core/result/digest.hpp"
#include "core/result/merged_reader.hpp"
#include "core/result/merged_writer.hpp"
#include "core/result/output.hpp"
#include "core/result/schema.hpp"
#include "core/result/shard_files.hpp"
#include "core/result/shard_reader.hpp"
#include "core/result/shard_writer.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

namespace {

/// Larger files are mostly arrays, and only the requested parts are read.
constexpr std::int64_t kCopiedBytes = 1 << 20;
/// Additional limits for reading a file without a digest.
constexpr double kBytesPerSecond = 10e6;
constexpr std::uint64_t kMemoryPerByte = 8;

constexpr const char* kHelp =
    "`kernelbatch check-results` lists what is damaged, --read-damaged shows what can still be "
    "read";

int version_of(const h5::Group& root, const fs::path& path, Expected expected) {
  if (expected == Expected::kShard && !root.text(schema::kVersionAttribute))
    throw StoreError("it is not a shard of kernelbatch");
  return check_schema(root, path);
}

/// Copies a file's content to `folder` through the format's readers. Runs in a child process.
class Copier {
 public:
  Copier(const fs::path& source, const fs::path& folder, Damaged damaged)
      : source_(source), folder_(folder), damaged_(damaged) {}

  fs::path copy(Expected expected) {
    OpenedResults opened{nullptr, source_, h5::File::open(source_), 0};
    const h5::Group root = opened.file.root();
    version_ = opened.schema = version_of(root, source_, expected);
    if (version_ >= schema::kFirstWithDigest && damaged_ == Damaged::kRefuse)
      throw StoreError(fmt::format("it lacks the digest that it was written with; {}", kHelp));
    return root.has(schema::kRecord) ? copy_shard(std::move(opened))
                                     : copy_merged(std::move(opened));
  }
  std::int64_t lost() const noexcept { return lost_; }
  int version() const noexcept { return version_; }

 private:
  /// Runs `read`; if damaged files are read, failures are only counted.
  template <class Function>
  void attempt(const Function& read) {
    try {
      read();
    } catch (const StoreError&) {
      if (damaged_ == Damaged::kRefuse) throw;
      ++lost_;
    }
  }

  fs::path copy_shard(OpenedResults opened) {
    Shard shard(std::move(opened), Samples::kOmit);
    attempt([&] { shard.read_samples(); });
    const CaseRecord& record = shard.record();
    std::vector<StoredOutput> arrays;
    std::vector<std::pair<std::string, std::string>> names;
    for (const ResultRecord& result : record.results)
      attempt([&] {
        for (const std::string& name : shard.outputs(record.case_id, result.variant))
          attempt([&] {
            arrays.push_back(read_output(*shard.output(record.case_id, result.variant, name)));
            names.emplace_back(result.variant, name);
          });
      });
    std::vector<OutputData> outputs;
    for (std::size_t k = 0; k < arrays.size(); ++k)
      outputs.push_back({names[k].first, names[k].second, arrays[k].bytes, arrays[k].stride});
    write_shard(folder_, record, outputs);
    return folder_ / (record.case_id + std::string(kShardSuffix));
  }

  fs::path copy_merged(OpenedResults opened) {
    MergedFile merged(source_, std::move(opened));
    const fs::path path = folder_ / "merged.h5";
    NewFile file(path);
    MergedWriter writer(file, "kernelbatch");
    for (const DeviceCalibration& calibration : merged.calibration()) writer.add(calibration, -1);
    const std::vector<std::string>& ids = merged.case_ids();
    for (std::size_t row = 0; row < ids.size();) {
      CollectedCase variants;
      const std::string& id = ids[row];
      for (; row < ids.size() && ids[row] == id; ++row)
        attempt([&] {
          variants.results.push_back(collect_row(merged, static_cast<std::int64_t>(row), {}));
        });
      attempt([&] { writer.add(variants); });
    }
    writer.finish();
    file.commit(path);
    return path;
  }

  fs::path source_, folder_;
  Damaged damaged_;
  std::int64_t lost_ = 0;
  int version_ = 0;
};

/// The file if its digest matches; else std::nullopt.
std::optional<h5::File> open_whole(const fs::path& path, Integrity& integrity) {
  if (identity_of(path).size > kCopiedBytes) {
    integrity = integrity_of(path);
    if (integrity == Integrity::kWhole) return h5::File::open(path);
    return std::nullopt;
  }
  // The verified bytes are the bytes that are read.
  const std::string text = read_file(path);
  const auto bytes = std::as_bytes(std::span(text));
  integrity = integrity_of(bytes);
  if (integrity == Integrity::kWhole) return h5::File::open_image(bytes);
  return std::nullopt;
}

OpenedResults open_copy(const fs::path& path, Expected expected, Damaged damaged, Integrity found) {
  auto folder = std::make_unique<ScratchFolder>();
  const auto size = static_cast<std::uint64_t>(std::max<std::int64_t>(0, identity_of(path).size));
  ConfinedLimits limits;
  limits.seconds += static_cast<double>(size) / kBytesPerSecond;
  limits.memory_bytes += kMemoryPerByte * size;
  const std::string said = run_confined(
      [&] {
        Copier copier(path, folder->path(), damaged);
        const std::string name = copier.copy(expected).filename().string();
        return fmt::format("{} {} {}", copier.lost(), copier.version(), name);
      },
      limits);
  const std::vector<std::string> words = split(said, ' ');
  if (words.size() != 3) throw StoreError("the process that read it gave no answer");
  const int version = std::stoi(words[1]);
  if (found == Integrity::kDamaged || version >= schema::kFirstWithDigest)
    warn(
        fmt::format("'{}' is damaged: what is read from it may be wrong; {} parts of it cannot be "
                    "read",
                    path.string(), words[0]));
  const fs::path copy = folder->path() / words[2];
  Integrity integrity{};
  std::optional<h5::File> file = open_whole(copy, integrity);
  if (!file) throw StoreError(fmt::format("its copy '{}' is damaged", copy.string()));
  return {std::move(folder), copy, std::move(*file), version};
}

}  // namespace

OpenedResults open_results(const fs::path& path, Expected expected, Damaged damaged) {
  if (!h5::is_hdf5(path)) {
    if (expected == Expected::kShard) throw StoreError("it is not HDF5");
    throw SpecError(fmt::format("'{}' is not a results file: it is not HDF5", path.string()));
  }
  Integrity integrity{};
  if (std::optional<h5::File> file = open_whole(path, integrity)) {
    const int version = version_of(file->root(), path, expected);
    return {nullptr, path, std::move(*file), version};
  }
  if (integrity == Integrity::kDamaged && damaged == Damaged::kRefuse)
    throw StoreError(fmt::format("it is damaged: its content does not fit its digest; {}", kHelp));
  return open_copy(path, expected, damaged, integrity);
}

}  // namespace kernelbatch

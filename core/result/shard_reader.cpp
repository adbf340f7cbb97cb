#include "core/result/shard_reader.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/result/output.hpp"
#include "core/result/schema.hpp"
#include "core/result/shard_files.hpp"
#include "core/result/table.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

namespace {

/// Copy without members needed only by readers of the record.
OutputRecord identity_of(const OutputRecord& output) {
  OutputRecord identity;
  identity.name = output.name;
  identity.dtype = output.dtype;
  identity.xxh3 = output.xxh3;
  identity.stride = output.stride;
  return identity;
}

}  // namespace

Shard::Shard(const fs::path& path, Samples samples, Damaged damaged)
    : Shard(open_results(path, Expected::kShard, damaged), samples) {}

Shard::Shard(OpenedResults opened, Samples samples)
    : opened_(std::move(opened)), root_(opened_.file.root()) {
  record_ = case_from_json(root_.dataset(schema::kRecord).read_text());
  for (const ResultRecord& result : record_.results)
    for (const OutputRecord& output : result.outputs)
      known_[result.variant].push_back(identity_of(output));
  if (samples == Samples::kInclude) read_samples();
}

void Shard::read_samples() {
  const h5::Group group = root_.group(schema::kSamples.group);
  RecordReader<schema::Parent> parents(group, schema::parents());
  RecordReader<Sample> samples(group, schema::samples());
  for (std::int64_t row = 0; row < parents.rows(); ++row) {
    const auto result = static_cast<std::size_t>(parents.read(row).row);
    if (result >= record_.results.size()) throw StoreError("a sample belongs to a missing result");
    record_.results[result].samples.push_back(samples.read(row));
  }
}

void Shard::verify_separate_outputs() const {
  if (const auto name = root_.text(kSeparateOutputs)) {
    const fs::path path = opened_.path.parent_path() / *name;
    if (identity_of(path).size < 0)
      throw StoreError(fmt::format("its arrays, '{}', are missing", path.string()));
    if (hash_hex(MappedFile(path).bytes()) != root_.text(kSeparateOutputsHash))
      throw StoreError(fmt::format("its arrays, '{}', are damaged", path.string()));
  }
}

void Shard::verify_outputs() const {
  verify_separate_outputs();
  if (!has_digests()) return;
  for (const auto& [variant, outputs] : known_)
    for (const OutputRecord& output : outputs)
      if (const auto dataset = this->output(record_.case_id, variant, output.name))
        require_whole(*dataset, output,
                      fmt::format("the array '{}' of variant '{}'", output.name, variant));
}

bool Shard::has_digests() const noexcept { return opened_.schema >= schema::kFirstWithDigest; }

const h5::Group& Shard::outputs_root() const {
  if (outputs_root_) return *outputs_root_;
  if (const auto name = root_.text(kSeparateOutputs)) {
    separate_ = h5::File::open(opened_.path.parent_path() / *name);
    outputs_root_ = separate_->root();
  } else {
    outputs_root_ = opened_.file.root();
  }
  return *outputs_root_;
}

const h5::Group* Shard::arrays_of(std::string_view variant) const {
  if (arrays_ && arrays_variant_ == variant) return &*arrays_;
  const std::string path = fmt::format("{}/{}", schema::kOutputs, variant);
  if (!outputs_root().has(path)) return nullptr;
  arrays_ = outputs_root().group(path);
  arrays_variant_ = variant;
  return &*arrays_;
}

std::vector<std::string> Shard::outputs(std::string_view, std::string_view variant) const {
  const h5::Group* arrays = arrays_of(variant);
  const auto known = known_.find(variant);
  std::vector<std::string> names;
  if (arrays == nullptr || known == known_.end()) return names;
  for (const OutputRecord& output : known->second)
    if (arrays->has(output.name)) names.push_back(output.name);
  return names;
}

std::optional<h5::Dataset> Shard::output(std::string_view, std::string_view variant,
                                         std::string_view name) const {
  const h5::Group* arrays = arrays_of(variant);
  if (arrays == nullptr || !arrays->has(name)) return std::nullopt;
  return arrays->dataset(name);
}

}  // namespace kernelbatch

#include "core/store/shard_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/store/schema.hpp"
#include "core/store/shard_files.hpp"
#include "core/store/table.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

namespace {

/// Above this, a shard is mostly arrays.
constexpr std::int64_t kCopiedBytes = 1 << 20;

/// A small file is read at once; of a large one only what is asked for is.
h5::File open_shard(const fs::path& path) {
  if (identity_of(path).size > kCopiedBytes) return h5::File::open(path);
  const std::string bytes = read_file(path);
  return h5::File::open_image(std::as_bytes(std::span(bytes)));
}

}  // namespace

Shard::Shard(const fs::path& path, Samples samples)
    : path_(path), file_(open_shard(path)), root_(file_.root()) {
  if (!root_.text(schema::kVersionAttribute)) throw StoreError("it is not a shard of kernelbatch");
  check_schema(root_, path);
  record_ = case_from_json(root_.dataset(schema::kRecord).read_text());
  for (const ResultRecord& result : record_.results)
    for (const OutputRecord& output : result.outputs) names_[result.variant].push_back(output.name);
  if (samples == Samples::kInclude) read_samples();
}

void Shard::read_samples() {
  const h5::Group group = root_.group(schema::kSamples.group);
  RecordReader<schema::Parent> parents(group, schema::parents());
  RecordReader<Sample> samples(group, schema::samples());
  for (std::int64_t row = 0; row < parents.rows(); ++row) {
    const auto result = static_cast<std::size_t>(parents.read(row).row);
    if (result >= record_.results.size())
      throw StoreError("a sample belongs to a result that is not there");
    record_.results[result].samples.push_back(samples.read(row));
  }
}

void Shard::verify_outputs() const {
  const auto name = root_.text(kSeparateOutputs);
  if (!name) return;
  const fs::path path = path_.parent_path() / *name;
  if (identity_of(path).size < 0)
    throw StoreError(fmt::format("its arrays, '{}', are missing", path.string()));
  if (hash_hex(MappedFile(path).bytes()) != root_.text(kSeparateOutputsHash))
    throw StoreError(fmt::format("its arrays, '{}', are damaged", path.string()));
}

const h5::Group& Shard::outputs_root() const {
  if (outputs_root_) return *outputs_root_;
  if (const auto name = root_.text(kSeparateOutputs)) {
    separate_ = h5::File::open(path_.parent_path() / *name);
    outputs_root_ = separate_->root();
  } else {
    outputs_root_ = file_.root();
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
  const auto known = names_.find(variant);
  std::vector<std::string> names;
  if (arrays == nullptr || known == names_.end()) return names;
  std::ranges::copy_if(known->second, std::back_inserter(names),
                       [&](const std::string& name) { return arrays->has(name); });
  return names;
}

std::optional<h5::Dataset> Shard::output(std::string_view, std::string_view variant,
                                         std::string_view name) const {
  const h5::Group* arrays = arrays_of(variant);
  if (arrays == nullptr || !arrays->has(name)) return std::nullopt;
  return arrays->dataset(name);
}

}  // namespace kernelbatch

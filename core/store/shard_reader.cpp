#include "core/store/shard_reader.hpp"

#include <fmt/format.h>

#include "core/base/error.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/store/schema.hpp"
#include "core/store/shard_files.hpp"
#include "core/store/table.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

namespace {

h5::File open_copy(const fs::path& path) {
  const std::string bytes = read_file(path);
  return h5::File::open_image(std::as_bytes(std::span(bytes)));
}

}  // namespace

Shard::Shard(const fs::path& path, Samples samples) : path_(path), file_(open_copy(path)) {
  const h5::Group root = file_.root();
  if (!root.text(schema::kVersionAttribute)) throw StoreError("it is not a shard of kernelbatch");
  check_schema(root, path);
  record_ = case_from_json(root.dataset(schema::kRecord).read_text());
  if (samples == Samples::kInclude) read_samples();
}

void Shard::read_samples() {
  const h5::Group group = file_.root().group(schema::kSamples.group);
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
  const h5::Group root = file_.root();
  const auto name = root.text(kSeparateOutputs);
  if (!name) return;
  const fs::path path = path_.parent_path() / *name;
  if (identity_of(path).size < 0)
    throw StoreError(fmt::format("its arrays, '{}', are missing", path.string()));
  if (hash_hex(MappedFile(path).bytes()) != root.text(kSeparateOutputsHash))
    throw StoreError(fmt::format("its arrays, '{}', are damaged", path.string()));
}

h5::Group Shard::outputs_root() const {
  const auto name = file_.root().text(kSeparateOutputs);
  if (!name) return file_.root();
  if (!separate_) separate_ = h5::File::open(path_.parent_path() / *name);
  return separate_->root();
}

std::vector<std::string> Shard::outputs(std::string_view, std::string_view variant) const {
  const h5::Group root = outputs_root();
  const std::string path = fmt::format("{}/{}", schema::kOutputs, variant);
  return root.has(path) ? arrays_in(root.group(path)) : std::vector<std::string>{};
}

std::optional<h5::Dataset> Shard::output(std::string_view, std::string_view variant,
                                         std::string_view name) const {
  const h5::Group root = outputs_root();
  const std::string path = fmt::format("{}/{}/{}", schema::kOutputs, variant, name);
  if (!root.has(path)) return std::nullopt;
  return root.dataset(path);
}

}  // namespace kernelbatch

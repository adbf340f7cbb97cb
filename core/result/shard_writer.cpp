#include "core/result/shard_writer.hpp"

#include <fmt/format.h>

#include <string>
#include <system_error>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/failpoint.hpp"
#include "core/base/file.hpp"
#include "core/base/text.hpp"
#include "core/result/digest.hpp"
#include "core/result/json.hpp"
#include "core/result/output.hpp"
#include "core/result/schema.hpp"
#include "core/result/shard_files.hpp"
#include "core/result/table.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

namespace {

void check_name(std::string_view name, std::string_view kind) {
  using namespace std::string_view_literals;
  if (name.empty() || name.front() == '.' || name.find_first_of("/\0"sv) != name.npos)
    throw StoreError(fmt::format("'{}' cannot be the name of a {} in a result file", name, kind));
}

const OutputRecord& described(const CaseRecord& record, const OutputData& data) {
  for (const ResultRecord& result : record.results)
    if (result.variant == data.variant)
      for (const OutputRecord& output : result.outputs)
        if (output.name == data.output) return output;
  throw StoreError(fmt::format("case '{}' has no output '{}' of a variant '{}'", record.case_id,
                               data.output, data.variant));
}

void write_outputs(h5::Group root, const CaseRecord& record, std::span<const OutputData> outputs,
                   int deflate) {
  h5::Group all = root.create_group(schema::kOutputs);
  for (const ResultRecord& result : record.results) {
    std::vector<std::string> names;
    for (const OutputData& data : outputs)
      if (data.variant == result.variant) names.push_back(data.output);
    if (names.empty()) continue;
    OutputWriter writer(all.create_group(result.variant), names);
    for (const OutputData& data : outputs)
      if (data.variant == result.variant) writer.write(described(record, data), data, deflate);
  }
}

void write_samples(h5::Group root, const CaseRecord& record) {
  std::vector<schema::ColumnInfo> columns = schema::infos(schema::parents());
  for (const auto& column : schema::samples()) columns.push_back(column.info);
  TableWriter table(std::move(root), schema::kSamples, columns, TableStyle::kLean);
  std::vector<Value> row;
  for (std::size_t k = 0; k < record.results.size(); ++k)
    for (const Sample& sample : record.results[k].samples) {
      row.clear();
      schema::add_cells(row, schema::parents(), {static_cast<std::int64_t>(k)});
      schema::add_cells(row, schema::samples(), sample);
      table.append(row);
    }
  table.finish();
}

struct SeparateOutputs {
  std::string name, hash;
};

/// Writes the arrays to a file with their hash in its name, so that an older shard, valid until the
/// new one replaces it, keeps its own arrays.
SeparateOutputs write_separately(const fs::path& folder, const CaseRecord& record,
                                 std::span<const OutputData> outputs, int deflate) {
  NewFile new_file(folder / (record.case_id + ".outputs"));
  h5::File file = h5::File::create(new_file);
  file.root().set(schema::kVersionAttribute, fmt::format("{}", schema::kVersion));
  write_outputs(file.root(), record, outputs, deflate);
  file.close();
  SeparateOutputs separate;
  separate.hash = hash_hex(MappedFile(new_file.descriptor(), folder).bytes());
  separate.name = separate_outputs_name(record.case_id, separate.hash);
  new_file.commit(folder / separate.name);
  return separate;
}

}  // namespace

fs::path shards_folder(const fs::path& output_file) {
  fs::path folder = output_file;
  folder += ".d";
  return folder;
}

fs::path shard_folder(const fs::path& output_file, std::string_view shard_name) {
  check_name(shard_name, "shard");
  return shards_folder(output_file) / shard_name;
}

void write_shard(const fs::path& folder, const CaseRecord& record,
                 std::span<const OutputData> outputs, const ShardOptions& options) {
  check_name(record.case_id, "case");
  if (record.case_id.find('.') != std::string::npos)
    throw StoreError(
        fmt::format("'{}' cannot be the name of a case: it has a dot", record.case_id));
  for (const ResultRecord& result : record.results) check_name(result.variant, "variant");
  std::uint64_t bytes = 0;
  for (const OutputData& data : outputs) {
    check_name(data.output, "output");
    static_cast<void>(described(record, data));
    bytes += data.bytes.size();
  }
  make_writable_folder(folder);

  KERNELBATCH_FAILPOINT("shard.begun");
  h5::File file = h5::File::create_in_memory();
  h5::Group root = file.root();
  root.set(schema::kVersionAttribute, fmt::format("{}", schema::kVersion));
  const std::string json = to_json(record, Samples::kOmit);
  root.create_dataset(schema::kRecord, {.type = h5::Type::kText}).write(std::span(&json, 1));
  write_samples(file.root(), record);
  if (bytes > options.separate_outputs_bytes) {
    const SeparateOutputs separate = write_separately(folder, record, outputs, options.deflate);
    KERNELBATCH_FAILPOINT("shard.arrays_written");
    root.set(kSeparateOutputs, separate.name);
    root.set(kSeparateOutputsHash, separate.hash);
  } else if (!outputs.empty()) {
    write_outputs(file.root(), record, outputs, options.deflate);
  }
  std::vector<std::byte> image = file.image();
  const std::string digest = digest_line(image);
  const auto line = std::as_bytes(std::span(digest));
  image.insert(image.end(), line.begin(), line.end());
  write_file_atomically(free_shard(folder, record.case_id), image);
}

}  // namespace kernelbatch

#include "core/result/merged_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/error.hpp"

namespace kernelbatch {
namespace fs = std::filesystem;

namespace {

h5::Group table(const h5::Group& root, const schema::Table& table) {
  if (!root.has(table.group)) throw StoreError(fmt::format("it lacks the table /{}", table.group));
  return root.group(table.group);
}

template <class Record>
std::vector<Record> read_all(const h5::Group& group, schema::Columns<Record> columns) {
  RecordReader<Record> reader(group, columns);
  std::vector<Record> records;
  for (std::int64_t row = 0; row < reader.rows(); ++row) records.push_back(reader.read(row));
  return records;
}

std::vector<EnvironmentRecord> read_environments(const h5::Group& group) {
  const std::string dimension(schema::kEnvironments.dimension);
  std::vector<EnvironmentRecord> records(static_cast<std::size_t>(group.dataset(dimension).rows()));
  for (const std::string& name : group.names()) {
    if (name == dimension) continue;
    ColumnReader column(group.dataset(name));
    for (std::size_t row = 0; row < records.size(); ++row)
      records[row].values.emplace_back(name, column.value(static_cast<std::int64_t>(row)));
  }
  return records;
}

StoreError unreadable(const fs::path& path, const StoreError& error) {
  return StoreError(fmt::format("cannot read '{}': {}", path.string(), error.what()));
}

OpenedResults open_named(const fs::path& path) {
  try {
    return open_results(path, Expected::kResults);
  } catch (const StoreError& error) {
    throw unreadable(path, error);
  }
}

template <class Record>
std::vector<Record> rows_of(RecordReader<Record>& reader, std::int64_t start, std::int64_t count) {
  if (start < 0 || count < 0 || count > reader.rows() || start > reader.rows() - count)
    throw StoreError(
        fmt::format("it refers to {} rows from row {}, some of which are missing", count, start));
  std::vector<Record> records;
  records.reserve(static_cast<std::size_t>(count));
  for (std::int64_t row = start; row < start + count; ++row) records.push_back(reader.read(row));
  return records;
}

}  // namespace

MergedFile::MergedFile(const fs::path& path) : MergedFile(path, open_named(path)) {}

MergedFile::MergedFile(const fs::path& path, OpenedResults opened) try
    : path_(path),
      opened_(std::move(opened)),
      root_(opened_.file.root()),
      environments_(read_environments(table(root_, schema::kEnvironments))),
      jobs_(read_all(table(root_, schema::kJobs), schema::jobs())),
      calibration_(read_all(table(root_, schema::kCalibration), schema::calibrations())),
      results_(table(root_, schema::kCases), schema::results()),
      places_(table(root_, schema::kCases), schema::places()),
      samples_(table(root_, schema::kSamples), schema::samples()),
      launches_(table(root_, schema::kLaunches), schema::launches()),
      kernels_(table(root_, schema::kKernels), schema::kernels()),
      checks_(table(root_, schema::kChecks), schema::checks()),
      params_(table(root_, schema::kCases).dataset(schema::kParamsJson)) {
  if (root_.has(schema::kFindings.group))
    findings_.emplace(table(root_, schema::kFindings), schema::findings());
  if (root_.has(schema::kCounters.group))
    counters_.emplace(table(root_, schema::kCounters), schema::counters());
  const h5::Dataset ids = table(root_, schema::kCases).dataset("case_id");
  case_ids_ = ids.read_text_rows(0, ids.rows());
  plan_indices_.assign(case_ids_.size(), -1);
  if (table(root_, schema::kCases).has("plan_index"))
    table(root_, schema::kCases)
        .dataset("plan_index")
        .read_rows(0, ids.rows(), std::as_writable_bytes(std::span(plan_indices_)));
  results_.keep([](std::string_view name) { return name != "case_id"; });  // already known
} catch (const StoreError& error) {
  throw unreadable(path, error);
}

void MergedFile::prepare(const Parts& parts) {
  if (parts.columns.empty()) return;
  const auto is_one_of = [](std::string_view name, std::span<const std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
  };
  results_.keep([&](std::string_view name) {
    static constexpr std::string_view kAlways[] = {
        "variant", "run", "attempt", "plan_index", "variant_index", "start_time", "end_time"};
    return is_one_of(name, kAlways) || is_one_of(name, parts.columns);
  });
  checks_.keep([&](std::string_view name) { return is_one_of(name, parts.columns); });
  places_.keep([&](std::string_view name) {
    if (name.starts_with("sample")) return parts.samples == Samples::kInclude;
    return parts.launches || !(name.starts_with("launch") || name.starts_with("kernel") ||
                               name.starts_with("counter"));
  });
}

schema::Place MergedFile::place(std::int64_t row) { return places_.read(row); }

ResultRecord MergedFile::result(std::int64_t row, Parts parts) {
  try {
    return read_result(row, parts);
  } catch (const StoreError& error) {
    throw unreadable(path_, error);
  }
}

ResultRecord MergedFile::read_result(std::int64_t row, Parts parts) {
  ResultRecord record = results_.read(row);
  record.case_id = case_ids_.at(static_cast<std::size_t>(row));
  const schema::Place at = place(row);
  const auto is_wanted = [&](std::string_view name) {
    return parts.columns.empty() || std::ranges::find(parts.columns, name) != parts.columns.end();
  };
  if (is_wanted(schema::kParamsJson)) record.params = params_of(row);
  if (checks_.has_columns()) record.outputs = rows_of(checks_, at.check_start, at.check_count);
  if (findings_ && at.finding_count > 0)
    record.findings = rows_of(*findings_, at.finding_start, at.finding_count);
  if (counters_ && parts.launches && at.counter_count > 0)
    record.counters = rows_of(*counters_, at.counter_start, at.counter_count);
  if (parts.launches) {
    record.launches = rows_of(launches_, at.launch_start, at.launch_count);
    record.kernels = rows_of(kernels_, at.kernel_start, at.kernel_count);
  }
  if (parts.samples == Samples::kInclude)
    record.samples = rows_of(samples_, at.sample_start, at.sample_count);
  return record;
}

const NamedValues& MergedFile::params_of(std::int64_t row) {
  // All variants of a case have the same parameters and are consecutive.
  const std::string& text = std::get<std::string>(params_.value(row));
  if (text != params_text_) {
    params_values_ = values_from_json(text);
    params_text_ = text;
  }
  return params_values_;
}

std::vector<std::string> MergedFile::outputs(std::string_view case_id,
                                             std::string_view variant) const {
  const std::string path = fmt::format("{}/{}/{}", schema::kOutputs, case_id, variant);
  return root_.has(path) ? arrays_in(root_.group(path)) : std::vector<std::string>{};
}

std::optional<h5::Dataset> MergedFile::output(std::string_view case_id, std::string_view variant,
                                              std::string_view name) const {
  const std::string path = fmt::format("{}/{}/{}/{}", schema::kOutputs, case_id, variant, name);
  if (!root_.has(path)) return std::nullopt;
  return root_.dataset(path);
}

}  // namespace kernelbatch

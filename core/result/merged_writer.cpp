#include "core/result/merged_writer.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/base/failpoint.hpp"
#include "core/result/digest.hpp"
#include "core/result/json.hpp"
#include "core/result/output.hpp"
#include "core/result/schema.hpp"

namespace kernelbatch {
namespace {

using schema::ColumnInfo;
using schema::ColumnType;

std::vector<ColumnInfo> case_columns() {
  std::vector<ColumnInfo> columns = schema::infos(schema::results());
  columns.push_back(
      {schema::kParamsJson, ColumnType::kText, "", "parameters of the case, as JSON", "", 0});
  for (const auto& column : schema::places()) columns.push_back(column.info);
  return columns;
}

template <class Record>
std::vector<ColumnInfo> child_columns(schema::Columns<Record> columns) {
  std::vector<ColumnInfo> result = schema::infos(schema::parents());
  for (const auto& column : columns) result.push_back(column.info);
  return result;
}

template <class Record>
void append_children(TableWriter& table, schema::Columns<Record> columns, std::int64_t parent,
                     const std::vector<Record>& records) {
  std::vector<Value> row;
  for (const Record& record : records) {
    row.clear();
    schema::add_cells(row, schema::parents(), {parent});
    schema::add_cells(row, columns, record);
    table.append(row);
  }
}

template <class T>
std::int64_t count_of(const std::vector<T>& records) {
  return static_cast<std::int64_t>(records.size());
}

void describe(h5::Group& root, const std::string& source) {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  const std::string date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
  root.set("Conventions", "CF-1.11");
  root.set(schema::kVersionAttribute, fmt::format("{}", schema::kVersion));
  root.set("title", "Results of kernelbatch");
  root.set("source", source);
  root.set("history", fmt::format("{} merged by {}", date, source));
  root.set("date_created", date);
}

}  // namespace

/// All open HDF5 objects. They are closed before the digest is added, since HDF5 truncates the file
/// to its own size when the last one is closed.
struct MergedWriter::Content {
  explicit Content(const NewFile& new_file)
      : file(h5::File::create(new_file)),
        root(file.root()),
        cases(file.root(), schema::kCases, case_columns()),
        samples(file.root(), schema::kSamples, child_columns(schema::samples())),
        launches(file.root(), schema::kLaunches, child_columns(schema::launches())),
        kernels(file.root(), schema::kKernels, child_columns(schema::kernels())),
        checks(file.root(), schema::kChecks, child_columns(schema::checks())),
        findings(file.root(), schema::kFindings, child_columns(schema::findings())),
        counters(file.root(), schema::kCounters, child_columns(schema::counters())),
        calibration(file.root(), schema::kCalibration, schema::infos(schema::calibrations())),
        environments(file.root(), schema::kEnvironments, {}),
        jobs(file.root(), schema::kJobs, schema::infos(schema::jobs())),
        outputs(root.create_group(schema::kOutputs)) {}

  void finish() {
    for (TableWriter* table : {&cases, &samples, &launches, &kernels, &checks, &findings, &counters,
                               &calibration, &environments, &jobs})
      table->finish();
  }

  h5::File file;
  h5::Group root;
  TableWriter cases, samples, launches, kernels, checks, findings, counters, calibration,
      environments, jobs;
  h5::Group outputs;
};

MergedWriter::MergedWriter(const NewFile& file, const std::string& source)
    : file_(file), content_(std::make_unique<Content>(file)) {
  describe(content_->root, source);
}
MergedWriter::~MergedWriter() = default;

std::int64_t MergedWriter::environment_row(const EnvironmentRecord* environment) {
  if (environment == nullptr) return -1;
  const auto [found, is_new] =
      environment_rows_.try_emplace(to_json(environment->values), content_->environments.rows());
  if (is_new) {
    environment_values_.add_row(environment->values);
    content_->environments.append({});
  }
  return found->second;
}

std::int64_t MergedWriter::job_row(const JobRecord* job) {
  if (job == nullptr) return -1;
  const auto [found, is_new] = job_rows_.try_emplace(
      job->sha + '\n' + job->name + '\n' + job->spec_written + '\n' + job->spec_resolved,
      content_->jobs.rows());
  if (is_new) {
    std::vector<Value> row;
    schema::add_cells(row, schema::jobs(), *job);
    content_->jobs.append(row);
  }
  return found->second;
}

void MergedWriter::add(const CollectedCase& results) {
  std::optional<h5::Group> outputs_of_case;
  for (const CollectedResult& result : results.results) add(result, outputs_of_case);
}

void MergedWriter::add(const CollectedResult& result, std::optional<h5::Group>& outputs_of_case) {
  const ResultRecord& record = result.record;
  const std::int64_t parent = content_->cases.rows();
  const schema::Place place{.sample_start = content_->samples.rows(),
                            .sample_count = count_of(record.samples),
                            .launch_start = content_->launches.rows(),
                            .launch_count = count_of(record.launches),
                            .kernel_start = content_->kernels.rows(),
                            .kernel_count = count_of(record.kernels),
                            .check_start = content_->checks.rows(),
                            .check_count = count_of(record.outputs),
                            .finding_start = content_->findings.rows(),
                            .finding_count = count_of(record.findings),
                            .counter_start = content_->counters.rows(),
                            .counter_count = count_of(record.counters),
                            .environment = environment_row(result.environment),
                            .job = job_row(result.job)};
  std::vector<Value> row;
  schema::add_cells(row, schema::results(), record);
  row.emplace_back(to_json(record.params));
  schema::add_cells(row, schema::places(), place);
  content_->cases.append(row);
  ++results_;
  params_.add_row(record.params);
  append_children(content_->samples, schema::samples(), parent, record.samples);
  append_children(content_->launches, schema::launches(), parent, record.launches);
  append_children(content_->kernels, schema::kernels(), parent, record.kernels);
  append_children(content_->checks, schema::checks(), parent, record.outputs);
  append_children(content_->findings, schema::findings(), parent, record.findings);
  append_children(content_->counters, schema::counters(), parent, record.counters);

  const std::vector<std::string> names = result.source->outputs(record.case_id, record.variant);
  if (names.empty()) return;
  if (!outputs_of_case) outputs_of_case = content_->outputs.create_group(record.case_id);
  OutputWriter writer(outputs_of_case->create_group(record.variant), names);
  for (const std::string& name : names)
    writer.copy(name, *result.source->output(record.case_id, record.variant, name));
}

void MergedWriter::add(const DeviceCalibration& calibration, std::int64_t time_ns) {
  auto [known, is_new] = calibrations_.try_emplace(calibration.device, time_ns, calibration);
  if (!is_new && known->second.first <= time_ns) known->second = {time_ns, calibration};
}

void MergedWriter::finish() {
  params_.write(content_->cases, schema::kParamPrefix, "parameter");
  environment_values_.write(content_->environments, "", "environment:");
  for (const auto& [device, entry] : calibrations_) {
    std::vector<Value> row;
    schema::add_cells(row, schema::calibrations(), entry.second);
    content_->calibration.append(row);
  }
  KERNELBATCH_FAILPOINT("merge.rows_written");
  content_->finish();
  h5::File file = std::move(content_->file);
  content_.reset();
  file.close();
  KERNELBATCH_FAILPOINT("merge.closed");
  append_digest(file_);
  KERNELBATCH_FAILPOINT("merge.digest_added");
}

}  // namespace kernelbatch

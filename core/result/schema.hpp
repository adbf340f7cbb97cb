// Layout of result files: names, and a description of each table's columns, shared by writers,
// readers and the JSON form.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/value.hpp"
#include "core/result/record.hpp"

namespace kernelbatch::schema {

/// Incremented when a reader of the older version would misinterpret the newer file.
inline constexpr int kVersion = 2;
/// Files of this schema and later end with a digest (store/digest.hpp).
inline constexpr int kFirstWithDigest = 2;
inline constexpr std::string_view kVersionAttribute = "kernelbatch_schema";

inline constexpr std::string_view kTimeUnits = "nanoseconds since 1970-01-01T00:00:00Z";

/// Storage of a column. A flag is an int8 with the attribute dtype="bool"; a code is an int8 with
/// CF's flag_values and flag_meanings; missing integers are -1 and missing reals NaN.
enum class ColumnType : std::uint8_t { kInteger, kReal, kFlag, kCode, kText };

struct ColumnInfo {
  std::string_view name;
  ColumnType type = ColumnType::kText;
  std::string_view units;      ///< UDUNITS, short form; empty for text, flags and codes
  std::string_view long_name;  ///< meaning of the column
  std::string_view meanings;   ///< for a code: one word per value
  std::int8_t first_code = 0;  ///< value of the first meaning
};

/// Form of a value in tables: "1.2 ms" or "340" (GB/s) by its unit, "85 %", "1.85x", "± 0.4 %".
enum class Form : std::uint8_t { kByUnits, kShare, kRatio, kHalfWidth };

/// Presentation of a result's column in the text table, in Markdown and LaTeX, and on the page.
struct Shown {
  std::string_view heading = {};  ///< in tables; empty: not in tables
  std::string_view member = {};   ///< of a result in the page's data; empty: not on the page
  /// List of the distinct values in the page's data; the member is then a position there.
  std::string_view names = {};
  Form form = Form::kByUnits;
  int place = 85;                 ///< tables are in this order; by default before the error
  int drop = 0;                   ///< order of omission on narrow terminals; 0: never omitted
  bool only_ok = false;           ///< missing unless the result is correct
  bool in_text = true;            ///< the text table has the heading
  bool in_export = true;          ///< Markdown and LaTeX have the heading
  bool omit_empty = false;        ///< the text table omits it if all results lack it
  std::string_view missing = {};  ///< text of a missing value
};

/// A column of a table of `Record`s. A cell's value is text for texts and codes.
template <class Record>
struct Column {
  ColumnInfo info;
  Value (*get)(const Record&);
  void (*set)(Record&, const Value&);  ///< null: derived from other columns. Throws StoreError.
  Shown shown = {};

  constexpr Column as(const Shown& how) const {
    Column copy = *this;
    copy.shown = how;
    return copy;
  }
};

template <class Record>
using Columns = std::span<const Column<Record>>;

/// Positions of a result's other data in a merged file: row numbers in the other tables.
struct Place {
  std::int64_t sample_start = 0, sample_count = 0, launch_start = 0, launch_count = 0,
               kernel_start = 0, kernel_count = 0, check_start = 0, check_count = 0,
               finding_start = 0, finding_count = 0, counter_start = 0, counter_count = 0,
               environment = -1, job = -1;
};

/// The row of /cases that a row of another table belongs to.
struct Parent {
  std::int64_t row = -1;
};

/// Name of a table and of its dimension, which is also the name of its index column.
struct Table {
  std::string_view group, dimension;
};

inline constexpr Table kCases{"cases", "case"};
inline constexpr Table kSamples{"samples", "sample"};
inline constexpr Table kLaunches{"launches", "launch"};
inline constexpr Table kKernels{"kernels", "kernel"};
inline constexpr Table kChecks{"checks", "check"};
inline constexpr Table kFindings{"findings", "finding"};
inline constexpr Table kCounters{"counters", "counter"};
inline constexpr Table kCalibration{"calibration", "device"};
inline constexpr Table kEnvironments{"environments", "environment"};
inline constexpr Table kJobs{"jobs", "job"};
inline constexpr std::string_view kOutputs = "outputs";
inline constexpr std::string_view kRecord = "record";  ///< in a shard: its CaseRecord as JSON
inline constexpr std::string_view kParamPrefix = "param_";
inline constexpr std::string_view kParamsJson = "params_json";

/// Columns of /cases, in file order; the params and the place follow them.
Columns<ResultRecord> results();
Columns<Place> places();
Columns<Parent> parents();
Columns<Sample> samples();
Columns<LaunchRecord> launches();
Columns<KernelRecord> kernels();
Columns<OutputRecord> checks();
Columns<FindingRecord> findings();
Columns<CounterRecord> counters();
Columns<DeviceCalibration> calibrations();
Columns<JobRecord> jobs();

/// The description of each column, without its getter.
template <class Record>
std::vector<ColumnInfo> infos(Columns<Record> columns) {
  std::vector<ColumnInfo> result;
  for (const Column<Record>& column : columns) result.push_back(column.info);
  return result;
}

/// Appends one cell per column.
template <class Record>
void add_cells(std::vector<Value>& cells, Columns<Record> columns, const Record& record) {
  for (const Column<Record>& column : columns) cells.push_back(column.get(record));
}

}  // namespace kernelbatch::schema

// The rows of /cases with a column for each parameter, out of records.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result/reader.hpp"
#include "core/result/schema.hpp"

namespace kernelbatch {

/// Cells by column; nothing where a value is missing.
struct FlatRows {
  std::vector<std::string> names;
  std::vector<std::vector<std::optional<Value>>> rows;
};

/// Every column of the results' schema, then `param_<name>` in order of first appearance, then what
/// the environment and the job are called: host, gpu_name, job.
FlatRows flat_rows(const ResultFile& file);

/// One row per sample, launch, …: case_id and variant, then the columns.
template <class Record>
FlatRows child_rows(const ResultFile& file, std::vector<Record> ResultRecord::*children,
                    schema::Columns<Record> columns);

/// The cell's value; nothing for NaN, -1 (by the schema: missing) and empty text.
std::optional<Value> present(const Value& cell);

template <class Record>
FlatRows child_rows(const ResultFile& file, std::vector<Record> ResultRecord::*children,
                    schema::Columns<Record> columns) {
  FlatRows table{{"case_id", "variant"}, {}};
  for (const auto& column : columns) table.names.emplace_back(column.info.name);
  for (const ResultRecord& result : file.results)
    for (const Record& record : result.*children) {
      auto& row = table.rows.emplace_back();
      row.emplace_back(result.case_id);
      row.emplace_back(result.variant);
      for (const auto& column : columns) row.push_back(present(column.get(record)));
    }
  return table;
}

}  // namespace kernelbatch

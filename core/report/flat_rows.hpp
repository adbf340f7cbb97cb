// Rows of /cases with a column for each parameter, built from records.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result/reader.hpp"
#include "core/result/schema.hpp"

namespace kernelbatch {

/// Cells by column; std::nullopt for a missing value.
struct FlatRows {
  std::vector<std::string> names;
  std::vector<std::vector<std::optional<Value>>> rows;
};

/// All columns of the result schema, then `param_<name>` in order of first appearance, then host,
/// gpu_name (environment) and job.
FlatRows flat_rows(const ResultFile& file);

/// One row per child (sample, launch, ...): case_id and variant, then the columns.
template <class Record>
FlatRows child_rows(const ResultFile& file, std::vector<Record> ResultRecord::*children,
                    schema::Columns<Record> columns);

/// The cell's value; std::nullopt for NaN, -1 (missing in the schema) and empty text.
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

#include "core/report/flat_rows.hpp"

#include <algorithm>
#include <cmath>

namespace kernelbatch {

std::optional<Value> present(const Value& cell) {
  if (const auto* real = std::get_if<double>(&cell); real != nullptr && std::isnan(*real))
    return {};
  if (const auto* whole = std::get_if<std::int64_t>(&cell); whole != nullptr && *whole == -1)
    return {};
  if (const auto* text = std::get_if<std::string>(&cell); text != nullptr && text->empty())
    return {};
  return cell;
}

FlatRows flat_rows(const ResultFile& file) {
  FlatRows table;
  for (const auto& column : schema::results()) table.names.emplace_back(column.info.name);
  std::vector<std::string> params;
  for (const ResultRecord& record : file.results)
    for (const auto& [name, value] : record.params)
      if (std::ranges::find(params, name) == params.end()) params.push_back(name);
  for (const std::string& name : params)
    table.names.push_back(std::string(schema::kParamPrefix) + name);
  const std::vector<std::string> places{"host", "gpu_name"};
  table.names.insert(table.names.end(), places.begin(), places.end());
  table.names.emplace_back("job");

  for (std::size_t k = 0; k < file.results.size(); ++k) {
    const ResultRecord& record = file.results[k];
    auto& row = table.rows.emplace_back();
    row.reserve(table.names.size());
    for (const auto& column : schema::results()) row.push_back(present(column.get(record)));
    for (std::size_t j = 0; j < params.size(); ++j) {
      const Value* value = find_value(record.params, params[j]);
      row.push_back(value == nullptr ? std::nullopt : std::optional(*value));
    }
    const std::int64_t environment = file.environment_of[k], job = file.job_of[k];
    for (const std::string& name : places) {
      const Value* value =
          environment < 0
              ? nullptr
              : find_value(file.environments[static_cast<std::size_t>(environment)].values, name);
      row.push_back(value == nullptr ? std::nullopt : present(*value));
    }
    row.push_back(job < 0 ? std::nullopt
                          : std::optional<Value>(file.jobs[static_cast<std::size_t>(job)].name));
  }
  return table;
}

}  // namespace kernelbatch

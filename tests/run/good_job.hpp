// A job of a healthy workload, and when each of its results was made.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "core/result/reader.hpp"
#include "tests/app/command.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch::test {

inline JobFolder good_job(const std::string& sizes) {
  return JobFolder(kShort + "workload: faulty\nparams: {n: [" + sizes +
                   "]}\nvariants: [reference, good]\n");
}

using Key = std::pair<std::string, std::string>;  ///< case and variant

/// When each result was made.
inline std::map<Key, std::int64_t> starts_of(const std::filesystem::path& file) {
  std::map<Key, std::int64_t> starts;
  for (const ResultRecord& record : read_results(file, Samples::kOmit).results) {
    const bool is_new = starts.emplace(Key{record.case_id, record.variant}, record.start_ns).second;
    CHECK(is_new);
  }
  return starts;
}

}  // namespace kernelbatch::test

#include "core/report/page_changes.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "core/base/value.hpp"
#include "core/report/page_json.hpp"

namespace kernelbatch {
namespace {

constexpr std::size_t kMostPairs = 2'000;

std::string row_of_pair(const ComparedPair& pair) {
  const Judgement& judgement = pair.judgement;
  return row_of({json_text(pair.workload), json_text(to_text(pair.params)), json_text(pair.variant),
                 json_text(std::string(to_text(judgement.verdict))),
                 json_number(judgement.median_a), json_number(judgement.median_b),
                 json_number(judgement.ratio), json_number(judgement.ratio_low),
                 json_number(judgement.ratio_high), json_text(pair.note)});
}

}  // namespace

std::string change_members(const ComparedResults* compared, const std::string& a,
                           const std::string& b) {
  if (compared == nullptr) return R"("change":null)";
  std::vector<std::string> pairs, environment, counts;
  for (const ComparedPair& pair : compared->pairs)
    if (pairs.size() < kMostPairs) pairs.push_back(row_of_pair(pair));
  for (const EnvironmentDifference& each : compared->environment)
    environment.push_back(list_of({json_text(each.name), json_text(each.a), json_text(each.b)}));
  for (std::size_t k = 0; k < kVerdictCount; ++k)
    counts.push_back(list_of({json_text(std::string(to_text(static_cast<Verdict>(k)))),
                              fmt::format("{}", compared->counts[k])}));
  return fmt::format(
      R"("change":{{"a":{},"b":{},"mean":{},"counts":{},"environment":{},"left_out":{},)"
      R"("columns":["workload","params","variant","verdict","a","b","ratio","low","high","note"],)"
      R"("pairs":{}}})",
      json_text(a), json_text(b), json_number(compared->geometric_mean), list_of(counts),
      list_of(environment), compared->pairs.size() - pairs.size(), list_of(pairs));
}

}  // namespace kernelbatch

#include "core/report/page_changes.hpp"

#include <utility>

#include "core/base/value.hpp"

namespace kernelbatch {
namespace {

constexpr std::size_t kMostPairs = 2'000;

PageJson row_of_pair(const ComparedPair& pair) {
  const Judgement& judgement = pair.judgement;
  return page_row({pair.workload, to_text(pair.params), pair.variant, to_text(judgement.verdict),
                   page_number(judgement.median_a), page_number(judgement.median_b),
                   page_number(judgement.ratio), page_number(judgement.ratio_low),
                   page_number(judgement.ratio_high), pair.note});
}

}  // namespace

PageJson page_change(const ComparedResults* compared, const std::string& a, const std::string& b) {
  if (compared == nullptr) return nullptr;
  PageJson pairs = PageJson::array(), environment = PageJson::array(), counts = PageJson::array();
  for (const ComparedPair& pair : compared->pairs)
    if (pairs.size() < kMostPairs) pairs.push_back(row_of_pair(pair));
  for (const EnvironmentDifference& each : compared->environment)
    environment.push_back({each.name, each.a, each.b});
  for (std::size_t k = 0; k < kVerdictCount; ++k)
    counts.push_back({to_text(static_cast<Verdict>(k)), compared->counts[k]});
  return {{"a", a},
          {"b", b},
          {"mean", page_number(compared->geometric_mean)},
          {"counts", std::move(counts)},
          {"environment", std::move(environment)},
          {"left_out", compared->pairs.size() - pairs.size()},
          {"columns",
           {"workload", "params", "variant", "verdict", "a", "b", "ratio", "low", "high", "note"}},
          {"pairs", std::move(pairs)}};
}

}  // namespace kernelbatch

#include "core/report/page/data/page_changes.hpp"

#include <utility>

#include "core/base/value.hpp"
#include "core/report/host_times.hpp"

namespace kernelbatch {
namespace {

constexpr std::size_t kMostPairs = 2'000;

PageJson row_of_pair(const ComparedPair& pair) {
  const Judgement& judgement = pair.judgement;
  return page_row({pair.workload, to_text(pair.params), pair.variant, name_of(judgement.verdict),
                   page_number(judgement.before), page_number(judgement.now),
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
  for (const Verdict verdict : kComparedVerdicts)
    counts.push_back({name_of(verdict), compared->count(verdict)});
  return {{"a", a},
          {"b", b},
          {"mean", page_number(compared->geometric_mean)},
          {"counts", std::move(counts)},
          {"environment", std::move(environment)},
          {"left_out", compared->pairs.size() - pairs.size()},
          {"not_compared", not_compared_text(compared->not_compared)},
          {"columns",
           {"workload", "params", "variant", "verdict", "a", "b", "ratio", "low", "high", "note"}},
          {"pairs", std::move(pairs)}};
}

}  // namespace kernelbatch

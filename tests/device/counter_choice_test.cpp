// The choice of counters that are read together: CUPTI's part that needs no GPU.
#include <optional>
#include <set>

#include "core/base/error.hpp"
#include "core/device/cuda/cupti/counter_host.hpp"
#include "core/measure/counter_names.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

using Wanted = std::vector<std::string>;

/// Nothing, with a warning, if there is no such CUPTI.
std::optional<cuda::CounterChoice> choice_of(const Wanted& names, int most_passes,
                                             const char* chip = "GH100") {
  try {
    return cuda::choose_counters({chip, {}}, names, most_passes);
  } catch (const UnsupportedError& refusal) {
    WARN("not checked: " << refusal.what());
    return std::nullopt;
  }
}

TEST_CASE("The first available alternative is chosen; missing counters are left out") {
  const auto choice =
      choice_of({"no__such.sum|dram__bytes_read.sum|smsp__inst_executed.sum", "no__such.sum",
                 "dram__bytes_read.of_no_kind", "sm__ctas_launched.sum"},
                20);
  if (!choice) return;
  CHECK(choice->names == Wanted{"dram__bytes_read.sum", "sm__ctas_launched.sum"});
  CHECK(choice->left_out == Wanted{"no__such.sum", "dram__bytes_read.of_no_kind"});
  CHECK(choice->passes == 1);
  CHECK_FALSE(choice->configuration.empty());
}

TEST_CASE("Only counters that need too many passes are left out") {
  const Wanted names{"dram__bytes_read.sum", "sm__throughput.avg.pct_of_peak_sustained_elapsed",
                     "smsp__inst_executed.sum"};
  const auto all = choice_of(names, 20);
  if (!all) return;
  CHECK(all->names == names);
  CHECK(all->passes == 8);
  const auto few = choice_of(names, 7);
  REQUIRE(few);
  CHECK(few->names == Wanted{names[0], names[2]});
  CHECK(few->left_out == Wanted{names[1]});
  CHECK(few->passes == 1);
  const auto none = choice_of(names, 0);
  REQUIRE(none);
  CHECK(none->names.empty());
  CHECK(none->left_out == names);
}

TEST_CASE("A GH100 reads all counters of the table in 20 calls, and older ones most of them") {
  const auto choice = choice_of(counters_to_ask(), 20);
  if (!choice) return;
  CHECK(choice->left_out.empty());
  CHECK(choice->passes <= 20);
  for (const std::string& name : choice->names) CHECK(find_counter(name) != nullptr);
  for (const char* chip : {"TU102", "GA100", "AD102", "GB100", "GB202"}) {
    CAPTURE(chip);
    const auto other = choice_of(counters_to_ask(), 20, chip);
    REQUIRE(other);
    CHECK(other->left_out.size() <= 2);  // stalls that they do not have
    CHECK(find_counter(other->names[1])->label == "dram read");
  }
}

TEST_CASE("The rows of the table differ") {
  std::set<std::string_view> names, labels;
  for (const CounterName& counter : counter_names()) {
    CAPTURE(counter.names);
    CHECK(names.insert(counter.names).second);
    CHECK(labels.insert(counter.label).second);
    CHECK_FALSE(counter.says.empty());
  }
  CHECK(find_counter("dram__bytes_op_read.sum") == find_counter("dram__bytes_read.sum"));
  CHECK(find_counter("dram__bytes") == nullptr);
}

}  // namespace
}  // namespace kernelbatch

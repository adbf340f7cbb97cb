// Hardware counters if they may be read; otherwise the reason.
#include "core/device/counters.hpp"

#include <cmath>
#include <map>
#include <stdexcept>

#include "core/device/launch_log.hpp"
#include "tests/contract/compile.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/environment.hpp"

namespace kernelbatch {
namespace {

using test::device;
using test::stream;

constexpr const char* kRead = "dram__bytes_read.sum|dram__bytes_op_read.sum";
constexpr const char* kWritten = "dram__bytes_write.sum|dram__bytes_op_write.sum";
constexpr const char* kBlocks = "sm__ctas_launched.sum";

constexpr const char* kCopy = R"(
extern "C" __global__ void counted_copy(const float4* from, float4* to, unsigned count) {
  for (unsigned k = blockIdx.x * blockDim.x + threadIdx.x; k < count; k += gridDim.x * blockDim.x)
    to[k] = from[k];
}
)";

/// A copy of 256 MB, and the bytes that it must move.
class CountedCopy {
 public:
  static constexpr double kBytes = 256e6;

  void queue(unsigned blocks) {
    std::byte *from = from_.data(), *to = to_.data();
    unsigned count = static_cast<unsigned>(kBytes) / 16;
    void* const arguments[] = {&from, &to, &count};
    kernel_.kernel->launch(test::grid_of(blocks, 256), arguments, stream());
  }

 private:
  test::LoadedKernel kernel_{kCopy, "counted_copy"};
  Array from_ = test::device_array(std::vector<float>(static_cast<std::size_t>(kBytes) / 4, 1));
  Array to_ = test::device_array(std::vector<float>(static_cast<std::size_t>(kBytes) / 4, 0));
};

CounterRequest request_of(std::vector<std::string> names, const std::function<void()>& work,
                          std::size_t launches = 1) {
  CounterRequest request;
  request.names = std::move(names);
  request.launches = launches;
  request.work = work;
  return request;
}

CounterList counters_of(const CounterRequest& request) {
  return read_counters(device(), {&stream()}, request);
}

/// True if there are values; otherwise reports the reason.
bool has_values(const CounterList& list) {
  CAPTURE(list.reason);
  CHECK(list.values.empty() == !list.reason.empty());
  if (!list.reason.empty()) WARN("not counted: " << list.reason);
  return list.reason.empty();
}

double value_of(const CounterList& list, std::int64_t launch, const std::string& begin) {
  for (const CounterValue& value : list.values)
    if (value.launch == launch && value.name.starts_with(begin)) return value.value;
  return std::nan("");
}

TEST_CASE("The bytes of a copy are counted, or there is a reason") {
  if (!test::on_cuda()) {
    const CounterList list = counters_of(request_of({kRead}, [] { FAIL("no call is needed"); }));
    CHECK(list.reason == "the host device has no hardware counters");
    CHECK((list.values.empty() && list.calls == 0));
    return;
  }
  CountedCopy copy;
  copy.queue(1000);
  stream().synchronize();
  int prepared = 0;
  CounterRequest request =
      request_of({kRead, kWritten, kBlocks, "no_such_counter.sum"}, [&] { copy.queue(1000); });
  request.prepare = [&] { ++prepared; };
  const CounterList list = counters_of(request);
  if (!has_values(list)) return;
  CHECK((list.launches == 1 && list.dropped == 0));
  CHECK((list.calls >= 1 && list.calls == prepared));
  CHECK(list.left_out == std::vector<std::string>{"no_such_counter.sum"});
  CHECK(value_of(list, 0, "dram__bytes_read") == Approx(CountedCopy::kBytes).epsilon(0.2));
  CHECK(value_of(list, 0, "dram__bytes_write") == Approx(CountedCopy::kBytes).epsilon(0.2));
  CHECK(value_of(list, 0, kBlocks) == 1000);
}

TEST_CASE("Launches are counted separately, in order, over several calls") {
  if (!test::on_cuda()) return;
  CountedCopy copy;
  const auto work = [&] {
    for (const unsigned blocks : {100U, 7U, 333U}) copy.queue(blocks);
  };
  // The last takes several passes.
  const CounterList list = counters_of(request_of(
      {kBlocks, "smsp__inst_executed.sum", "sm__throughput.avg.pct_of_peak_sustained_elapsed"},
      work, 3));
  if (!has_values(list)) return;
  CHECK(list.left_out.empty());
  CHECK(list.calls > 1);
  REQUIRE(list.launches == 3);
  REQUIRE(list.values.size() == 9);
  CHECK(value_of(list, 0, kBlocks) == 100);
  CHECK(value_of(list, 1, kBlocks) == 7);
  CHECK(value_of(list, 2, kBlocks) == 333);
  for (std::int64_t launch = 0; launch < 3; ++launch)
    CHECK(value_of(list, launch, "smsp__inst_executed") > 8 * value_of(list, launch, kBlocks));
}

TEST_CASE("Counters beyond the allowed number of calls are left out") {
  if (!test::on_cuda()) return;
  CountedCopy copy;
  CounterRequest request = request_of({"sm__throughput.avg.pct_of_peak_sustained_elapsed", kBlocks},
                                      [&] { copy.queue(10); });
  request.most_calls = 1;
  const CounterList list = counters_of(request);
  CHECK(list.calls <= 1);
  if (!has_values(list)) return;
  CHECK(list.left_out == std::vector<std::string>{request.names[0]});
  CHECK(value_of(list, 0, kBlocks) == 10);
}

TEST_CASE("Launch lists and counters do not disturb each other") {
  if (!test::on_cuda()) return;
  CountedCopy copy;
  const auto work = [&] { copy.queue(50); };
  const std::string source = record_launches(device(), stream(), work).source;
  for (int attempt = 0; attempt < 3; ++attempt) {
    has_values(counters_of(request_of({kBlocks}, work)));
    const LaunchList list = record_launches(device(), stream(), work);
    CAPTURE(attempt, list.reason);
    CHECK(list.source == source);
    REQUIRE(list.launches.size() == 1);
    CHECK(list.launches[0].kernel == "counted_copy");
    CHECK(list.launches[0].grid.x == 50);
  }
}

TEST_CASE("Exceptions of the work propagate, and nothing stays enabled") {
  if (!test::on_cuda()) return;
  CountedCopy copy;
  const CounterList before = counters_of(request_of({kBlocks}, [&] { copy.queue(20); }));
  if (!has_values(before)) return;
  CHECK_THROWS_AS(counters_of(request_of({kBlocks},
                                         [&] {
                                           copy.queue(20);
                                           throw std::runtime_error("on purpose");
                                         })),
                  std::runtime_error);
  stream().synchronize();
  const CounterList after = counters_of(request_of({kBlocks}, [&] { copy.queue(20); }));
  REQUIRE(has_values(after));
  CHECK(value_of(after, 0, kBlocks) == 20);
}

TEST_CASE("KERNELBATCH_CUPTI=0 is reported as the reason for missing counters") {
  if (!test::on_cuda()) return;
  const test::EnvironmentVariable off("KERNELBATCH_CUPTI", "0");
  const CounterList list = counters_of(request_of({kBlocks}, [] { FAIL("no call is needed"); }));
  CHECK(list.reason == "KERNELBATCH_CUPTI=0");
  CHECK((list.values.empty() && list.calls == 0));
}

}  // namespace
}  // namespace kernelbatch

// Contract of record_launches and of telemetry: values are correct, and missing ones have a reason.
#include <cmath>
#include <stdexcept>

#include "tests/contract/compile.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/environment.hpp"

namespace kernelbatch {
namespace {

using test::device;
using test::stream;

constexpr const char* kTwo = R"(
extern "C" __global__ void first(unsigned* value) { atomicAdd(value, 1u); }
extern "C" __global__ void second(unsigned* value) {
  extern __shared__ unsigned kept[];
  kept[threadIdx.x] = 10;
  atomicAdd(value, kept[threadIdx.x]);
}
)";

struct Two {
  std::unique_ptr<Module> module =
      device().load(device().compiler().compile(test::raw_source(kTwo, {"first", "second"})));
  std::unique_ptr<Kernel> first = module->kernel("first"), second = module->kernel("second");
  Array value = test::device_array<unsigned>({0});

  void queue(Stream& on) const {
    std::byte* pointer = value.data();
    void* const arguments[] = {&pointer};
    first->launch(test::grid_of(Dim3{3, 2, 1}, Dim3{4, 1, 1}), arguments, on);
    second->launch(test::grid_of(1, 32, 256), arguments, on);
  }
  unsigned result() const { return test::values_of<unsigned>(value)[0]; }
};

void check_two(const LaunchList& list) {
  CAPTURE(list.source, list.reason);
  REQUIRE(list.launches.size() == 2);
  const Launch& first = list.launches[0];
  const Launch& second = list.launches[1];
  CHECK(first.kernel == "first");
  CHECK(second.kernel == "second");
  CHECK((first.grid.x == 3 && first.grid.y == 2 && first.grid.z == 1));
  CHECK((first.block.x == 4 && second.block.x == 32));
  CHECK((first.shared_dynamic == 0 && second.shared_dynamic == 256));
  if (!test::on_cuda()) return;
  for (const Launch& launch : list.launches) {
    CHECK(launch.registers > 0);
    CHECK(launch.local_bytes >= 0);
    CHECK((launch.occupancy > 0 && launch.occupancy <= 1));
  }
}

TEST_CASE("The launches of some work are listed in order with their shapes") {
  const Two two;
  two.queue(stream());
  stream().synchronize();
  const LaunchList list = record_launches(device(), stream(), [&] { two.queue(stream()); });
  check_two(list);
  CHECK(two.result() == 2 * (24 + 320));
  if (list.source == "CUPTI" || list.source == "host")
    for (const Launch& launch : list.launches) CHECK(launch.duration > 0);
}

TEST_CASE("Without CUPTI launches are listed from a captured graph or the calls") {
  const test::EnvironmentVariable off("KERNELBATCH_CUPTI", "0");
  const Two two;
  two.queue(stream());
  stream().synchronize();
  const LaunchList captured = record_launches(device(), stream(), [&] { two.queue(stream()); });
  check_two(captured);
  // Work that waits for the device cannot be captured.
  const LaunchList called = record_launches(device(), stream(), [&] {
    two.queue(stream());
    stream().synchronize();
  });
  check_two(called);
  if (!test::on_cuda()) return;
  CHECK(captured.source == "captured graph");
  CHECK(called.source == "launch calls");
  CHECK_THAT(called.reason, Contains("no capture"));
  two.queue(stream());
  stream().synchronize();  // the stream is usable
}

TEST_CASE("The launches of a graph are listed like any others") {
  const Two two;
  two.queue(stream());
  const auto own = device().make_stream();
  own->begin_capture();
  two.queue(*own);
  const auto graph = own->end_capture();
  graph->launch(*own);
  own->synchronize();
  const LaunchList list = record_launches(device(), *own, [&] { graph->launch(*own); });
  check_two(list);
}

TEST_CASE("Kernels of modules that are loaded and unloaded are listed by their own names") {
  Array value = test::device_array<unsigned>({0});
  std::byte* pointer = value.data();
  void* const arguments[] = {&pointer};
  for (int number = 0; number < 24; ++number) {
    const std::string name = "kernel_" + std::to_string(number);
    const auto module = device().load(device().compiler().compile(test::raw_source(
        "extern \"C\" __global__ void " + name + "(unsigned* value) { atomicAdd(value, 1u); }",
        {name})));
    const auto kernel = module->kernel(name);
    const auto queue = [&] { kernel->launch(test::grid_of(1, 32, 0), arguments, stream()); };
    queue();
    stream().synchronize();
    if (number % 3 != 0) continue;  // others are loaded and unloaded while launches are not listed
    const LaunchList list = record_launches(device(), stream(), queue);
    REQUIRE(list.launches.size() == 1);
    CHECK(list.launches[0].kernel == name);
  }
}

/// Occupies a stream of a GPU for 3 ms.
constexpr const char* kSlow = R"(
extern "C" __global__ void slow(unsigned* value) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  while (now - start < 3000000);
  atomicAdd(value, 1u);
}
)";
/// The host has no such PTX, and runs every kernel synchronously.
constexpr const char* kSlowOnHost = R"(
extern "C" __global__ void slow(unsigned* value) { atomicAdd(value, 1u); }
)";

TEST_CASE("CUPTI also lists copies and work outside the interval") {
  const Two two;
  const test::LoadedKernel slow(test::on_cuda() ? kSlow : kSlowOnHost, "slow");
  std::byte* pointer = two.value.data();
  void* const arguments[] = {&pointer};
  const auto other = device().make_stream();
  const Array from = Array::from(std::vector<unsigned>(1000, 1));
  const Array to = test::device_array(std::vector<unsigned>(1000, 0));
  const auto work = [&] {
    device().copy(to.data(), from.data(), 4000, Copy::kToDevice, stream());
    device().fill(to.data(), 7, 400, stream());
    two.queue(stream());
    slow.kernel->launch(test::grid_of(1, 1), arguments, *other);
  };
  work();
  stream().synchronize();
  other->synchronize();

  const LaunchList joined = record_launches(device(), {&stream(), other.get()}, work);
  const LaunchList alone = record_launches(device(), stream(), work);

  CAPTURE(joined.source, joined.reason);
  for (const LaunchList* list : {&joined, &alone}) {
    CHECK(list->launches.size() == 3);
    for (const Launch& launch : list->launches) {
      CHECK(launch.kernel.find("marker") == std::string::npos);
      CHECK(launch.is_inside.has_value() == !std::isnan(list->interval));
    }
  }
  if (joined.source != "CUPTI") {
    CHECK((joined.transfers.empty() && !joined.lists_transfers && std::isnan(joined.interval)));
    return;
  }
  CHECK((joined.interval > 3e-3 && joined.interval < 1));
  for (const Launch& launch : joined.launches) CHECK(launch.is_inside == true);
  for (const Launch& launch : alone.launches) CHECK(launch.is_inside == (launch.kernel != "slow"));
  REQUIRE(joined.lists_transfers);
  REQUIRE(joined.transfers.size() == 2);
  CHECK((joined.transfers[0].kind == TransferKind::kFromHost && joined.transfers[0].bytes == 4000));
  CHECK((joined.transfers[1].kind == TransferKind::kFill && joined.transfers[1].bytes == 400));
  CHECK(joined.transfers[1].is_inside == true);
  CHECK(joined.transfers[1].stream == joined.first_stream);
}

TEST_CASE("Listing ends with the work, and exceptions of the work propagate") {
  const Two two;
  two.queue(stream());
  CHECK_THROWS_AS(record_launches(device(), stream(),
                                  [&] {
                                    two.queue(stream());
                                    throw std::runtime_error("on purpose");
                                  }),
                  std::runtime_error);
  stream().synchronize();
  two.queue(stream());
  stream().synchronize();
  CHECK(record_launches(device(), stream(), [] {}).launches.empty());
}

TEST_CASE("Names of launches are as C++ writes them") {
  CHECK(demangled("_Z1fIfEvPT_") == "void f<float>(float*)");
  CHECK(demangled("plain") == "plain");
  CHECK(demangled(nullptr).empty());
}

TEST_CASE("Telemetry has plausible values, or a reason why not") {
  const auto telemetry = open_telemetry(device().properties());
  REQUIRE(telemetry != nullptr);
  const TelemetryReading reading = telemetry->read();
  CAPTURE(telemetry->absence(), reading.sm_clock, reading.power, reading.energy,
          reading.temperature);
  const bool has_all = !std::isnan(reading.sm_clock) && !std::isnan(reading.power) &&
                       !std::isnan(reading.energy) && !std::isnan(reading.temperature);
  CHECK((has_all || !telemetry->absence().empty()));
  CHECK_FALSE(reading.sm_clock <= 0);
  CHECK_FALSE(reading.sm_clock > 10e9);
  CHECK_FALSE(reading.power <= 0);
  CHECK_FALSE(reading.power > 3000);
  CHECK_FALSE(reading.temperature < 0);
  CHECK_FALSE(reading.temperature > 150);
  CHECK(reading.is_throttled == !reading.throttle_reason.empty());
}

}  // namespace
}  // namespace kernelbatch

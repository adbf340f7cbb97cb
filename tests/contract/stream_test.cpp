// Contract of Stream and Event: order and time.
#include "core/base/error.hpp"
#include "tests/contract/compile.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

using test::device;

constexpr const char* kSteps = R"(
extern "C" __global__ void step(unsigned* value, int count, unsigned add) {
  for (int k = 0; k < count; ++k) *value = *value * 1664525u + add;
}
)";

unsigned steps(unsigned value, int count, unsigned add) {
  for (int k = 0; k < count; ++k) value = value * 1664525u + add;
  return value;
}

TEST_CASE("Work of one stream happens in the order in which it was queued") {
  const test::LoadedKernel step(kSteps, "step");
  const Array value = test::device_array<unsigned>({1});
  unsigned expected = 1;

  for (unsigned k = 0; k < 50; ++k) {
    std::byte* pointer = value.data();
    int count = 100;
    void* const arguments[] = {&pointer, &count, &k};
    step.kernel->launch(LaunchShape{}, arguments, test::stream());
    expected = steps(expected, count, k);
  }

  CHECK(test::values_of<unsigned>(value)[0] == expected);
}

TEST_CASE("Arguments are copied before the launch returns") {
  const test::LoadedKernel step(kSteps, "step");
  const Array value = test::device_array<unsigned>({1});
  std::byte* pointer = value.data();
  int count = 1;
  unsigned add = 5;
  void* const arguments[] = {&pointer, &count, &add};

  step.kernel->launch(LaunchShape{}, arguments, test::stream());
  add = 1000;
  count = 0;

  CHECK(test::values_of<unsigned>(value)[0] == steps(1, 1, 5));
}

TEST_CASE("An event is not earlier than one recorded before it") {
  const auto start = device().make_event();
  const auto stop = device().make_event();
  const test::LoadedKernel step(kSteps, "step");
  const Array value = test::device_array<unsigned>({1});

  test::stream().record(*start);
  step.run(LaunchShape{}, value, 100000, 1u);
  test::stream().record(*stop);
  stop->synchronize();

  CHECK(stop->seconds_since(*start) > 0);
  CHECK(stop->seconds_since(*start) < 60);
  CHECK(start->seconds_since(*start) == 0);
}

TEST_CASE("A stream that waits for another's event sees that stream's work") {
  const auto first = device().make_stream();
  const auto second = device().make_stream();
  const auto event = device().make_event();
  const test::LoadedKernel step(kSteps, "step");
  const Array value = test::device_array<unsigned>({1});
  std::byte* pointer = value.data();
  int count = 200000;
  unsigned add = 1;
  void* const arguments[] = {&pointer, &count, &add};

  step.kernel->launch(LaunchShape{}, arguments, *first);
  first->record(*event);
  second->wait(*event);
  add = 2;
  step.kernel->launch(LaunchShape{}, arguments, *second);
  second->synchronize();

  CHECK(test::values_of<unsigned>(value)[0] == steps(steps(1, count, 1), count, 2));
}

TEST_CASE("A stream returns its device") {
  const auto stream = device().make_stream();
  CHECK(&stream->device() == &device());
}

TEST_CASE("An event is done after the work before it") {
  const auto event = device().make_event();
  const Array words = test::device_array(std::vector<std::uint32_t>(1000, 7));
  device().fill(words.data(), 1, 4000, test::stream());
  test::stream().record(*event);
  event->synchronize();
  CHECK(event->is_done());
  CHECK(event->is_done());
}

}  // namespace
}  // namespace kernelbatch

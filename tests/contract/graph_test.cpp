// Contract of captured work: recorded and not run; can be queued repeatedly; includes forks and
// joins.
#include "core/base/error.hpp"
#include "tests/contract/compile.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

using test::device;

constexpr const char* kStep = R"(
extern "C" __global__ void step(unsigned* value, unsigned factor, unsigned add) {
  *value = *value * factor + add;
}
)";

void queue(const test::LoadedKernel& step, Stream& stream, const Array& value, unsigned factor,
           unsigned add) {
  std::byte* pointer = value.data();
  void* const arguments[] = {&pointer, &factor, &add};
  step.kernel->launch(LaunchShape{}, arguments, stream);
}

TEST_CASE("Captured work does not run until the graph is launched, and then each time") {
  const test::LoadedKernel step(kStep, "step");
  const Array value = test::device_array<unsigned>({1});
  const auto stream = device().make_stream();

  stream->begin_capture();
  queue(step, *stream, value, 3, 1);
  queue(step, *stream, value, 5, 2);
  const auto graph = stream->end_capture();
  stream->synchronize();
  CHECK(test::values_of<unsigned>(value)[0] == 1);

  graph->launch(*stream);
  stream->synchronize();
  CHECK(test::values_of<unsigned>(value)[0] == 22);
  graph->launch(*stream);
  graph->launch(*stream);
  stream->synchronize();
  CHECK(test::values_of<unsigned>(value)[0] == ((22 * 3 + 1) * 5 + 2) * 15 + 7);
}

TEST_CASE("Copies and fills are captured like launches") {
  const Array from = test::device_array<unsigned>({7, 8});
  const Array to = test::device_array<unsigned>({0, 0});
  const Array filled = test::device_array<unsigned>({0, 0});
  const auto stream = device().make_stream();

  stream->begin_capture();
  device().copy(to.data(), from.data(), to.bytes(), Copy::kOnDevice, *stream);
  device().fill(filled.data(), 9, filled.bytes(), *stream);
  const auto graph = stream->end_capture();
  CHECK(test::values_of<unsigned>(to) == std::vector<unsigned>{0, 0});

  graph->launch(*stream);
  stream->synchronize();
  CHECK(test::values_of<unsigned>(to) == std::vector<unsigned>{7, 8});
  CHECK(test::values_of<unsigned>(filled) == std::vector<unsigned>{9, 9});
}

TEST_CASE("A stream that waits for a captured one is captured, until it is joined") {
  const test::LoadedKernel step(kStep, "step");
  const Array left = test::device_array<unsigned>({1});
  const Array right = test::device_array<unsigned>({1});
  const auto stream = device().make_stream();
  const auto fork = device().make_stream();
  const auto forked = device().make_event();
  const auto joined = device().make_event();

  stream->begin_capture();
  queue(step, *stream, right, 2, 0);
  stream->record(*forked);
  fork->wait(*forked);
  queue(step, *fork, right, 3, 4);
  queue(step, *stream, left, 5, 6);
  fork->record(*joined);
  stream->wait(*joined);
  queue(step, *stream, right, 10, 0);
  const auto graph = stream->end_capture();
  CHECK(test::values_of<unsigned>(right)[0] == 1);

  graph->launch(*stream);
  stream->synchronize();
  CHECK(test::values_of<unsigned>(left)[0] == 11);
  CHECK(test::values_of<unsigned>(right)[0] == 100);

  queue(step, *fork, right, 1, 1);
  fork->synchronize();
  CHECK(test::values_of<unsigned>(right)[0] == 101);
}

TEST_CASE("A capture that has not begun cannot end") {
  const auto stream = device().make_stream();
  CHECK_THROWS_AS(stream->end_capture(), Error);
}

}  // namespace
}  // namespace kernelbatch

// Contract of Gate: held work starts when released, and is not timed while held.
#include <chrono>
#include <cmath>

#include "tests/contract/compile.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

using test::device;

constexpr const char* kAdd = R"(
extern "C" __global__ void add(unsigned* value, int count) {
  for (int k = 0; k < count; ++k) *value += 1;
}
)";

struct Held {
  test::LoadedKernel add{kAdd, "add"};
  Array value = test::device_array<unsigned>({0});
  std::unique_ptr<Stream> stream = device().make_stream();
  std::unique_ptr<Gate> gate = make_gate(device());

  void queue(int count) const {
    std::byte* pointer = value.data();
    void* const arguments[] = {&pointer, &count};
    add.kernel->launch(LaunchShape{}, arguments, *stream);
  }
  unsigned result() const { return test::values_of<unsigned>(value)[0]; }
};

void keep_busy(std::chrono::milliseconds time) {
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < time) {
  }
}

TEST_CASE("Work behind a gate runs after the gate is opened") {
  const Held held;
  held.queue(1);
  held.stream->synchronize();
  for (unsigned round = 1; round <= 20; ++round) {
    held.gate->close(*held.stream, 10);
    held.queue(1);
    held.gate->open();
    held.stream->synchronize();
    CHECK(held.result() == round + 1);
    CHECK_FALSE(held.gate->was_late());
  }
}

TEST_CASE("A gate that is never opened times out, and reports it if it held anything") {
  const Held held;
  held.gate->close(*held.stream, 0.01);
  held.queue(3);
  held.stream->synchronize();
  CHECK(held.result() == 3);
  CHECK(held.gate->was_late() == test::on_cuda());
  held.gate->open();

  held.gate->close(*held.stream, 10);
  held.queue(3);
  held.gate->open();
  held.stream->synchronize();
  CHECK(held.result() == 6);
  CHECK_FALSE(held.gate->was_late());
}

TEST_CASE("Host work while the gate is closed is not part of the device's time") {
  const Held held;
  const auto start = device().make_event();
  const auto stop = device().make_event();
  held.queue(1);
  held.stream->synchronize();

  held.gate->close(*held.stream, 10);
  if (test::on_cuda()) {
    held.stream->record(*start);
    keep_busy(std::chrono::milliseconds(50));
    held.queue(1);
    held.stream->record(*stop);
  } else {
    // Host work is done immediately: there is nothing to hold.
    held.stream->record(*start);
    held.queue(1);
    held.stream->record(*stop);
    keep_busy(std::chrono::milliseconds(50));
  }
  held.gate->open();
  held.stream->synchronize();

  CHECK(held.result() == 2);
  CHECK(stop->seconds_since(*start) >= 0);
  CHECK(stop->seconds_since(*start) < 25e-3);
}

TEST_CASE("The clock of the multiprocessors is a plausible one, or unknown") {
  const Held held;
  held.gate->read_clock(*held.stream, Gate::Moment::kBefore);
  held.queue(100000);
  held.gate->read_clock(*held.stream, Gate::Moment::kAfter);
  held.stream->synchronize();
  const double clock = held.gate->clock();
  CAPTURE(clock);
  if (test::on_cuda())
    CHECK((clock > 50e6 && clock < 10e9));
  else
    CHECK(std::isnan(clock));
}

}  // namespace
}  // namespace kernelbatch

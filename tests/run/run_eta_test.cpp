#include "core/run/duration/run_eta.hpp"

#include <cmath>
#include <functional>

#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

/// Mean error of the predicted remaining time, relative to the actual one, after the first tenth of
/// a run; `work` simulates a run of the cases' true times with a worker's messages.
double mean_error(const std::vector<double>& expected, const std::vector<double>& taken,
                  int processes) {
  double total = 0;
  for (const double seconds : taken) total += seconds;
  RunEta remaining(expected);
  double now = 0, sum = 0;
  int count = 0;
  for (std::size_t k = 0; k < taken.size(); ++k) {
    remaining.begin_case(k, now);
    // A tenth of a case goes by before anything is timed, and the evidence of its first process
    // is another tenth.
    const double start = taken[k] / 10, evidence = taken[k] / 10;
    const double part = (taken[k] - start - evidence) / processes;
    const int kSteps = 20;
    now += start;
    for (int process = 1; process <= processes; ++process)
      for (int step = 0; step < kSteps; ++step) {
        const double whole = part + (process == 1 ? evidence : 0);
        remaining.update({.process = process,
                          .processes = processes,
                          .left_s = whole * (kSteps - step) / kSteps,
                          .timing_s = part},
                         now);
        now += whole / kSteps;
        const double left = total - now;
        if (now < total / 10 || left < total / 50) continue;
        sum += std::abs(remaining.left(now) - left) / left;
        ++count;
      }
  }
  return sum / count;
}

TEST_CASE("There is no prediction before a case begins") {
  RunEta remaining({1, 2});
  CHECK(remaining.left(0) < 0);
  remaining.begin_case(0, 0);
  CHECK(remaining.left(0) == Approx(3));
  CHECK(RunEta().left(0) < 0);
}

TEST_CASE("The worker's report on its process applies to all of them") {
  RunEta remaining({10});
  remaining.begin_case(0, 0);
  // It took 2 until its timing began, of which another process repeats 0.5; of the remaining 6, 1
  // is for evidence.
  remaining.update({.process = 1, .processes = 3, .left_s = 6, .timing_s = 5}, 2);
  CHECK(remaining.left(2) == Approx(6 + 2 * 5.5));
  CHECK(remaining.left(5) == Approx(3 + 2 * 5.5));
  remaining.update({.process = 2, .processes = 3}, 9);
  CHECK(remaining.left(10) == Approx(4.5 + 5.5));
  remaining.update({.process = 2, .processes = 3, .left_s = 4, .timing_s = 5}, 11.5);
  CHECK(remaining.left(11.5) == Approx(4 + 6.5));  // it began its timing after 1.5
  remaining.update({.process = 3, .processes = 3}, 15);
  CHECK(remaining.left(16) == Approx(5));  // the second one took 6
  remaining.update({.process = 3, .processes = 3, .left_s = 4, .timing_s = 5}, 15.5);
  CHECK(remaining.left(16.5) == Approx(3));
}

TEST_CASE("Long evidence does not count for further processes") {
  RunEta remaining({10});
  remaining.begin_case(0, 0);
  remaining.update({.process = 1, .processes = 3, .left_s = 11, .timing_s = 1}, 0.2);
  CHECK(remaining.left(0.2) == Approx(11 + 2 * 1.2));
  remaining.update({.process = 1, .processes = 3, .left_s = 0.1, .timing_s = 1}, 11);
  CHECK(remaining.left(11) == Approx(0.1 + 2 * 1.2));
}

TEST_CASE("Expected times that are wrong by one factor cost nothing once a case runs") {
  CHECK(mean_error({1, 1, 1, 1}, {7, 7, 7, 7}, 3) < 0.25);
  CHECK(mean_error({3, 30, 3, 30}, {1, 10, 1, 10}, 1) < 0.25);
  CHECK(mean_error({5}, {50}, 3) < 0.25);
}

TEST_CASE("Work of only the first case is not expected of the others") {
  // Loading libraries and compiling kernels: 5 of 6.
  RunEta remaining({0.5, 0.5, 0.5, 0.5});
  remaining.begin_case(0, 0);
  remaining.update({.left_s = 1, .timing_s = 1}, 5);
  CHECK(remaining.left(5) == Approx(1 + 3 * 0.5 * (0.125 + 2) / (0.125 + 0.5)));
  remaining.begin_case(1, 6);
  CHECK(remaining.left(6) == Approx(1.5 * (0.125 + 2) / (0.125 + 0.5)));
  // If its inputs and its reference were expected to take that long, they will again.
  RunEta known({6, 6});
  known.begin_case(0, 0);
  known.update({.left_s = 1, .timing_s = 1}, 5);
  CHECK(known.left(5) == Approx(1 + 6));
}

TEST_CASE("Unexpected times of cases correct later predictions") {
  std::vector<double> expected(40, 1), taken;
  for (std::size_t k = 0; k < expected.size(); ++k) taken.push_back(k % 3 == 0 ? 6 : 2);
  CHECK(mean_error(expected, taken, 1) < 0.25);
}

TEST_CASE("Calibrating the device is no part of a case") {
  RunEta remaining({1, 1, 1});
  remaining.begin_case(0, 0);
  remaining.begin_anew(10);
  remaining.begin_case(1, 11);
  CHECK(remaining.left(11) == Approx(2));
}

TEST_CASE("Cases that are not run take no time") {
  RunEta remaining({1, 50, 1});
  remaining.begin_case(0, 0);
  remaining.begin_case(2, 1);
  CHECK(remaining.left(1) == Approx(1));
  remaining.begin_case(1, 1.5);  // behind it: no new information
  CHECK(remaining.left(1.5) == Approx(0.5));
}

}  // namespace
}  // namespace kernelbatch

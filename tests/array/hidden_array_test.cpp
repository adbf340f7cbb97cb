#include "core/array/hidden_array.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <numeric>

#include "core/base/sandbox/sandbox.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"

namespace kernelbatch {
namespace {

using test::values_of;

/// The exit code of a child that hides its memory.
int exit_of_hiding(int (*work)()) {
  const pid_t child = ::fork();
  if (child == 0) {
    hide_memory();
    ::_exit(work());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_CASE("An array in a process that does not hide its memory is shown without a copy") {
  const Array plain = Array::from<int>({1, 2, 3});
  CHECK(HiddenArray(plain).shown().data() == plain.data());
}

TEST_CASE("A hidden array is shown with its values, form and order of axes") {
  CHECK(exit_of_hiding([] {
          const Array matrix = Array::from(test::counting<int>(15)).reshape({3, 5});
          const HiddenArray hidden(matrix), transposed(matrix.transpose());
          const Array bytes = Array::from<std::int8_t>({1, 2, 3});
          if (hidden.shown().data() == matrix.data()) return 1;
          if (values_of<int>(hidden.shown()) != values_of<int>(matrix)) return 2;
          if (!(transposed.shown().strides() == matrix.transpose().strides())) return 3;
          if (values_of<int>(transposed.shown()) != values_of<int>(matrix.transpose())) return 4;
          if (values_of<std::int8_t>(HiddenArray(bytes).shown()) != values_of<std::int8_t>(bytes))
            return 5;
          return HiddenArray(Array{}).shown().size() == 0 ? 0 : 6;
        }) == 0);
}

TEST_CASE("The cost of showing a million elements", "[.][benchmark]") {
  CHECK(exit_of_hiding([] {
          std::vector<double> values(1'000'000);
          std::iota(values.begin(), values.end(), 0.0);
          const HiddenArray hidden(Array::from(values));
          for (int run = 0; run < 10; ++run) {
            const auto begin = std::chrono::steady_clock::now();
            { const Array shown = hidden.shown(); }
            const std::chrono::duration<double, std::milli> time =
                std::chrono::steady_clock::now() - begin;
            std::printf("%.2f ms\n", time.count());
          }
          std::fflush(stdout);
          return 0;
        }) == 0);
}

}  // namespace
}  // namespace kernelbatch

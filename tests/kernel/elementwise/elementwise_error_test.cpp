// ElementwiseKernel: exact error messages.
#include "core/base/error.hpp"
#include "core/kernel/elementwise/kernel.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/device.hpp"
#include "tests/support/error_text.hpp"

namespace kernelbatch {
namespace {

using test::device_array;
using test::stream;

template <class... A>
std::string call_error(const ElementwiseKernel& kernel, const A&... arguments) {
  return test::error_text<SpecError>([&] { kernel(stream(), arguments...); });
}

const ElementwiseKernel& add_kernel() {
  static const ElementwiseKernel kernel{
      {.in = "T x, T y", .out = "T z", .operation = "z = x + y", .name = "add"}};
  return kernel;
}

TEST_CASE("A kernel's name must be an identifier") {
  CHECK(test::error_text<SpecError>([] {
          ElementwiseKernel({.in = "T x", .out = "T y", .operation = "y = x", .name = "my kernel"});
        }) == "invalid kernel name 'my kernel'");
  CHECK_THROWS_AS(ElementwiseKernel({.in = "T x", .out = "T y", .operation = "y = x", .name = ""}),
                  SpecError);
}

TEST_CASE("A parameter's name is unique") {
  CHECK(test::error_text<SpecError>([] {
          ElementwiseKernel({.in = "T x", .out = "T x", .operation = "x = 1"});
        }) == "the parameter name 'x' is used twice");
}

TEST_CASE("A block has from 1 to 1024 threads") {
  for (const int block : {0, -1, 1025}) {
    ElementwiseOptions options;
    options.block_size = block;
    CHECK(test::error_text<SpecError>([&] {
            ElementwiseKernel({.in = "T x",
                               .out = "T y",
                               .operation = "y = x",
                               .name = "sized",
                               .options = options});
          }) == "block_size must be from 1 to 1024, not " + std::to_string(block));
  }
}

TEST_CASE("The number of arguments is inputs, or inputs and outputs") {
  const Array x = device_array<int>({1, 2});
  CHECK(call_error(add_kernel(), x) ==
        "wrong number of arguments for 'add': expected 2 or 3 (with outputs), got 1");
  CHECK(call_error(add_kernel(), x, x, x, x) ==
        "wrong number of arguments for 'add': expected 2 or 3 (with outputs), got 4");
}

TEST_CASE("An output must be an array of the broadcast shape") {
  const Array x = device_array<int>({1, 2});
  CHECK(call_error(add_kernel(), x, x, 3) == "output 'z' of 'add' must be an array");
  CHECK(call_error(add_kernel(), x, x, device_array<int>({1})) ==
        "output 'z' of 'add' has shape (1,), the operands broadcast to (2,)");
}

TEST_CASE("Types must agree") {
  const Array x = device_array<int>({1, 2});
  CHECK(call_error(add_kernel(), x, device_array<float>({1, 2})) ==
        "type mismatch for 'T': 'x' is int32, 'y' is float32");
  const ElementwiseKernel fixed{
      {.in = "float32 x", .out = "float32 z", .operation = "z = x", .name = "fixed"}};
  CHECK(call_error(fixed, x) == "parameter 'x' is declared float32 and was given int32");
  CHECK(call_error(add_kernel(), 1, 2) ==
        "the type 'T' of 'x' cannot be determined: pass an array for 'z' or 'x' or 'y'");
}

TEST_CASE("Operands that do not broadcast are named") {
  CHECK(call_error(add_kernel(), device_array<int>({1, 2}), device_array<int>({1, 2, 3})) ==
        "operands could not be broadcast together with shapes (2,) (3,)");
}

TEST_CASE("A size is given if and only if every array is raw") {
  const ElementwiseKernel raw{
      {.in = "raw T x", .out = "raw T y", .operation = "y[i] = x[i]", .name = "all_raw"}};
  const Array x = device_array<int>({1, 2});
  CHECK(call_error(raw, x, x) ==
        "'all_raw': the loop's size is undecided: every array is raw, so give size");
  const Argument arguments[] = {x, x};
  CHECK(test::error_text<SpecError>([&] { add_kernel().call(stream(), arguments, 2); }) ==
        "'add': size can be given only if every array is raw");
  CHECK(test::error_text<SpecError>([&] { raw.call(stream(), arguments, -2); }) ==
        "'all_raw': size -2 is negative");
  CHECK(call_error(raw, 1, x) == "raw parameter 'x' of 'all_raw' must be an array");
}

TEST_CASE("Overlapping views that are not the same view are refused") {
  const Array memory = device_array(test::counting<int>(20));
  const ElementwiseKernel copy{{.in = "T x", .out = "T y", .operation = "y = x", .name = "shift"}};
  const char* text =
      "output 'y' overlaps input 'x' without being the same view: elements would be read after "
      "they "
      "were written; write to an array of its own";
  CHECK(call_error(copy, memory.slice(0, 0, 19, 1), memory.slice(0, 1, 19, 1)) == text);
  CHECK(call_error(copy, memory, memory.slice(0, 19, 20, -1)) == text);
  CHECK(call_error(copy, memory.slice(0, 3, 1, 1), memory) == text);
  CHECK(call_error(copy, memory.reshape({4, 5}).slice(0, 0, 4, 1),
                   memory.slice(0, 0, 20, 1).reshape({5, 4}).transpose()) == text);
  CHECK(test::values_of<int>(memory) == test::counting<int>(20));
}

TEST_CASE("An output whose elements share memory is refused") {
  const Array memory = device_array<int>({0});
  const ElementwiseKernel copy{
      {.in = "T x", .out = "T y", .operation = "y = x", .name = "collapse"}};
  CHECK(call_error(copy, device_array(test::counting<int>(5)), memory.broadcast_to({5})) ==
        "output 'y' repeats elements along an axis: each would be written more than once");
}

TEST_CASE("Arrays on another device than the stream's are refused") {
  CHECK(call_error(add_kernel(), Array::from<int>({1}), device_array<int>({1})) ==
        "argument 'x' of 'add' is not on the stream's device");
}

}  // namespace
}  // namespace kernelbatch

#include "core/kernel/text/type_solver.hpp"

#include "core/base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/error_text.hpp"

namespace kernelbatch {
namespace {

ResolvedTypes solve(std::string_view in, std::string_view out, const std::vector<Argument>& inputs,
                    const std::vector<Argument>& outputs = {}) {
  return solve_types(parse_parameters(in, "in"), parse_parameters(out, "out"), inputs, outputs);
}

std::string error(std::string_view in, std::string_view out, const std::vector<Argument>& inputs,
                  const std::vector<Argument>& outputs = {}) {
  return test::error_text<SpecError>([&] { solve(in, out, inputs, outputs); });
}

const Array kFloats = Array::from<float>({1});
const Array kInts = Array::from<int>({1});

TEST_CASE("Arrays bind placeholders, scalars follow") {
  const ResolvedTypes types = solve("T x, U y, T s, int8 t", "U z", {kFloats, kInts, 2, 3.0});
  CHECK(types.in ==
        std::vector<DType>{DType::kFloat32, DType::kInt32, DType::kFloat32, DType::kInt8});
  CHECK(types.out == std::vector<DType>{DType::kInt32});
  CHECK(types.placeholders.at("T") == DType::kFloat32);
}

TEST_CASE("A given output binds a placeholder that only scalars use") {
  CHECK(solve("T x", "T y", {2.5}, {kInts}).in[0] == DType::kInt32);
}

TEST_CASE("Given outputs bind before inputs") {
  CHECK(error("T x", "T y", {kFloats}, {kInts}) ==
        "type mismatch for 'T': 'y' is int32, 'x' is float32");
}

TEST_CASE("The error for an unbound placeholder names parameters that could bind it") {
  CHECK(error("T x, U y", "T z", {1, kInts}) ==
        "the type 'T' of 'x' cannot be determined: pass an array for 'z' or 'x'");
  CHECK(error("", "T z", {}) == "the type 'T' of 'z' cannot be determined: pass an array for 'z'");
}

TEST_CASE("A declared type takes only that type") {
  CHECK(error("float64 x", "T y", {kFloats}, {kFloats}) ==
        "parameter 'x' is declared float64 and was given float32");
}

TEST_CASE("Typedefs check the sizes that the host assumed") {
  const std::string text =
      typedefs_of(solve("T x", "T y", {Array::on_host(DType::kComplex64, {1})}));
  CHECK(text == "typedef complex<float> T;\nstatic_assert(sizeof(T) == 8, \"size of T\");\n");
}

}  // namespace
}  // namespace kernelbatch

#include "core/verify/input_source.hpp"

#include <fstream>

#include "core/job/parse.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/message.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {

/// The input `x` of a job that says `x: {…}`.
std::vector<InputSpec> inputs_of(const std::string& text) {
  return parse_job("workload: w\ninputs: {x: " + text + "}\n", "x.yaml").workloads[0].inputs;
}
Array made(const std::string& text) {
  JobInputs inputs(inputs_of(text), {{"n", std::int64_t{3}}}, "");
  return inputs.take("x", [] { return Array::from(std::vector<float>{-1}); });
}
std::string refusal_of(const std::string& text) {
  return test::message_of([&] { made(text); });
}

TEST_CASE("Inputs are made as the job describes them") {
  const Array counting = made("{arange: 10, shape: [2, 5], dtype: float32, start: 3}");
  CHECK(counting.shape() == Shape{2, 5});
  CHECK(counting.as<float>()[9] == 12);

  const Array full = made("{full: 3, value: 7.5, shape: [3]}");
  CHECK(full.dtype() == DType::kFloat64);
  CHECK(full.as<double>()[2] == 7.5);

  const Array steps = made("{linspace: [0, 1, 5], dtype: float32}");
  CHECK(steps.as<float>()[1] == 0.25f);
  CHECK(steps.as<float>()[4] == 1);

  const Array values = made("{values: [[1, 2.5], [true, 4]]}");
  CHECK(values.shape() == Shape{2, 2});
  CHECK(values.as<double>()[1] == 2.5);
  CHECK(made("{values: [1, 2j]}").as<std::complex<double>>()[1] == std::complex<double>(0, 2));
  CHECK(made("{zeros: [n, n + 1]}").shape() == Shape{3, 4});
  CHECK(made("{scalar: 5, dtype: int32}").as<std::int32_t>()[0] == 5);

  CHECK(made("{ones: 2, shape: [2], dtype: int32}").as<std::int32_t>()[1] == 1);
  CHECK(made("{zeros: 2, shape: [2], dtype: int32}").as<std::int32_t>()[1] == 0);
}

TEST_CASE("Random inputs are the same for the same seed and others for another") {
  const Array a = made("{random: uniform, shape: [100], low: 5, high: 6, seed: 1}");
  const Array b = made("{random: uniform, shape: [100], low: 5, high: 6, seed: 1}");
  const Array c = made("{random: uniform, shape: [100], low: 5, high: 6, seed: 2}");
  CHECK(std::equal(a.as<double>().begin(), a.as<double>().end(), b.as<double>().begin()));
  CHECK_FALSE(std::equal(a.as<double>().begin(), a.as<double>().end(), c.as<double>().begin()));
  for (const double value : a.as<double>()) CHECK((value >= 5 && value < 6));
}

TEST_CASE("What the job does not give the workload makes") {
  JobInputs inputs({}, {}, "");
  CHECK(inputs.take("x", [] { return Array::from(std::vector<float>{-1}); }).as<float>()[0] == -1);
}

TEST_CASE("Files are looked up beside the job first") {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "here.npy") << "not a real one";
  const InputSpec spec = inputs_of("{file: here.npy}")[0];
  CHECK(find_input_file(spec, folder.path().string()) == folder / "here.npy");
  CHECK_THAT(test::message_of([&] { find_input_file(spec, "/"); }),
             Contains("x.yaml:2:10: input 'x': there is no file 'here.npy'"));
}

TEST_CASE("A Matrix Market file is taken whole, extents and all") {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "a.mtx") << "%%MatrixMarket matrix coordinate real general\n"
                                     "2 3 2\n1 3 5\n2 1 7\n";
  JobInputs inputs(inputs_of("{file: a.mtx}"), {}, folder.path().string());
  const CsrMatrix matrix = inputs.take_sparse("x", nullptr);
  CHECK(matrix.rows == 2);
  CHECK(matrix.columns == 3);
  CHECK(matrix.indptr.as<int>()[2] == 2);
  CHECK(matrix.indices.as<int>()[0] == 2);
  CHECK(matrix.data.as<double>()[1] == 7);
  inputs.require_all_taken();

  JobInputs dense(inputs_of("{ones: [2]}"), {}, "");
  CHECK_THAT(test::message_of([&] { dense.take_sparse("x", nullptr); }),
             Contains("is an array, the workload takes a sparse matrix"));
  JobInputs nothing({}, {}, "");
  CHECK(nothing
            .take_sparse("x",
                         [] {
                           CsrMatrix made;
                           made.rows = 4;
                           return made;
                         })
            .rows == 4);
}

TEST_CASE("A file that is no array is refused by name") {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "bad.npy") << "text";
  JobInputs inputs(inputs_of("{file: bad.npy}"), {}, folder.path().string());
  CHECK_THAT(test::message_of([&] { inputs.take("x", nullptr); }), Contains("bad.npy"));
}

TEST_CASE("Bad sources are refused with their place") {
  CHECK(refusal_of("{random: uniform}") == "x.yaml:2:10: input 'x': it needs a shape");
  CHECK_THAT(refusal_of("{arange: 4, dtype: float33}"),
             Contains("unknown dtype 'float33' (did you mean 'float32'?)"));
  CHECK_THAT(refusal_of("{values: [[1, 2], [3]]}"),
             Contains("the lists of values are not of equal length"));
  CHECK_THAT(refusal_of("{values: [1, 300], dtype: int8}"),
             Contains("300 is out of range for int8"));
  CHECK_THAT(refusal_of("{arange: 10, shape: [3, 3]}"),
             Contains("arange of 10 elements cannot have shape (3, 3)"));
  CHECK_THAT(refusal_of("{linspace: [0, 1]}"), Contains("'linspace' needs [first, last, count]"));
  CHECK_THAT(refusal_of("{of: y}"), Contains("'of: y' names no array input above it"));
  CHECK_THAT(refusal_of("{zeros: [m]}"), Contains("unknown name 'm'"));
  CHECK_THAT(refusal_of("{zeros: 4, shape: [-4]}"), Contains("negative extent in the shape"));
}

TEST_CASE("An input that the workload does not take is an error") {
  const JobInputs inputs(inputs_of("{arange: 4}"), {}, "");
  CHECK(test::message_of([&] { inputs.require_all_taken(); }) ==
        "x.yaml:2:10: the workload takes no input 'x'");
}

}  // namespace
}  // namespace kernelbatch

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/job/parse.hpp"
#include "core/verify/job_inputs.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/message.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {

/// The input `x` of a job with `x: {…}`.
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

TEST_CASE("Inputs are created as described in the job") {
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

TEST_CASE("Random inputs depend only on the seed") {
  const Array a = made("{random: uniform, shape: [100], low: 5, high: 6, seed: 1}");
  const Array b = made("{random: uniform, shape: [100], low: 5, high: 6, seed: 1}");
  const Array c = made("{random: uniform, shape: [100], low: 5, high: 6, seed: 2}");
  CHECK(std::equal(a.as<double>().begin(), a.as<double>().end(), b.as<double>().begin()));
  CHECK_FALSE(std::equal(a.as<double>().begin(), a.as<double>().end(), c.as<double>().begin()));
  for (const double value : a.as<double>()) CHECK((value >= 5 && value < 6));
}

TEST_CASE("The workload creates inputs that the job does not give") {
  JobInputs inputs({}, {}, "");
  CHECK(inputs.take("x", [] { return Array::from(std::vector<float>{-1}); }).as<float>()[0] == -1);
}

TEST_CASE("Files are searched in the job's folder first") {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "here.npy") << "not a real one";
  const InputSpec spec = inputs_of("{file: here.npy}")[0];
  CHECK(find_input_file(spec, folder.path().string()) == folder / "here.npy");
  CHECK_THAT(test::message_of([&] { find_input_file(spec, "/"); }),
             Contains("x.yaml:2:10: input 'x': there is no file 'here.npy'"));
}

TEST_CASE("A Matrix Market file is read completely, including extents") {
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

/// A .npy file of one axis: a header of 64 bytes or a multiple.
template <class T>
void write_npy(const std::filesystem::path& path, const std::string& type,
               const std::vector<T>& values) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" +
                       std::to_string(values.size()) + ",), }";
  header.resize(128 - 10 - 1, ' ');
  header += '\n';
  std::ofstream file(path, std::ios::binary);
  file << "\x93NUMPY" << '\x01' << '\x00' << static_cast<char>(header.size()) << '\x00' << header;
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(T)));
}

TEST_CASE("A second set has the elements of files and ranges in another order") {
  const test::TemporaryFolder folder;
  std::vector<double> reals;
  std::vector<std::int32_t> ascending, mixed;
  for (int k = 0; k < 100; ++k) {
    reals.push_back(k);
    ascending.push_back(3 * k);
    mixed.push_back(k * 37 % 100);
  }
  write_npy(folder / "reals.npy", "<f8", reals);
  write_npy(folder / "ascending.npy", "<i4", ascending);
  write_npy(folder / "mixed.npy", "<i4", mixed);
  const auto made_with = [&](std::uint64_t shift, const std::string& text) {
    JobInputs inputs(inputs_of(text), {}, folder.path().string(), shift);
    return inputs.take("x", nullptr);
  };
  const auto differs = [&](const std::string& text) {
    const Array first = made_with(0, text), other = made_with(7, text);
    REQUIRE(first.bytes() == other.bytes());
    std::vector<std::byte> a(first.data(), first.data() + first.bytes()),
        b(other.data(), other.data() + other.bytes());
    const bool is_other = a != b;
    std::ranges::sort(a);
    std::ranges::sort(b);
    CHECK(a == b);
    return is_other;
  };
  for (const char* text :
       {"{file: reals.npy}", "{file: mixed.npy}", "{arange: 100}", "{arange: 100, dtype: int32}",
        "{arange: 100, shape: [10, 10]}", "{linspace: [0, 1, 100]}"}) {
    CAPTURE(text);
    CHECK(differs(text));
  }
  // They may be offsets or sizes.
  for (const char* text :
       {"{file: ascending.npy}", "{arange: 100, step: 4, dtype: int32}", "{values: [5, 3, 4]}",
        "{linspace: [0, 99, 100], dtype: int32}", "{ones: [10]}"}) {
    CAPTURE(text);
    CHECK_FALSE(differs(text));
  }
}

TEST_CASE("A second set permutes a sparse matrix's numbers but not its positions") {
  const test::TemporaryFolder folder;
  std::ofstream file(folder / "a.mtx");
  file << "%%MatrixMarket matrix coordinate real general\n50 50 50\n";
  for (int k = 1; k <= 50; ++k) file << k << " " << 51 - k << " " << k << "\n";
  file.close();
  const auto made_with = [&](std::uint64_t shift) {
    JobInputs inputs(inputs_of("{file: a.mtx}"), {}, folder.path().string(), shift);
    return inputs.take_sparse("x", nullptr);
  };
  const CsrMatrix first = made_with(0), other = made_with(7);
  CHECK(std::ranges::equal(first.indices.as<int>(), other.indices.as<int>()));
  CHECK(std::ranges::equal(first.indptr.as<int>(), other.indptr.as<int>()));
  CHECK_FALSE(std::ranges::equal(first.data.as<double>(), other.data.as<double>()));
}

TEST_CASE("A file that is not an array is refused by name") {
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

// Kernels in job files: the values in the jobs are reproduced on this device.
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <tuple>

#include "core/result/h5/h5.hpp"
#include "core/result/reader.hpp"
#include "tests/app/command.hpp"
#include "tests/support/catch.hpp"

namespace kernelbatch {
namespace {

namespace fs = std::filesystem;

struct Ran {
  ProcessResult result;
  std::string file;
};

Ran run_job(const test::TemporaryFolder& folder, const std::string& job) {
  const std::string file = (folder / (fs::path(job).stem().string() + ".h5")).string();
  return {test::command({"run", job, "--device", test::test_device(), "-o", file, "-s",
                         "measure.preset=quick", "-s", "measure.calibrate=false", "-s",
                         "measure.stop.max_samples=3", "-s", "measure.stop.min_samples=1"}),
          file};
}

/// Runs a job written here.
Ran run_text(const test::TemporaryFolder& folder, const std::string& text) {
  const fs::path job = folder / "job.yaml";
  std::ofstream(job) << text;
  return run_job(folder, job.string());
}

template <class T>
std::vector<T> output_of(const std::string& file, const std::string& variant,
                         const std::string& output) {
  const std::string id = read_results(file).results[0].case_id;
  const h5::File opened = h5::File::open(file);
  const auto bytes = opened.root().dataset("outputs/" + id + "/" + variant + "/" + output).read();
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST_CASE("--only runs only the named variants, verified as usual") {
  if (!test::require_test_device()) return;
  const test::TemporaryFolder folder;
  const fs::path job = folder / "job.yaml";
  std::ofstream(job)
      << "kernelbatch: 1\nworkload: inline\n"
         "inputs: {x: {arange: 4, dtype: float32}}\n"
         "variants:\n"
         "  one: {kind: elementwise, in: 'T x', out: 'T y', operation: 'y = x'}\n"
         "  two: {kind: elementwise, in: 'T x', out: 'T y', operation: 'y = x + 1'}\n"
         "reference: {variant: one}\n";
  const std::string file = (folder / "out.h5").string();
  const ProcessResult result = test::command({"run", job.string(), "--device", test::test_device(),
                                              "-o", file, "-s", "measure.preset=quick", "-s",
                                              "measure.calibrate=false", "--only", "variant=two"});
  INFO(result.output);
  CHECK(result.exit_status == 1);  // it is not the reference's
  const ResultFile results = read_results(file);
  REQUIRE(results.results.size() == 1);
  CHECK(results.results[0].variant == "two");
  CHECK(results.results[0].status == Status::kVerificationFailed);
}

TEST_CASE("Every inline job runs and every output is correct") {
  if (!test::require_test_device()) return;
  const test::TemporaryFolder folder;
  std::size_t jobs = 0;
  for (const auto& entry : fs::directory_iterator(test::source_folder() + "/jobs/inline")) {
    if (entry.path().extension() != ".yaml") continue;
    ++jobs;
    const Ran ran = run_job(folder, entry.path().string());
    CAPTURE(entry.path().string(), ran.result.output);
    CHECK(ran.result.exit_status == 0);
    if (ran.result.exit_status != 0) continue;
    for (const ResultRecord& record : read_results(ran.file).results) {
      CAPTURE(record.variant, record.reason);
      if (record.status == Status::kSkipped) continue;
      CHECK(record.status == Status::kOk);
      CHECK(record.verified);
    }
  }
  CHECK(jobs >= 20);
}

TEST_CASE("A tensor map that the host device did not encode ends the kernel with a message") {
  if (test::test_device() != "host") return;
  const test::TemporaryFolder folder;
  const ProcessResult result =
      run_text(folder,
               "workload: inline\n"
               "outputs: {y: {shape: 4, dtype: float32}}\n"
               "variants:\n"
               "  v:\n"
               "    kind: raw\n"
               "    entry: f\n"
               "    grid: 1\n"
               "    args: [y, {bytes: '" +
                   std::string(256, '0') +
                   "'}]\n"
                   "    source: |\n"
                   "      #include <cuda.h>\n"
                   "      #include <cuda/barrier>\n"
                   "      namespace cde = cuda::device::experimental;\n"
                   "      extern \"C\" __global__ void f(float*, const __grid_constant__ "
                   "CUtensorMap map) {\n"
                   "        __shared__ alignas(128) float box[4];\n"
                   "        cde::cp_async_bulk_tensor_1d_shared_to_global(&map, 0, box);\n"
                   "      }\n"
                   "reference: none\n")
          .result;
  CHECK(result.exit_status == 3);
  CHECK_THAT(
      result.output,
      Contains("block (0,0,0), thread (0,0,0): the tensor map is not one of the host device: "
               "it was encoded for a GPU, or is uninitialized"));
}

TEST_CASE("An image whose parameters differ from a job's arguments is rejected") {
  if (!test::require_test_device()) return;
  const std::string image = test::source_folder() + "/jobs/inline/triton_softmax.ptx";
  const auto run = [&](const std::string& arguments) {
    const test::TemporaryFolder folder;
    return run_text(folder,
                    "workload: inline\n"
                    "inputs: {x: {ones: [2, 32], dtype: float32}}\n"
                    "outputs: {y: {shape: [2, 32], dtype: float32}}\n"
                    "variants:\n"
                    "  v: {kind: image, image: " +
                        image +
                        ", entry: softmax_rows, grid: [2], block: [128], shared_mem: 16,\n"
                        "      args: [x, y, " +
                        arguments +
                        "]}\nreference: {cpp: \"for (int k = 0; k < 64; ++k) y(k / 32, k % 32) = "
                        "0.03125f;\"}\n")
        .result;
  };
  const std::string stride = "{bytes: \"20000000\"}, ";
  const auto right = run(stride + "{scalar: 32, dtype: int32}, {null}, {null}");
  INFO(right.output);
  CHECK(right.exit_status == 0);
  const auto few = run(stride + "{null}");
  CHECK(few.exit_status != 0);
  CHECK_THAT(few.output, Contains("takes 6 arguments, 4 were given"));
  const auto size = run(stride + "{null}, {null}, {null}");
  CHECK_THAT(size.output, Contains("argument 4 of 'softmax_rows' has 8 bytes, the kernel's "
                                   "parameter 4"));
  const auto digits = run("{bytes: \"2\"}, {null}, {null}, {null}");
  CHECK(digits.exit_status == 2);
  CHECK_THAT(digits.output, Contains("'bytes' must be pairs of hexadecimal digits"));
}

TEST_CASE("The sums of prime factors are the known ones") {
  if (!test::require_test_device()) return;
  const test::TemporaryFolder folder;
  const Ran ran = run_job(folder, test::source_folder() + "/jobs/inline/prime_factor_sum.yaml");
  REQUIRE(ran.result.exit_status == 0);
  for (const char* variant : {"jit", "raw", "elementwise"}) {
    const auto sums = output_of<std::int64_t>(ran.file, variant, "A");
    REQUIRE(sums.size() == 999'999);
    CHECK(std::vector(sums.begin(), sums.begin() + 3) == std::vector<std::int64_t>{2, 3, 4});
    CHECK(std::vector(sums.end() - 3, sums.end()) == std::vector<std::int64_t>{287, 77, 42});
  }
}

TEST_CASE("A wrong kernel is detected, and its time is not ranked") {
  if (!test::require_test_device()) return;
  const test::TemporaryFolder folder;
  const Ran ran = run_text(folder,
                           "workload: inline\n"
                           "inputs: {x: {arange: 4, dtype: float32}}\n"
                           "variants:\n"
                           "  right: {kind: fuse, expression: x + 1}\n"
                           "  wrong: {kind: fuse, expression: x + 2}\n"
                           "reference: {values: {out: [1, 2, 3, 4]}}\n");
  INFO(ran.result.output);
  CHECK(ran.result.exit_status == 1);
  const ResultFile results = read_results(ran.file);
  CHECK(results.results[0].status == Status::kOk);
  CHECK(results.results[1].status == Status::kVerificationFailed);
  CHECK(std::isnan(results.results[1].ranked_time()));
}

TEST_CASE("Without a reference outputs are stored and marked unverified") {
  if (!test::require_test_device()) return;
  const test::TemporaryFolder folder;
  const Ran ran = run_text(folder,
                           "workload: inline\n"
                           "inputs: {x: {arange: 4, dtype: float32}}\n"
                           "variants: {only: {kind: fuse, expression: x * 3}}\n"
                           "reference: none\n");
  INFO(ran.result.output);
  CHECK(ran.result.exit_status == 0);
  CHECK_THAT(ran.result.output, Contains("UNVERIFIED: no reference"));
  CHECK_FALSE(read_results(ran.file).results[0].verified);
  CHECK(output_of<float>(ran.file, "only", "out") == std::vector<float>{0, 3, 6, 9});
}

TEST_CASE("Only the view of an output is written") {
  if (!test::require_test_device()) return;
  const test::TemporaryFolder folder;
  const Ran ran = run_text(folder,
                           "workload: inline\n"
                           "inputs: {x: {arange: 3, dtype: int32}}\n"
                           "outputs:\n"
                           "  w: {shape: [2, 3], dtype: int32, fill: -7}\n"
                           "  column: {of: w, slice: \"[1, ::-1]\"}\n"
                           "variants:\n"
                           "  by_name: {kind: elementwise, in: T x, out: T column, "
                           "operation: column = x}\n"
                           "  by_args: {kind: elementwise, in: T x, out: T z, operation: z = x, "
                           "args: [x, {of: w, slice: \"[1, ::-1]\"}]}\n"
                           "reference: {values: {w: [[-7, -7, -7], [2, 1, 0]]}}\n");
  INFO(ran.result.output);
  CHECK(ran.result.exit_status == 0);
}

TEST_CASE("Numbers have their written kind") {
  if (!test::require_test_device()) return;
  const test::TemporaryFolder folder;
  const Ran ran = run_text(
      folder,
      "workload: inline\n"
      "params: {p: 5.0, q: 1e3}\n"
      "inputs: {x: {values: [1.0, 3.0]}, pi: {values: [7.0, 9.0]}}\n"
      "outputs: {z: {shape: [2], dtype: float64}}\n"
      "variants:\n"
      "  halves: {kind: elementwise, in: \"T x, T pi\", out: T z, operation: \"z = x / 2 + pi\"}\n"
      "  fused: {kind: fuse, expression: x / 2 + pi}\n"
      "  options: {kind: raw, source: 'extern \"C\" __global__ void f(const double* x, const "
      "double* "
      "pi, double* z) { const int k = threadIdx.x; z[k] = x[k] * (PART / 10) + pi[k] * (WHOLE / "
      "1000); "
      "}', "
      "entry: f, grid: 1, block: 2, args: [x, pi, z], options: [\"-DPART={p}\", \"-DWHOLE={q}\"]}\n"
      "  constant: {kind: jit, source: 'template <class X, class Z, class S> __global__ void f(X "
      "x, X "
      "pi, Z z, S half) { const int k = threadIdx.x; z[k] = x[k] * half / D + pi[k]; }', entry: f, "
      "grid: 1, block: 2, args: [x, pi, z, 2.5], constants: {D: 5.0}}\n"
      "  big: {kind: raw, source: 'extern \"C\" __global__ void f(const double* x, const double* "
      "pi, "
      "double* z, unsigned long long n) { const int k = threadIdx.x; z[k] = x[k] / (1 + (n >> 63)) "
      "+ "
      "pi[k]; }', entry: f, grid: 1, block: 2, args: [x, pi, z, 18446744073709551615]}\n"
      "reference: {values: {z: [7.5, 10.5]}}\n");
  INFO(ran.result.output);
  CHECK(ran.result.exit_status == 0);
  const ResultFile results = read_results(ran.file);
  CHECK(results.results.size() == 5);
  for (const ResultRecord& record : results.results) CHECK(record.verified);
}

TEST_CASE("A reference may be a file of any format, a variant, or C++") {
  if (!test::require_test_device()) return;
  const test::TemporaryFolder folder;
  {
    h5::File file = h5::File::create(folder / "ref.h5");
    const std::vector<double> values{1, 2, 3, 4};
    file.root()
        .create_dataset("z", {.type = h5::Type::kFloat64, .shape = {4}})
        .write(std::as_bytes(std::span(values)));
    file.close();
  }
  for (const std::string& reference :
       {std::string("{file: 'ref.h5:/z'}"), std::string("{file: ref.h5, dataset: /z}"),
        std::string("{variant: other}"),
        std::string("{cpp: 'for (int k = 0; k < 4; ++k) out[k] = x[k] + 1;'}")}) {
    const Ran ran =
        run_text(folder,
                 "workload: inline\n"
                 "inputs: {x: {arange: 4, dtype: float32}}\n"
                 "variants:\n"
                 "  one: {kind: fuse, expression: x + 1}\n"
                 "  other: {kind: elementwise, in: T x, out: T z, operation: z = x + 1}\n"
                 "reference: " +
                     reference + "\n");
    CAPTURE(reference, ran.result.output);
    CHECK(ran.result.exit_status == 0);
    for (const ResultRecord& record : read_results(ran.file).results) CHECK(record.verified);
    fs::remove(ran.file);
  }
}

TEST_CASE("Kernels and C++ references of several dtypes need no text around them") {
  if (!test::require_test_device()) return;
  const test::TemporaryFolder folder;
  const Ran ran = run_text(
      folder,
      "workload: inline\n"
      "params: {dtype: [float32, float64]}\n"
      "inputs: {x: {arange: 4, dtype: dtype}}\n"
      "outputs: {z: {shape: [4], dtype: dtype}}\n"
      "variants:\n"
      "  one: {kind: raw, entry: 'f<{dtype}>', grid: 1, block: 4, args: [x, z], options: "
      "['-DT2={dtype}'], source: 'template <class T> __global__ void f(const T* x, T2* z) {"
      " z[threadIdx.x] = sqrt(x[threadIdx.x]); }'}\n"
      "reference: {cpp: 'for (int k = 0; k < 4; ++k) z[k] = std::sqrt(std::max(x[k], x[k]));'}\n");
  INFO(ran.result.output);
  CHECK(ran.result.exit_status == 0);
  for (const ResultRecord& record : read_results(ran.file).results) CHECK(record.verified);
}

TEST_CASE("Exchanged arguments, unzeroed outputs and sporadic errors are recognized") {
  if (!test::require_test_device()) return;
  const test::TemporaryFolder folder;
  const Ran ran = run_text(
      folder,
      "workload: inline\n"
      "inputs: {x: {arange: 32, dtype: float32}}\n"
      "outputs: {z: {shape: [32], dtype: float32}}\n"
      "variants:\n"
      "  adds: {kind: raw, entry: f, grid: 1, block: 32, args: [x, z], source: 'extern \"C\" "
      "__global__ void f(const float* x, float* z) { atomicAdd(z + threadIdx.x, x[threadIdx.x]); "
      "}'}\n"
      "  exchanged: {kind: raw, entry: f, grid: 1, block: 32, args: [z, x], source: 'extern \"C\" "
      "__global__ void f(float* x, float* z) { z[threadIdx.x] = x[threadIdx.x]; }'}\n"
      "  sporadic: {kind: raw, entry: f, grid: 1, block: 32, args: [x, z], source: '__device__ int "
      "calls[32]; extern \"C\" __global__ void f(const float* x, float* z) { const int i = "
      "threadIdx.x, call = calls[i]++; z[i] = x[i] + (call % 32 == i); }'}\n"
      "  later: {kind: raw, entry: f, grid: 1, block: 32, args: [x, z], source: '__device__ int "
      "calls[32]; extern \"C\" __global__ void f(const float* x, float* z) { const int i = "
      "threadIdx.x, call = calls[i]++; z[i] = x[i] + (call > 0 && call % 32 == i); }'}\n"
      "  steady: {kind: raw, entry: f, grid: 1, block: 32, args: [x, z], source: 'extern \"C\" "
      "__global__ void f(const float* x, float* z) { z[threadIdx.x] = x[threadIdx.x] + "
      "(threadIdx.x == 3); }'}\n"
      "  short: {kind: raw, entry: f, grid: 1, block: 31, args: [x, z], source: 'extern \"C\" "
      "__global__ void f(const float* x, float* z) { z[threadIdx.x] = x[threadIdx.x]; }'}\n"
      "  beyond: {kind: raw, entry: f, grid: 1, block: 33, args: [x, z], source: 'extern \"C\" "
      "__global__ void f(const float* x, float* z) { z[threadIdx.x] = threadIdx.x; }'}\n"
      "reference: {cpp: 'for (int k = 0; k < 32; ++k) z[k] = x[k];'}\n");
  CHECK(ran.result.exit_status == 1);
  std::map<std::string, std::string> faults;
  for (const ResultRecord& record : read_results(ran.file).results)
    faults[record.variant] = record.fault;
  CHECK(faults["adds"] == "not zeroed");
  CHECK(faults["exchanged"] == "input written");
  CHECK(faults["sporadic"] == "1 wrong, varies");
  CHECK(faults["later"] == "1 wrong, varies");
  CHECK(faults["steady"] == "1 wrong");
  CHECK(faults["short"] == "never written");
  CHECK(faults["beyond"] == "out of bounds");
}

TEST_CASE("A C++ reference may use the C++ library") {
  if (!test::require_test_device()) return;
  const test::TemporaryFolder folder;
  const Ran ran = run_text(folder,
                           "workload: inline\n"
                           "inputs: {x: {arange: 4, dtype: float32}}\n"
                           "variants:\n"
                           "  one: {kind: elementwise, in: T x, out: T z, operation: z = "
                           "sqrt(x) + cos(x) + exp2(x)}\n"
                           "reference:\n"
                           "  preamble: |\n"
                           "    #include <algorithm>\n"
                           "    #include <cmath>\n"
                           "    #include <complex>\n"
                           "    #include <vector>\n"
                           "  cpp: |\n"
                           "    std::vector<double> sums(4);\n"
                           "    for (int k = 0; k < 4; ++k)\n"
                           "      sums[k] = std::sqrt(x[k]) + cos(x[k]) + std::exp2(x[k]);\n"
                           "    float s, c;\n"
                           "    sincos(0.0f, &s, &c);\n"
                           "    for (int k = 0; k < 4; ++k)\n"
                           "      z[k] = sums[k] * c + std::abs(std::complex<float>(s, 0)) +\n"
                           "             std::max(__sinf(0.0f), 0.0f);\n");
  INFO(ran.result.output);
  CHECK(ran.result.exit_status == 0);
  for (const ResultRecord& record : read_results(ran.file).results) CHECK(record.verified);
}

TEST_CASE("A sparse matrix arrives as its three arrays") {
  if (!test::require_test_device()) return;
  const test::TemporaryFolder folder;
  std::ofstream(folder / "a.mtx")
      << "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 1\n1 3 2\n2 2 3\n";
  const Ran ran = run_text(
      folder,
      "workload: inline\n"
      "inputs:\n"
      "  A: {file: a.mtx}\n"
      "  x: {values: [1, 10, 100], dtype: float64}\n"
      "outputs: {y: {shape: ['A.indptr.size - 1'], dtype: float64}}\n"
      "variants:\n"
      "  spmv:\n"
      "    kind: raw\n"
      "    source: |\n"
      "      extern \"C\" __global__ void spmv(const int* indptr, const int* indices,\n"
      "                                      const double* data, const double* x, double* y) {\n"
      "        const int row = threadIdx.x;\n"
      "        double sum = 0;\n"
      "        for (int k = indptr[row]; k < indptr[row + 1]; ++k) sum += data[k] * "
      "x[indices[k]];\n"
      "        y[row] = sum;\n"
      "      }\n"
      "    entry: spmv\n"
      "    grid: 1\n"
      "    block: y.size\n"
      "    args: [A.indptr, A.indices, A.data, x, y]\n"
      "reference: {values: {y: [201, 30]}}\n");
  INFO(ran.result.output);
  CHECK(ran.result.exit_status == 0);
}

TEST_CASE("Unavailable inputs fail the case with their reason, and nothing else") {
  if (!test::require_test_device()) return;
  const test::TemporaryFolder folder;
  {
    h5::File file = h5::File::create(folder / "whole.h5");
    const std::vector<double> values(10000, 1);
    file.root()
        .create_dataset("z", {.type = h5::Type::kFloat64, .shape = {10000}})
        .write(std::as_bytes(std::span(values)));
    file.close();
  }
  fs::copy(folder / "whole.h5", folder / "cut.h5");
  fs::resize_file(folder / "cut.h5", 2000);
  std::ofstream(folder / "cut.npz") << "PK";
  for (const auto& [input, status, reason] : std::vector<std::tuple<std::string, int, std::string>>{
           {"{file: cut.h5}", 2, "cut.h5' cannot be read as HDF5"},
           {"{file: 'whole.h5:/w'}", 2, "has no dataset '/w' (did you mean 'z'?)"},
           {"{file: cut.npz}", 2, "cut.npz' is not a .npz archive"},
           {"{file: job.yaml}", 2, "unknown file extension"},
           {"{zeros: [2^45]}", 3, "the host cannot give 256"},
           {"{zeros: [2^40, 2^40]}", 2, "has too many elements"}}) {
    const Ran ran = run_text(folder, "workload: inline\ninputs: {x: " + input +
                                         "}\nvariants: {k: {kind: fuse, expression: x + 1}}\n");
    CAPTURE(input, ran.result.output);
    CHECK(ran.result.exit_status == status);
    CHECK_THAT(ran.result.output, Contains(reason));
  }
}

TEST_CASE("Scratch arrays of steps are uninitialized in each call") {
  if (!test::require_test_device()) return;
  const test::TemporaryFolder folder;
  const std::string last =
      "- {kind: elementwise, in: T x, out: T z, operation: z = 2 * x, args: [p]}\n";
  const Ran ran = run_text(
      folder,
      "workload: inline\n"
      "inputs: {x: {arange: 4, dtype: float32}}\n"
      "variants:\n"
      "  right:\n    scratch: {p: {shape: [4], dtype: float32}}\n    steps:\n"
      "      - {kind: elementwise, in: T x, out: T p, operation: p = x}\n      " +
          last +
          "  unwritten:\n    scratch: {p: {shape: [4], dtype: float32}}\n    steps:\n"
          "      - {kind: elementwise, in: T x, out: T p, operation: 'if (i > 0) p = x'}\n      " +
          last + "reference: {values: {z: [0, 2, 4, 6]}}\n");
  INFO(ran.result.output);
  const ResultFile results = read_results(ran.file);
  REQUIRE(results.results.size() == 2);
  CHECK(results.results[0].status == Status::kOk);
  CHECK(results.results[1].status == Status::kVerificationFailed);
}

TEST_CASE("Overlapping arrays are copied in every call") {
  if (!test::require_test_device()) return;
  const test::TemporaryFolder folder;
  const Ran ran = run_text(
      folder,
      "workload: inline\n"
      "inputs: {x: {arange: 6, dtype: float32}}\n"
      "outputs:\n"
      "  w: {shape: [6], dtype: float32, fill: x}\n"
      "  v: {shape: [6], dtype: float32, fill: x}\n"
      "variants:\n"
      "  shifted: {kind: elementwise, in: T a, out: T b, operation: b = a + 10, "
      "copy_overlap: true, args: [{of: w, slice: '[:5]'}, {of: w, slice: '[1:]'}]}\n"
      "  summed: {kind: reduction, in: T a, out: T b, map: a, reduce: a + b, post_map: b = a, "
      "axis: 0, copy_overlap: true, args: [{of: v, reshape: [2, 3]}, {of: v, slice: '[1:4]'}]}\n"
      "reference:\n"
      "  cpp: |\n"
      "    for (int k = 0; k < 6; ++k) w[k] = k == 0 ? x[0] : x[k - 1] + 10;\n"
      "    for (int k = 0; k < 6; ++k) v[k] = k < 1 || k > 3 ? x[k] : x[k - 1] + x[k + 2];\n");
  INFO(ran.result.output);
  CHECK(ran.result.exit_status == 0);
  CHECK(output_of<float>(ran.file, "shifted", "w") == std::vector<float>{0, 10, 11, 12, 13, 14});
  CHECK(output_of<float>(ran.file, "summed", "v") == std::vector<float>{0, 3, 5, 7, 4, 5});
}

TEST_CASE("A compile error points into the job's own text") {
  if (!test::require_test_device()) return;
  const test::TemporaryFolder folder;
  const Ran ran = run_text(folder,
                           "workload: inline\n"
                           "inputs: {x: {arange: 4, dtype: float32}}\n"
                           "variants: {bad: {kind: elementwise, in: T x, out: T z, operation: "
                           "'z = x + qqq'}}\n");
  CHECK(ran.result.exit_status == 3);
  CHECK_THAT(ran.result.output, Contains("job.yaml:3: error"));
  CHECK_THAT(ran.result.output, Contains("qqq"));
}

}  // namespace
}  // namespace kernelbatch

// Jobs with inline kernels: errors are found before anything runs, with their place.
#include "core/inline/case.hpp"

#include <fstream>
#include <regex>

#include "core/base/text.hpp"
#include "core/job/parse.hpp"
#include "core/job/resolved.hpp"
#include "core/run/plan.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/message.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kernelbatch {
namespace {

const std::string kInputs =
    "workload: inline\n"
    "inputs:\n"
    "  x: {arange: 6, shape: [2, 3], dtype: float32}\n"
    "  y: {arange: 3, dtype: float32}\n"
    "  d: {arange: 3, dtype: float64}\n"
    "  s: 5\n";

/// The inputs that `text` names; lines of the others become comments, so that line numbers stay.
std::string inputs_of(const std::string& text) {
  std::string inputs;
  for (const std::string& line : split(kInputs, '\n')) {
    const bool is_input = line.starts_with("  ");
    const bool is_used = !is_input || line[2] == 'x' ||
                         std::regex_search(text, std::regex("\\b" + line.substr(2, 1) + "\\b"));
    if (!line.empty()) inputs += (is_used ? "" : "#") + line + "\n";
  }
  return inputs;
}

Plan plan_of(const std::string& text) {
  return make_plan(
      parse_job(inputs_of(text) + text, "j.yaml"),
      [](const std::string&) -> WorkloadInfo { throw std::logic_error("no plugin is asked"); },
      100);
}
std::string refusal(const std::string& text) {
  return test::message_of([&] { plan_of(text); });
}
/// A job with one variant `k`.
std::string refusal_of(const std::string& variant, const std::string& more = "") {
  return refusal("variants:\n  k: {" + variant + "}\n" + more);
}
const std::string kAt = "j.yaml:8:3: variant 'k': ";

TEST_CASE("Unknown kinds and keys of variants are refused with the nearest") {
  CHECK(refusal("") ==
        "j.yaml:1:1: 'workload: inline' needs 'variants': a mapping of names to kernels");
  CHECK(refusal_of("in: T x") ==
        "j.yaml:8:3: variant 'k' has no kind: one of elementwise, reduction, raw, image, jit, "
        "fuse, steps");
  CHECK(refusal_of("kind: elementwize") ==
        "j.yaml:8:13: 'kind' must be one of elementwise, reduction, raw, image, jit, fuse, steps, "
        "not 'elementwize' (did you mean 'elementwise'?)");
  CHECK(refusal_of("kind: fuse, expresion: x") ==
        "j.yaml:8:19: unknown key 'expresion' (did you mean 'expression'?)");
  CHECK(refusal_of("kind: raw, entry: f, grid: 1") ==
        "j.yaml:8:3: variant 'k' needs either 'source' or 'module'");
  CHECK(refusal_of("kind: reduction, in: T x, out: T y, map: x, reduce: a") ==
        "j.yaml:8:3: variant 'k' of kind reduction needs 'post_map'");
  CHECK(refusal("variants: {reference: {kind: fuse, expression: x}}\n") ==
        "j.yaml:7:12: 'reference' is what variants are verified against: name it otherwise");
}

TEST_CASE("Errors in steps have the step's line, and the nearest name") {
  const auto refusal_of_steps = [](const std::string& steps, const std::string& scratch) {
    return refusal("outputs: {w: {shape: [6], dtype: float32}}\nvariants:\n  k:\n    steps:\n" +
                   steps + "    scratch: {" + scratch + "}\nreference: none\n");
  };
  const std::string first =
      "      - {kind: elementwise, in: T x, out: T partial, operation: partial = x}\n";
  const std::string last =
      "      - {kind: reduction, in: T partial, out: T w, map: partial, reduce: a + b, "
      "post_map: w = a, axis: 0, args: [";
  CHECK(
      refusal_of_steps(first + last + "partal, w]}\n",
                       "partial: {shape: [2, 3], dtype: float32}") ==
      "j.yaml:12:9: variant 'k', step 2: there is no input, output or scratch array 'partal' (did "
      "you mean 'partial'?)");
  CHECK(refusal_of_steps(first + last + "partial, w]}\n",
                         "partial: {shape: [2, 3], dtype: float32}") ==
        "j.yaml:12:9: variant 'k', step 2: output 'w' of 'reduce_kernel' has shape (6,), the "
        "reduction gives (3,)");
  CHECK(refusal_of_steps(first, "partial: {shape: [2, 3], dtyp: float32}") ==
        "j.yaml:12:40: unknown key 'dtyp' (did you mean 'dtype'?)");
  CHECK(refusal_of_steps(first, "x: {shape: [2, 3]}") ==
        "j.yaml:9:3: variant 'k': scratch array 'x' has the name of another array");
  CHECK(refusal_of_steps("      - {kind: fuse, expression: x}\n", "partial: {shape: [2, 3]}") ==
        "j.yaml:11:16: 'kind' must be one of elementwise, reduction, raw, image, jit, not 'fuse'");
  CHECK(refusal_of_steps("      - {entry: f}\n", "partial: {shape: [2, 3]}") ==
        "j.yaml:11:9: step 1 of variant 'k' of kind raw needs 'grid'");
  CHECK(refusal_of_steps("      - {kind: elementwise, in: T x, out: T z, operation: z = x}\n",
                         "partial: {shape: [2, 3]}") ==
        "j.yaml:9:3: variant 'k': no step writes the scratch array 'partial'");
  CHECK(refusal("variants:\n  k: {steps: 1}\n") ==
        "j.yaml:8:14: 'steps' must be a list of kernels, not '1'");
}

TEST_CASE("A fused text can use inputs after //, numbers and parameters") {
  const std::string job = "params: {a: [1, 2.5]}\nvariants:\n  k: {kind: fuse, expression: '";
  CHECK_NOTHROW(plan_of(job + "x // y + s * a - x.mean()'}\n"));
  CHECK_THAT(refusal(job + "x * b'}\n"), Contains("unknown name 'b'"));
}

TEST_CASE("A kernel's own errors have the variant's place") {
  CHECK(refusal_of("kind: elementwise, in: 'flot32 x', out: T z, operation: z = x") ==
        kAt +
            "in_params: unknown type 'flot32' (did you mean 'float32'?)\n"
            "  flot32 x\n  ^");
  CHECK(refusal_of("kind: elementwise, in: 'T x, T d', out: T z, operation: z = x") ==
        kAt + "type mismatch for 'T': 'x' is float32, 'd' is float64");
  CHECK(refusal_of("kind: elementwise, in: 'T x', out: 'U z', operation: z = x") ==
        kAt + "the type 'U' of 'z' cannot be determined: pass an array for 'z'");
  CHECK(refusal_of("kind: elementwise, in: 'T q', out: T z, operation: z = q") ==
        kAt + "there is no input or output 'q' (did you mean 'x'?)");
  CHECK(refusal_of("kind: elementwise, in: 'T x, U y', out: T z, operation: z = x, "
                   "args: [x, {of: y, slice: '[1:]'}]") ==
        kAt + "operands could not be broadcast together with shapes (2, 3) (2,)");
  CHECK(refusal_of("kind: elementwise, in: 'T x', out: T z, operation: z = x, size: 5") ==
        kAt + "'kernel': size can be given only if every array is raw");
  CHECK(refusal_of("kind: elementwise, in: 'raw T x', out: raw T z, operation: 'z[i] = x[i]'") ==
        kAt + "raw output 'z': its shape is unknown; give size, or declare it under 'outputs'");
  const std::string one_number =
      "kind: elementwise, in: 'T y, T q', out: T z, operation: z = q, args: [y, ";
  CHECK(refusal_of(one_number + "2e40]") ==
        kAt + "argument 'q': 2e+40 is out of range for float32");
  CHECK(refusal_of("kind: reduction, in: 'T y, int8 q', out: T z, map: y + q, reduce: a + b, "
                   "post_map: z = a, "
                   "identity: 0, args: [y, 300]") ==
        kAt + "argument 'q': 300 is out of range for int8");
  CHECK(refusal_of("kind: reduction, in: T x, out: T z, map: x, reduce: a + b, post_map: z = a, "
                   "axis: 2") == kAt + "'reduce_kernel': axis 2 is out of range for 2 axes");
  CHECK(refusal_of("kind: reduction, in: T x, out: T z, map: x, reduce: a + b, post_map: z = a, "
                   "axis: [0, 0]") == kAt + "'reduce_kernel': axis 0 is named twice");
  CHECK(refusal_of("kind: fuse, expression: 'x + q'").starts_with(kAt + "fuse: "));
}

TEST_CASE("Outputs must exist and fit") {
  const std::string raw =
      "kind: raw, source: 'extern \"C\" __global__ void f(float* w) {}', entry: f, grid: 1, ";
  CHECK(refusal_of(raw + "block: 1") ==
        kAt + "it needs 'args': the names of inputs and outputs in the kernel's order");
  CHECK(refusal_of(raw + "block: 1, args: [x]") == kAt + "none of its arguments is an output");
  CHECK(refusal_of(raw + "block: 1, args: [out_w]",
                   "outputs: {out_v: {shape: [2], dtype: float32}}\n") ==
        kAt + "there is no input or output 'out_w' (did you mean 'out_v'?)");
  CHECK(refusal_of("kind: elementwise, in: T x, out: T w, operation: w = x",
                   "outputs: {w: {shape: [1, 3], dtype: float32}}\n") ==
        kAt + "output 'w' of 'kernel' has shape (1, 3), the operands broadcast to (2, 3)");
  CHECK(refusal_of("kind: elementwise, in: T x, out: T w, operation: w = x",
                   "outputs: {w: {dtype: float32}}\n") ==
        "j.yaml:9:11: output 'w' needs a shape (or 'fill' naming an input)");
  CHECK(refusal_of("kind: elementwise, in: T x, out: T w, operation: w = x",
                   "outputs: {w: {shape: [2, 3], dtype: int8, fill: 300}}\n") ==
        "j.yaml:9:49: 'fill': 300 is out of range for int8");
  CHECK(refusal_of("kind: elementwise, in: T x, out: T w, operation: w = x",
                   "outputs: {x: {shape: [2, 3], dtype: float32}}\n") ==
        "j.yaml:9:14: 'x' is both an input and an output");
}

TEST_CASE("Arguments of raw kernels are checked against the source") {
  const std::string raw =
      "kind: raw, source: 'extern \"C\" __global__ void f(const float* x, float* w, int n) {}', "
      "entry: f, grid: 1, block: 1, args: ";
  const std::string w = "outputs: {w: {shape: [2], dtype: float32}}\n";
  CHECK(refusal_of(raw + "[x, w, 10]", w).empty());
  CHECK(refusal_of(raw + "[x, w]", w) == kAt + "kernel 'f' takes 3 arguments, 2 were given");
  CHECK(refusal_of(raw + "[d, w, 10]", w) ==
        kAt +
            "argument 1 of 'f' is an array of float64, the parameter 'const float* x' takes "
            "float32");
  CHECK(refusal_of(raw + "[x, w, {scalar: 10, dtype: int64}]", w) ==
        kAt + "argument 3 of 'f' is a scalar of int64, the parameter 'int n' takes int32");
  CHECK(refusal_of(raw + "[x, w, 1e10]", w) == kAt + "10000000000 is out of range for int32");
  CHECK(refusal_of(raw + "[x, w, y]", w) ==
        kAt +
            "argument 3 of 'f' is an array of float32, the parameter 'int n' takes a scalar of "
            "int32");
}

TEST_CASE("Tensor maps are checked before a run") {
  // m has rows of 16 numbers, 64 bytes.
  const auto error = [](const std::string& map, const std::string& array = "m") {
    const std::string text = refusal(
        "  m: {zeros: [8, 16], dtype: float32}\n  odd: {zeros: [8, 15], dtype: float32}\n"
        "  wide: {zeros: [8, 16], dtype: complex128}\n"
        "outputs: {o: {shape: 4, dtype: float32}}\n"
        "variants:\n  k: {kind: raw, entry: f, grid: 1, args: [x, o, m, odd, wide, {tensor_map: " +
        array + ", " + map + "}], source: \"__global__ void f() {}\"}\n");
    const std::size_t at = text.find(": ");
    return at == std::string::npos ? text : text.substr(at + 2);
  };
  CHECK(error("swizle: 64B") == "unknown key 'swizle' (did you mean 'swizzle'?)");
  CHECK(error("swizzle: 128B") == "'args' has no 'box'");
  CHECK(error("box: [16, 4], swizzle: 128") ==
        "'swizzle' must be one of none, 32B, 64B, 128B, 128B_atom_32B, 128B_atom_32B_flip_8B, "
        "128B_atom_64B, not '128' (did you mean '128B'?)");
  CHECK(error("box: [16, -4]") == "'box' must not have negative numbers");
  CHECK(error("box: [16]") == "tensor map: 'box' has 1 numbers, not one for each of 2 axes");
  CHECK(error("box: [16, 4], element_strides: [1]") ==
        "tensor map: 'element_strides' has 1 numbers, not one for each of 2 axes");
  CHECK(error("box: [16, 4], dims: [16, 8], strides: [64, 64]") ==
        "tensor map: 'strides' has 2 numbers, not one for each of 1 axes after the innermost");
  CHECK(error("box: [16, 4], dims: [16, 9]") ==
        "tensor map: 'dims' and 'strides' describe 576 bytes of a contiguous array, 'm' has 512");
  CHECK(error("box: [32, 4], type: float16") ==
        "tensor map: 'type: float16' has 2 bytes, elements of 'm' have 4");
  CHECK(error("box: [4, 4]", "wide") == "tensor map: elements of complex128 are too large");
  CHECK(error("box: [4, 4]", "odd") ==
        "tensor map: stride 60 of axis 1 must be a multiple of 16 bytes below 2^40");
  CHECK(error("box: [16, 4], swizzle: 32B") ==
        "tensor map: a row of the box has 64 bytes: 'swizzle: 32B' allows at most 32");
  CHECK_THAT(error("box: [4, 4]", "missing"), Contains("there is no input or output 'missing'"));
}

TEST_CASE("Impossible runs are refused in advance") {
  const std::string w = "outputs: {w: {shape: [3], dtype: float32}}\n";
  const auto raw = [](const std::string& parameters, const std::string& rest) {
    return "kind: raw, source: 'extern \"C\" __global__ void f(" + parameters +
           ") {}', entry: f, grid: 1, " + rest;
  };
  CHECK(refusal_of(raw("const float* y, float* w", "block: 2048, args: [y, w]"), w)
            .ends_with("a block of 2048 x 1 x 1 threads is too large: a block has at most 1024"));
  CHECK(refusal_of(raw("const float* y, float* w", "block: 1, args: [w, y]"), w) ==
        kAt + "argument 1 is the output 'w', and the kernel's parameter points to const");
  CHECK(refusal_of(raw("const float* x, float* w", "block: 1, args: [{of: x, transpose: true}, w]"),
                   w)
            .starts_with(kAt + "argument 1 of 'f' is an array that is not contiguous"));
  CHECK(refusal_of(raw("const float* x, float* w, int n", "block: 1, args: [x, w, 2.5]"), w) ==
        kAt + "2.5 is not an integer, which int32 requires");
  CHECK(refusal_of("kind: jit, source: 'template <class X> __global__ void f(X x, float* w, int n) "
                   "{}', entry: f, grid: 1, block: 1, args: [x, w, 2.5]",
                   w) == kAt + "argument '3 of f': 2.5 is not an integer, which int32 requires");
  CHECK(refusal_of("kind: elementwise, in: T x, out: T z, operation: ''") ==
        kAt + "'kernel': the operation is empty");
  CHECK(refusal_of("kind: elementwise, in: T x, out: 'T z, T q', operation: z = x") ==
        kAt + "'kernel': nothing writes the output 'q'");
  CHECK(refusal_of("kind: reduction, in: T x, out: T z, map: x, reduce: a + b, post_map: a") ==
        kAt + "'reduce_kernel': nothing writes the output 'z'");
  CHECK(refusal_of("kind: elementwise, in: T x, out: T z, operation: z = x", w) ==
        "j.yaml:9:14: no variant uses the output 'w'");
  CHECK(refusal_of("kind: elementwise, in: T y, out: T z, operation: z = y") ==
        "j.yaml:3:3: input 'x': no variant uses it");
  CHECK(refusal_of("kind: elementwise, in: T x, out: T z, operation: z = x", "device: gpu\n") ==
        "j.yaml:9:9: 'device': unknown device 'gpu': expected auto, host, cuda, cuda:N, or a GPU-… "
        "or MIG-… UUID");
  CHECK(refusal_of("kind: elementwise, in: T x, out: T z, operation: z = x",
                   "reference: {values: {q: [[1, 2, 3], [4, 5, 6]]}}\n") ==
        "j.yaml:9:12: output 'z' of variant 'k' is not 'q', which the reference gives: give them "
        "one name, or leave out 'reference'");
}

TEST_CASE("Inputs that cannot be created are refused before a run") {
  const auto input = [](const std::string& text) {
    return test::message_of([&] {
      make_plan(
          parse_job("workload: inline\nparams: {dt: [float32, int8]}\ninputs:\n  a: {" + text +
                        "}\nvariants:\n  k: {kind: fuse, expression: a}\n",
                    "j.yaml"),
          [](const std::string&) -> WorkloadInfo { throw std::logic_error("no plugin is asked"); },
          100);
    });
  };
  CHECK(input("ones: [3], dtype: dt").empty());
  CHECK(input("ones: [3], dtype: double") ==
        "j.yaml:4:25: unknown dtype 'double' (did you mean 'float64'?)");
  CHECK(input("random: normal, shape: [3], std: -1") ==
        "j.yaml:4:3: input 'a': 'std' must not be negative: it is -1");
  CHECK(input("random: integers, shape: [3], low: 5, high: 5") ==
        "j.yaml:4:3: input 'a': 'low' must be below 'high', and both finite: they are 5 and 5");
  CHECK(input("values: [1, 2.5], dtype: int8") ==
        "j.yaml:4:3: input 'a': 2.5 is not an integer, which int8 requires");
}

TEST_CASE("`size` is also the shape of raw outputs") {
  CHECK_NOTHROW(
      plan_of("variants:\n  k: {kind: elementwise, in: raw T x, out: raw T z, operation: 'z[i] = "
              "x[i]', size: 6}\n"));
}

TEST_CASE("A job needs no inputs") {
  CHECK(test::message_of([] {
          make_plan(
              parse_job("workload: inline\ninputs: {}\nvariants:\n  k: {kind: elementwise, in: "
                        "'', out: float32 z, operation: z = 1, size: 4}\n",
                        "j.yaml"),
              [](const std::string&) -> WorkloadInfo {
                throw std::logic_error("no plugin is asked");
              },
              100);
        }).empty());
}

TEST_CASE("Grids, blocks and axes must be within a device's limits") {
  const std::string raw =
      "kind: raw, source: 'extern \"C\" __global__ void f(float* w) {}', entry: f, args: [w], ";
  const std::string w = "outputs: {w: {shape: [2], dtype: float32}}\n";
  CHECK(refusal_of(raw + "grid: [0], block: 1", w)
            .ends_with("'grid' has 0: each must be from 1 to 2147483647"));
  CHECK(refusal_of(raw + "grid: [1, 1, 1, 1], block: 1", w)
            .ends_with("'grid' needs one to three numbers, not 4"));
  CHECK(refusal_of(raw + "grid: 'x.siz', block: 1", w).find("unknown name 'x.siz'") !=
        std::string::npos);
}

TEST_CASE("A reference must be unambiguous and fit") {
  const std::string fuse = "kind: fuse, expression: x + 1";
  CHECK(refusal_of(fuse, "reference: {values: {out: [1]}}\n") ==
        "j.yaml:9:12: output 'out' of variant 'k' has shape (2, 3), the reference (1,)");
  CHECK(refusal_of(fuse, "reference: {variant: q}\n") ==
        "j.yaml:9:22: there is no variant 'q' (did you mean 'k'?)");
  CHECK(refusal_of(fuse, "reference: {values: {out: [1]}, variant: k}\n") ==
        "j.yaml:9:12: 'reference' needs exactly one of values, file, variant, cpp");
  CHECK(refusal_of(fuse, "reference: {cpp: 'q[0] = 1;'}\n") ==
        "j.yaml:9:12: the C++ of 'reference' names none of the outputs");
  CHECK(refusal_of(fuse, "reference: {file: nowhere.npy}\n")
            .ends_with("there is no file 'nowhere.npy'"));
  const test::TemporaryFolder folder;
  std::ofstream(folder / "cut.npy") << "\x93NUMPY";
  CHECK(refusal_of(fuse, "reference: {file: " + (folder / "cut.npy").string() + "}\n")
            .ends_with("cut.npy' is not a .npy file"));
}

TEST_CASE("Every axis of params is a parameter, and part of expressions") {
  const Plan plan = plan_of(
      "params: {n: [3, 5], dtype: float32}\n"
      "variants: {k: {kind: jit, source: 'template <class W> __global__ void f(W w) {}', entry: f, "
      "grid: ceil(n / 2), block: 'x.shape[0] * 32', args: [w]}}\n"
      "outputs: {w: {shape: [n], dtype: int32}}\n");
  CHECK(plan.cases.size() == 2);
  CHECK(plan.workloads[0].info.parameters[0].type == ParameterType::kInteger);
  CHECK(plan.workloads[0].info.parameters[1].type == ParameterType::kText);
}

TEST_CASE("A number with an exponent is an integer if it is whole") {
  const auto ids = [](const std::string& values) {
    const Plan plan =
        plan_of("params: {a: " + values + "}\nvariants: {k: {kind: fuse, expression: x * a}}\n");
    std::vector<std::string> all;
    for (const PlannedCase& planned : plan.cases) all.push_back(planned.case_id);
    return all;
  };
  CHECK(ids("1e5") == ids("100000"));
  CHECK(ids("[1e5, 7]") == ids("[100000, 7]"));
  CHECK(ids("1.0e5") == ids("100000.0"));
  CHECK(ids("1.0e5") != ids("100000"));
  CHECK(ids("[1e5, 0.5]") == ids("[100000.0, 0.5]"));
}

TEST_CASE("A kernel's name may contain parameters") {
  const std::string job =
      "params: {n: 4, dtype: [float32, complex64, float16]}\n"
      "outputs: {w: {shape: [n], dtype: dtype}}\n"
      "variants: {k: {kind: raw, source: 'template <class T, int N> __global__ void f(const float* "
      "x, "
      "T* w) {}', grid: 1, args: [x, w], ";
  CHECK_NOTHROW(plan_of(job + "entry: 'f<{dtype}, {n}>'}}\n"));
  CHECK_THAT(refusal(job + "entry: 'f<{dtyp}, 4>'}}\n"),
             Contains("'{dtyp}' is no parameter (did you mean 'dtype'?)"));
  const std::string names = "entry: 'f<{dtype}, {n}>', name_expressions: ";
  CHECK_NOTHROW(plan_of(job + names + "['f<{dtype}, 4>']}}\n"));
  CHECK_THAT(refusal(job + names + "['f<double, 4>']}}\n"),
             Contains("'entry: f<float, 4>' is not among 'name_expressions'"));
}

TEST_CASE("A case's identity depends on its outputs, not on its kernels' text") {
  const auto id = [](const std::string& kernels) {
    return plan_of("variants: {" + kernels + "}\n").cases[0].case_id;
  };
  const std::string one = "k: {kind: fuse, expression: x + 1}";
  CHECK(id(one) == id("k: {kind: fuse, expression: x + 2}"));
  CHECK(id(one) == id(one + ", more: {kind: fuse, expression: x + 3}"));
  CHECK(id(one) !=
        plan_of("outputs: {out: {shape: [1]}}\nvariants: {" + one + "}\n").cases[0].case_id);
}

TEST_CASE("Entries with equal declarations are different cases if their kernels differ") {
  const auto ids = [](const std::string& first, const std::string& second) {
    const auto entry = [](const std::string& expression) {
      return "  - workload: inline\n    inputs: {x: {arange: 4}}\n    variants: {k: {kind: fuse, "
             "expression: " +
             expression + "}}\n";
    };
    const JobSpec job = parse_job("workloads:\n" + entry(first) + entry(second), "jobs/x.yaml");
    const Plan plan = make_plan(
        job, [](const std::string&) -> WorkloadInfo { throw std::logic_error("no plugin"); }, 100);
    std::vector<std::string> all;
    for (const PlannedCase& each : plan.cases) all.push_back(each.case_id);
    return all;
  };
  const std::vector<std::string> other = ids("x + 1", "x + 2");
  REQUIRE(other.size() == 2);
  CHECK(other[0] != other[1]);
  // Equal in everything: one case, which is run once.
  CHECK(ids("x + 1", "x + 1").size() == 1);
}

TEST_CASE("The resolved job has the same plan") {
  const std::string text =
      "outputs: {w: {shape: [2, 3], dtype: float32, fill: 0}}\n"
      "variants:\n"
      "  k: {kind: fuse, expression: x + 1}\n"
      "  r: {kind: raw, source: \"a\\n  b: c # d\\n\", entry: f, grid: [1], block: [2], args: "
      "[w]}\n"
      "reference: none\n";
  const JobSpec job = parse_job(kInputs + text, "j.yaml");
  const Plan plan = plan_of(text);
  const JobSpec again = parse_job(to_yaml(resolved(job, plan)), "j.yaml");
  CHECK(make_plan(again, nullptr, 100).cases[0].case_id == plan.cases[0].case_id);
}

}  // namespace
}  // namespace kernelbatch

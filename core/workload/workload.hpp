// Workload: one computation in several styles. Plugins implement it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/array/array.hpp"
#include "core/array/compare.hpp"
#include "core/array/matrix_market.hpp"
#include "core/array/number.hpp"
#include "core/array/random.hpp"
#include "core/base/variant_kind.hpp"
#include "core/workload/abi.h"
#include "core/workload/params.hpp"
#include "core/workload/run.hpp"
#include "kernelbatch/build_tag.hpp"

namespace kernelbatch {

/// Minimum work of the computation in any style: each input element read once, each output element
/// written once, and the arithmetic of the definition.
struct Cost {
  double bytes_read = 0;     ///< byte
  double bytes_written = 0;  ///< byte
  double flops = 0;  ///< floating-point (or, if the workload declares so, integer) operations
};

/// One output of a problem.
struct OutputArray {
  std::string name;
  DType dtype = DType::kFloat64;
  Shape shape = {};
  std::vector<std::string> dimensions = {};  ///< a name per axis
  std::string units = "1";                   ///< UDUNITS
  std::string help = {};
  Tolerance tolerance = {};
  /// The initial contents of the memory; nothing = a sentinel that reveals unwritten elements.
  std::optional<Number> fill = {};
  Array initial = {};  ///< the same, element by element: a contiguous host array of this form
  /// Name of the reference's output that this one is compared with; empty = its own name.
  std::string compared_with = {};
  bool has_reference = true;  ///< false: stored without being verified, which is reported
};

/// The output of that name. Throws std::logic_error with the existing names: an error of the
/// workload.
const OutputArray& output_named(const std::vector<OutputArray>& outputs, std::string_view name);

/// Inputs and expected outputs of one case. Created once per case, used by every variant.
class Problem {
 public:
  virtual ~Problem();
  virtual std::vector<OutputArray> outputs() const = 0;
  virtual Cost cost() const = 0;
  /// For variants that differ in their outputs or memory traffic. The same for all variants unless
  /// overridden.
  virtual std::vector<OutputArray> outputs_of(std::string_view variant) const;
  virtual Cost cost_of(std::string_view variant) const;
  /// True if the reference computes from the inputs; false if its outputs are given.
  virtual bool reference_follows_inputs() const;
};

struct VariantDeclaration {
  std::string name;
  VariantKind kind = VariantKind::kRaw;
  std::string help;
  /// Copies inputs, creates kernels, and returns the work; the preparation itself is not timed.
  std::function<Work(const Problem& problem, Run& run)> prepare = {};
};

/// A variant of a workload whose problems are of type `P`.
template <class P>
VariantDeclaration variant(std::string name, VariantKind kind, std::string help,
                           Work (*prepare)(const P& in, Run& run)) {
  return {std::move(name), kind, std::move(help), [prepare](const Problem& problem, Run& run) {
            return prepare(static_cast<const P&>(problem), run);
          }};
}

/// An input that a job may give. If `extents` is not empty, an array of another form is refused
/// before anything runs.
struct InputDeclaration {
  std::string name;
  std::string help;
  /// The shape: names of integer parameters, or numbers; empty: known only from the data.
  std::vector<std::string> extents = {};
  std::string dtype = {};  ///< its name; empty: that of the parameter `dtype`
};
/// "shape (rows, cols)", "float32, shape (1, cols)"; empty if there are no extents.
std::string form_text(const InputDeclaration& input);

/// Declaration of a workload, available without running it.
struct WorkloadInfo {
  std::string name;
  std::string version;  ///< part of every case's identity: change it with the computation
  std::string summary;  ///< one line
  std::vector<ParameterDeclaration> parameters;
  std::vector<InputDeclaration> inputs;
  std::vector<std::pair<std::string, std::string>> outputs;  ///< name, one line
  std::vector<VariantDeclaration> variants = {};             ///< `reference` among them
};

/// Inputs given by the job; the workload creates all others itself.
class Inputs {
 public:
  virtual ~Inputs();
  /// The job's host array of that name, else the result of `make`.
  virtual Array take(std::string_view name, const std::function<Array()>& make) = 0;
  /// The job's sparse matrix of that name (a Matrix Market file), else the result of `make`.
  virtual CsrMatrix take_sparse(std::string_view name, const std::function<CsrMatrix()>& make) = 0;
  /// A file installed with kernelbatch: "inputs/dem.npy" in its data folder. Throws SpecError if it
  /// does not exist.
  virtual std::string data_file(std::string_view name) const = 0;
  /// Draws the random inputs that the workload creates itself, outside of take_uniform() and
  /// take_normal().
  virtual RandomSource& random() = 0;
};

class Workload {
 public:
  virtual ~Workload();
  virtual const WorkloadInfo& info() const = 0;
  /// Minimum device memory of a case in bytes, from only its parameters; 0 = unknown. Called before
  /// anything is allocated.
  virtual double device_bytes(const Params& params) const;
  /// Creates or takes the inputs. Throws SpecError for parameters or inputs that do not fit
  /// together.
  virtual std::unique_ptr<Problem> make_problem(const Params& params, Inputs& inputs) const = 0;
};

}  // namespace kernelbatch

/// Exactly once in the sources of a plugin: exports the workload `Class` under the name
/// `workload_name`.
#define KERNELBATCH_PLUGIN(Class, workload_name)                                           \
  extern "C" __attribute__((visibility("default"))) const kernelbatch_plugin*              \
  kernelbatch_plugin_v1() {                                                                \
    static constexpr kernelbatch_plugin kPlugin{                                           \
        KERNELBATCH_PLUGIN_MAGIC,                                                          \
        KERNELBATCH_PLUGIN_ABI,                                                            \
        sizeof(kernelbatch_plugin),                                                        \
        0,                                                                                 \
        KERNELBATCH_BUILD_TAG,                                                             \
        workload_name,                                                                     \
        []() -> void* {                                                                    \
          return static_cast<kernelbatch::Workload*>(std::make_unique<Class>().release()); \
        }};                                                                                \
    return &kPlugin;                                                                       \
  }                                                                                        \
  static_assert(true)

// Workload: one computation in several styles. What a plugin implements.
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
#include "core/base/variant_kind.hpp"
#include "core/workload/abi.h"
#include "core/workload/params.hpp"
#include "core/workload/run.hpp"
#include "kernelbatch/build_tag.hpp"

namespace kernelbatch {

/// Least work that the computation needs, whatever the style: each input element read once, each
/// output element written once, and the arithmetic of the definition.
struct Cost {
  double bytes_read = 0;     ///< byte
  double bytes_written = 0;  ///< byte
  double flops = 0;  ///< floating-point (or, where the workload says so, integer) operations
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
  /// What the memory holds before the work; nothing = a pattern that shows what is never written.
  std::optional<Number> fill = {};
  Array initial = {};  ///< the same, element by element: a contiguous host array of this form
  /// Name of the reference's output that this one is compared with; empty = its own name.
  std::string compared_with = {};
  bool has_reference = true;  ///< false: stored without being verified, and said so
};

/// The output of that name. Throws std::logic_error with the names that there are: a slip of the
/// workload.
const OutputArray& output_named(const std::vector<OutputArray>& outputs, std::string_view name);

/// Inputs of one case and what is to come out. Made once per case, used by every variant.
class Problem {
 public:
  virtual ~Problem();
  virtual std::vector<OutputArray> outputs() const = 0;
  virtual Cost cost() const = 0;
  /// Where variants differ in what they give or move. The same for all unless overridden.
  virtual std::vector<OutputArray> outputs_of(std::string_view variant) const;
  virtual Cost cost_of(std::string_view variant) const;
  /// Whether the reference computes from the inputs; false: its outputs are given.
  virtual bool reference_follows_inputs() const;
};

struct VariantDeclaration {
  std::string name;
  VariantKind kind = VariantKind::kRaw;
  std::string help;
  /// Copies inputs, makes kernels, and returns the work: nothing that it does itself is timed.
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

/// An input that a job may give. Where `extents` stand, a job's array of another form is refused
/// before anything runs.
struct InputDeclaration {
  std::string name;
  std::string help;
  /// The shape: names of integer parameters, or numbers; none: known with the data alone.
  std::vector<std::string> extents = {};
  std::string dtype = {};  ///< its name; empty: what the parameter `dtype` says
};
/// "shape (rows, cols)", "float32, shape (1, cols)"; empty where there are no extents.
std::string form_text(const InputDeclaration& input);

/// What is known of a workload without running it.
struct WorkloadInfo {
  std::string name;
  std::string version;  ///< part of every case's identity: change it with the computation
  std::string summary;  ///< one line
  std::vector<ParameterDeclaration> parameters;
  std::vector<InputDeclaration> inputs;
  std::vector<std::pair<std::string, std::string>> outputs;  ///< name, one line
  std::vector<VariantDeclaration> variants = {};             ///< `reference` among them
};

/// Inputs that the job gives; what it does not give the workload makes itself.
class Inputs {
 public:
  virtual ~Inputs();
  /// The job's host array of that name, else what `make` returns.
  virtual Array take(std::string_view name, const std::function<Array()>& make) = 0;
  /// The job's sparse matrix of that name (a Matrix Market file), else what `make` returns.
  virtual CsrMatrix take_sparse(std::string_view name, const std::function<CsrMatrix()>& make) = 0;
  /// A file that came with kernelbatch: "inputs/dem.npy" of its data folder. Throws SpecError where
  /// it is not there.
  virtual std::string data_file(std::string_view name) const = 0;
};

class Workload {
 public:
  virtual ~Workload();
  virtual const WorkloadInfo& info() const = 0;
  /// Bytes on the device that a case needs at least, from its parameters alone; 0 = unknown. Asked
  /// before anything is allocated.
  virtual double device_bytes(const Params& params) const;
  /// Makes or takes the inputs. Throws SpecError for parameters or inputs that do not fit together.
  virtual std::unique_ptr<Problem> make_problem(const Params& params, Inputs& inputs) const = 0;
};

}  // namespace kernelbatch

/// In exactly one source of a plugin: exports the workload `Class`, whose name is `workload_name`.
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

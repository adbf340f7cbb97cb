// JobSpec: a job as plain data, with the place in the file of every value that may be checked
// later.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/check_kind.hpp"
#include "core/base/value.hpp"
#include "core/job/choices.hpp"
#include "core/job/yaml_node.hpp"
#include "core/search/strategy_name.hpp"

namespace kernelbatch {

/// A scalar as written; its type follows from the workload's declaration. A list (of an input's
/// shape, for example) is kept as the YAML text `[2, 5]`, which parse_yaml() reads; no plain scalar
/// begins with `[`.
struct Scalar {
  std::string text;
  SourcePlace place;
  bool quoted = false;

  bool operator==(const Scalar&) const = default;
};

/// One parameter with its values, in order. One value = a constant.
struct Axis {
  std::string name;
  std::vector<Scalar> values;
  SourcePlace place;

  bool operator==(const Axis&) const = default;
};

/// One entry of `inputs:`. `value` is that of the key that names the source; the options are its
/// other keys, as written.
struct InputSpec {
  std::string name;
  InputKind kind = InputKind::kScalar;
  Scalar value;
  std::vector<std::pair<std::string, Scalar>> options;
  SourcePlace place;

  bool operator==(const InputSpec&) const = default;
};

/// Expected outputs in a file instead of a reference variant: a path and, for HDF5, the dataset in
/// it.
struct ReferenceFile {
  Scalar file;
  Scalar dataset;

  bool operator==(const ReferenceFile&) const = default;
};

/// Comparison of one output; missing members are the workload's own.
struct ToleranceSpec {
  std::optional<CompareMode> mode;
  std::optional<double> rtol, atol, max_ulp;
  SourcePlace place;

  bool operator==(const ToleranceSpec&) const = default;
};

struct VerifySpec {
  Scalar reference;  ///< a variant; empty text = `reference`
  std::optional<ReferenceFile> reference_file;
  ToleranceSpec tolerance;
  std::vector<std::pair<std::string, ToleranceSpec>> outputs;
  int repeat = 1;  ///< verified calls before anything is timed
  int input_sets = 2;
  Determinism determinism = Determinism::kAny;
  OnFail on_fail = OnFail::kRecord;
  CheckKinds sanitize;  ///< checks of kernels before timing

  bool operator==(const VerifySpec&) const = default;
};

struct MeasureSpec {
  Preset preset = Preset::kStandard;
  int warmup = 3;
  bool flush_l2 = true;
  bool hot = true;
  double noise = 0.005;  ///< relative
  int min_samples = 10;
  int max_samples = 10000;
  double timeout_s = 15;
  bool interleave = true;
  int processes = 3;  ///< processes that time a case, one after another
  bool calibrate = true;
  bool telemetry = true;
  bool times = true;  ///< false: variants are only verified
  EnergyChoice energy = EnergyChoice::kOff;
  EvidenceChoice counters = EvidenceChoice::kAuto;
  EvidenceChoice twins = EvidenceChoice::kAuto;

  bool operator==(const MeasureSpec&) const = default;
};

struct LimitsSpec {
  Isolate isolate = Isolate::kNone;
  double timeout_s = 120;  ///< of one variant, including compilation
  int retries = 1;         ///< of crashes
  double stop_before_job_end_s = 90;
  std::string memory = "80%";  ///< share of the device's memory, or a size
  int sms = 0;                 ///< SMs of the GPU to use; 0: all

  bool operator==(const LimitsSpec&) const = default;
};

struct OutputSpec {
  std::string file = "results/{name}.h5";
  KeptArrays arrays = KeptArrays::kAll;
  int compress = 4;
  bool history = false;  ///< a file for each run (run/kept_runs.hpp)

  bool operator==(const OutputSpec&) const = default;
};

struct SlurmSpec {
  std::vector<std::pair<std::string, Scalar>> values;  ///< as written
  std::vector<Scalar> extra;
  /// Settings of the job that merges; empty: the last task of the array does.
  std::vector<SlurmSpec> merge_job = {};

  bool operator==(const SlurmSpec&) const = default;
};

/// One kernel of `workload: inline`: its kind and its keys as written, which are valid for the
/// kind. A variant of several kernels has them as its steps.
struct InlineVariant {
  std::string name;
  VariantKind kind = VariantKind::kRaw;
  YamlNode options;  ///< a mapping, `kind` left out
  SourcePlace place;
  std::vector<InlineVariant> steps = {};

  /// The steps, or the variant itself.
  std::span<const InlineVariant> kernels() const noexcept {
    return steps.empty() ? std::span(this, 1) : std::span(steps);
  }

  bool operator==(const InlineVariant&) const = default;
};

/// Kernels in the job itself.
struct InlineSpec {
  std::vector<InlineVariant> variants;
  std::vector<std::pair<std::string, YamlNode>> outputs;  ///< buffers: name, a mapping
  YamlNode reference;  ///< null: none; else a mapping of `values`, `file`, `variant` or `cpp`

  bool operator==(const InlineSpec&) const = default;
};

/// Budget of a search: a number of tries, or a time.
struct TuneBudget {
  int tries = 0;       ///< 0: any number
  double seconds = 0;  ///< 0: any time

  bool operator==(const TuneBudget&) const = default;
};

/// `tune:` — parameters to tune. Without a budget they are axes like any other, and every
/// combination is tried. With one, each variant is searched separately, for each combination of the
/// other parameters.
struct TuneSpec {
  std::vector<Scalar> params;  ///< names
  SearchStrategy search = SearchStrategy::kAuto;
  std::optional<TuneBudget> budget;  ///< of each search
  bool racing = true;                ///< drop slow combinations after their first sample
  Scalar start_from;  ///< result file whose best combinations are tried first; empty text: none
  int seed = 1;

  /// True if the next try depends on earlier ones.
  bool is_searched() const noexcept { return budget.has_value(); }

  bool operator==(const TuneSpec&) const = default;
};

/// One workload of a job with its parameters.
struct WorkloadSpec {
  Scalar workload;
  std::vector<Axis> params;
  std::optional<TuneSpec> tune;
  std::vector<std::vector<Scalar>> zip;
  std::vector<Scalar> exclude;
  std::vector<Scalar> variants;  ///< empty = all
  Scalar baseline;               ///< empty text = `reference`
  std::vector<InputSpec> inputs;
  VerifySpec verify;
  std::optional<InlineSpec> kernels;  ///< of `workload: inline`
  SourcePlace place;

  bool operator==(const WorkloadSpec&) const = default;
};

/// Changes of a job from the command line.
struct Overrides {
  std::vector<std::string> params;    ///< of `-p`: "n=1e6,1e7", "n=[1, 2]", "n={pow2: [4, 8]}"
  std::vector<std::string> settings;  ///< of `-s`: "measure.preset=quick", "verify.repeat=3"

  bool operator==(const Overrides&) const = default;
};

/// A whole job. `workload:` at the top level becomes one entry of `workloads`; a list `workloads:`
/// gives several, each inheriting missing keys from the top level.
struct JobSpec {
  std::string name;
  std::vector<WorkloadSpec> workloads;
  Scalar device{"auto", {}, false};
  Checks sanitize;  ///< checks that replace timing; empty: none, all is timed
  MeasureSpec measure;
  LimitsSpec limits;
  OutputSpec output;
  SlurmSpec slurm;

  std::filesystem::path path;  ///< of the file; relative inputs are searched in its folder
  std::string source;          ///< the file's text
  Overrides overrides;

  bool operator==(const JobSpec&) const = default;
};

}  // namespace kernelbatch

#include "core/job/keys/settings.hpp"

#include <fmt/format.h>

#include "core/base/quantity.hpp"
#include "core/job/keys/sanitize_key.hpp"

namespace kernelbatch {
namespace {

using enum Rule::Kind;
using M = MeasureSpec;
using L = LimitsSpec;
using V = VerifySpec;

constexpr Field<M> kCold[] = {
    field<&M::flush_l2>("flush_l2", "write and read twice the L2 cache before each cold sample")};

constexpr Field<M> kStop[] = {
    field<&M::noise>("noise", Rule::of(kFraction),
                     "until the 95 % interval of the median is narrower than this (relative), or "
                     "the samples scatter by less than half of it, within the limits below"),
    field<&M::min_samples>("min_samples", Rule::count(1), "minimum number of samples"),
    field<&M::max_samples>("max_samples", Rule::count(1), "maximum number of samples"),
    field<&M::timeout_s>("timeout", Rule::of(kSeconds), "time limit")};

void check_stop(const M& measure, const YamlNode& node) {
  if (measure.min_samples > measure.max_samples)
    fail_at(node.place, fmt::format("'min_samples' ({}) is more than 'max_samples' ({})",
                                    measure.min_samples, measure.max_samples));
}

constexpr Field<M> kMeasure[] = {
    field<&M::preset>("preset", "defaults of the other keys: `quick`, `standard`, `paper`"),
    field<&M::warmup>("warmup", Rule::count(0), "calls before the first sample"),
    group("cold", kCold, "samples with an empty cache"),
    field<&M::hot>("hot", "also time calls back to back (GPU)"),
    group("stop", kStop, "when there are enough samples").checked(check_stop),
    field<&M::interleave>("interleave",
                          "sample the variants of a case alternately, so that drift affects all "
                          "equally; variants that do not fit into memory with the others are timed "
                          "after them. The CPU's reference is timed separately"),
    field<&M::processes>(
        "processes", Rule::count(1, 100),
        "number of worker processes that time a case, one after another, each in its part of "
        "`stop.timeout`. Their differences widen the interval, which is for the median of another "
        "run. 1 in `quick`, 3 in `standard`, 5 in `paper`"),
    field<&M::calibrate>(
        "calibrate",
        "first measure the device's noise and its ceilings, which takes some seconds; without them "
        "there are no shares of a ceiling, and `compare` does not report SAME"),
    field<&M::telemetry>("telemetry",
                         "record clocks, power, temperature; samples taken while the device "
                         "throttles are dropped and counted"),
    // Omitted if true, so that results of earlier versions count as results of the same settings.
    field<&M::times>("times", "`false`: only verify the variants")
        .written([](const M& measure, const Key&) {
          return measure.times ? YamlNode{} : scalar_node("false");
        }),
    field<&M::energy>("energy",
                      "`on`: also measure the energy of one call of each variant, back to back for "
                      "5 s between two edges of the GPU's counter, 11 s in total; for a slice it "
                      "is the whole GPU's"),
    field<&M::counters>(
        "counters",
        "`auto`: after the last sample, read the GPU's hardware counters in at most 20 more calls "
        "of each variant, for `kernelbatch explain`; if that is not permitted, a note states the "
        "required setting. `off`: do not; also in the preset `quick`"),
    field<&M::twins>(
        "twins",
        "`auto`: after the last sample, time each variant with half of the occupancy, half of the "
        "blocks, without arithmetic or without loads, if its kernels allow it, in at most 30 % of "
        "the time of its samples; for `kernelbatch explain`. `off`: do not; also in the preset "
        "`quick`")};

void check_memory(const L& limits, const YamlNode& node) {
  with_place(node.place, "memory", [&] {
    if (limits.memory.ends_with('%'))
      parse_fraction(limits.memory);
    else
      parse_bytes(limits.memory);
  });
}

constexpr std::string_view kMemorySchema = R"({
  "type": ["string", "integer"],
  "pattern": "^\\+?[0-9._]+([eE][-+]?[0-9]+)?(\\^[0-9]+)?\\s*(%|(Ki|Mi|Gi|Ti|k|K|M|G|T)?B?)$"
})";

constexpr Field<L> kLimits[] = {
    field<&L::isolate>("isolate",
                       "a fresh process for each `case` or each `variant`: leftovers (a leak, a "
                       "library's state) do not affect the next one, at the cost of a start each, "
                       "and isolated variants are not interleaved. `none`: one process runs all "
                       "while it is healthy. A crash costs only the running variant"),
    field<&L::timeout_s>("timeout", Rule::of(kSeconds),
                         "time limit of a variant, including its compilation"),
    field<&L::retries>("retries", Rule::count(0, 100), "retries of a crashed variant"),
    field<&L::stop_before_job_end_s>(
        "stop_before_job_end", Rule::of(kSeconds),
        "inside a Slurm job: time before its limit at which the run stops with status 75 (or after "
        "half of the remaining time, if that is later)"),
    field<&L::memory>(
        "memory", Rule::json(kMemorySchema),
        "of the device: a share or a size, `9GiB`. Variants made of elementwise and reduction "
        "kernels process larger arrays in chunks (copied on two streams while the kernels run; the "
        "time includes the copies, as recorded in the result's notes); others are recorded as "
        "`out_of_memory`")
        .checked(check_memory),
    field<&L::sms>("sms", Rule::count(0, 1024),
                   "use only this number of SMs of a GPU, rounded up to what it can separate (8 on "
                   "Hopper), as `kernelbatch slice` does; memory bandwidth and L2 cache stay those "
                   "of the whole GPU. 0: all")};

constexpr Field<OutputSpec> kOutput[] = {
    field<&OutputSpec::file>("file", Rule::of(kText), "result file; `{name}` is the job's name"),
    field<&OutputSpec::arrays>(
        "arrays", "stored outputs: `all` (above 256 MiB a sample), `failing`, `sample`, `none`"),
    field<&OutputSpec::compress>("compress", Rule::count(0, 9), "0 (no compression) to 9"),
    field<&OutputSpec::history>(
        "history",
        "`true`: keep every run, as `results/{name}/TIME-COMMIT.h5`; `file` is then the last "
        "finished one. `kernelbatch history results/{name}` shows them over time")};

using T = ToleranceSpec;
constexpr Field<T> kTolerance[] = {
    field<&T::mode>("mode", "mode of the comparison"),
    field<&T::rtol>("rtol", Rule::of(kMagnitude), "of `allclose`: relative to the reference"),
    field<&T::atol>("atol", Rule::of(kMagnitude), "of `allclose`: absolute"),
    field<&T::max_ulp>("max_ulp", Rule::of(kMagnitude), "of `ulp`: maximum distance in ULP")};

constexpr Field<ReferenceFile> kReferenceFile[] = {
    field<&ReferenceFile::file>("file", Rule::of(kText), "a file of expected outputs").required(),
    field<&ReferenceFile::dataset>(
        "dataset", Rule::of(kText),
        "of HDF5: the path of the data set, whose name is the output's")};

Field<V> sanitize_field() {
  Field<V> row{
      {"sanitize", checks_rule(false),
       "`true`, or a list of `memory`, `race`, `init`, `sync`: each variant's kernels first "
       "run once on the host device under these checks; one with a finding is `unsafe` and "
       "is not timed",
       "false"}};
  row.read = [](V& verify, const YamlNode& node, const Key& key) {
    verify.sanitize = read_check_kinds(node, key.name);
  };
  row.write = [](const V& verify, const Key&) { return checks_node({.kinds = verify.sanitize}); };
  return row;
}

/// A variant's name, or a mapping with a file.
Field<V> reference_field() {
  Field<V> row{{"reference", Rule::json(R"({
                  "if": {"type": "object"},
                  "then": {"$ref": "#/definitions/reference_file"},
                  "else": {"$ref": "#/definitions/text"}
                })"),
                "the reference variant, or `{file: out.h5, dataset: /z}`: the output of that name; "
                "outputs missing in the file are stored unverified",
                "reference"}};
  row.read = [](V& verify, const YamlNode& node, const Key& key) {
    if (!node.is_mapping()) {
      verify.reference = {read_text(node, key.name), node.place, false};
      return;
    }
    ReferenceFile file;
    read_fields(file, node, key.name, fields<ReferenceFile>());
    verify.reference_file = std::move(file);
  };
  row.write = [](const V& verify, const Key&) {
    return verify.reference_file ? write_fields(*verify.reference_file, fields<ReferenceFile>())
                                 : scalar_node(verify.reference);
  };
  return row;
}

const std::vector<Field<V>>& verify_fields() {
  static const std::vector<Field<V>> table{
      reference_field(),
      field<&V::tolerance>("tolerance", Rule::json(R"({"$ref": "#/definitions/tolerance"})"),
                           "`{mode: exact}`, `{mode: ulp, max_ulp: 4}`, `{rtol: 1e-6, atol: 0}`, "
                           "`{mode: reduction}`; without it the workload's own"),
      field<&V::outputs>("outputs", Rule::json(R"({
                           "type": "object",
                           "minProperties": 1,
                           "additionalProperties": {"$ref": "#/definitions/tolerance"}
                         })"),
                         "a tolerance for each output by name"),
      field<&V::repeat>("repeat", Rule::count(1),
                        "number of calls that are compared with the reference, and bit for bit "
                        "with the first, before timing"),
      field<&V::input_sets>(
          "input_sets", Rule::count(1, 16),
          "2: a second set of inputs replaces the first between samples; it has its own reference. "
          "Random inputs get a seed drawn at run time, those of files and `arange` another order. "
          "Above 2: each variant is also prepared and verified on further sets"),
      field<&V::determinism>("determinism",
                             "`required`: calls with different bits are a failure, even if all of "
                             "them are within the tolerance"),
      field<&V::on_fail>("on_fail",
                         "after a wrong result: `record` it and continue, `stop-case` skips the "
                         "case's other variants, `stop-job` ends the job"),
      sanitize_field()};
  return table;
}

const std::vector<Field<TuneSpec>>& tune_fields() {
  static const std::vector<Field<TuneSpec>> table = [] {
    Field<TuneSpec> params{
        {"params",
         Rule::json(
             R"({"anyOf": [{"$ref": "#/definitions/params"}, {"$ref": "#/definitions/texts"}]})"),
         "searched parameters: further ones with their values, `{block: [64, 128, 256]}`, or names "
         "of some in `params`"}};
    params.is_required = true;
    params.write = [](const TuneSpec& tune, const Key&) {
      return tune.params.empty() ? YamlNode{} : list_node(tune.params);
    };
    params.read = [](TuneSpec&, const YamlNode&, const Key&) {};
    return std::vector<Field<TuneSpec>>{
        params,
        field<&TuneSpec::search>(
            "search",
            "strategy: `auto` uses a model of all times so far, `local` descends to neighbours, "
            "`genetic`, `annealing`, `random`, each with a `budget`; "
            "`exhaustive`, or `auto` without a budget: every combination"),
        field<&TuneSpec::budget>(
            "budget",
            Rule::json(
                R"({"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string", "pattern": "^[0-9]"}]})"),
            "limit of each search, one for each variant and combination of the other parameters: "
            "tries, `200`, or time, `10min`"),
        field<&TuneSpec::racing>("racing",
                                 "drop a combination (`dropped`) if its first sample is slower "
                                 "than the best one's interval allows"),
        field<&TuneSpec::start_from>("start_from", Rule::of(kText),
                                     "a result file: its best combinations of the same variant, "
                                     "for any size or GPU, are tried first"),
        field<&TuneSpec::seed>("seed", Rule::count(0, 1'000'000'000), "seed of the search")};
  }();
  return table;
}

}  // namespace

template <>
std::span<const Field<M>> fields<M>() {
  return kMeasure;
}
template <>
std::span<const Field<L>> fields<L>() {
  return kLimits;
}
template <>
std::span<const Field<OutputSpec>> fields<OutputSpec>() {
  return kOutput;
}
template <>
std::span<const Field<V>> fields<V>() {
  return verify_fields();
}
template <>
std::span<const Field<T>> fields<T>() {
  return kTolerance;
}
template <>
std::span<const Field<ReferenceFile>> fields<ReferenceFile>() {
  return kReferenceFile;
}
template <>
std::span<const Field<TuneSpec>> fields<TuneSpec>() {
  return tune_fields();
}

}  // namespace kernelbatch

// A workload y = mix(x) with two variants: an honest one, and one that cheats.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/kernel/raw/kernel.hpp"
#include "core/workload/workload.hpp"

namespace cheats {

using kernelbatch::Array;
using kernelbatch::Copy;
using kernelbatch::Device;
using kernelbatch::DType;
using kernelbatch::Run;
using kernelbatch::Stream;
using kernelbatch::Work;

struct Mixing final : kernelbatch::Problem {
  Array x;
  std::int64_t n() const { return x.size(); }
  std::vector<kernelbatch::OutputArray> outputs() const override;
  kernelbatch::Cost cost() const override;
};

/// The function to compute, on the CPU.
std::uint32_t mix(std::uint32_t value) noexcept;
std::vector<std::uint32_t> mix(const std::uint32_t* values, std::size_t count);

/// The correct kernel, for a range of elements.
class MixRange {
 public:
  MixRange();
  void operator()(Stream& stream, const Array& x, const Array& y, std::int64_t begin,
                  std::int64_t end) const;

 private:
  kernelbatch::RawKernel kernel_;
};

/// Does the second half of a call's work on request of a cheat's thread. `stream`: a separate
/// stream.
class SecondHalf {
 public:
  SecondHalf(Array x, Array y, std::int64_t n, std::unique_ptr<Stream> stream);
  void finish();

 private:
  Array x_, y_;
  std::int64_t n_;
  std::unique_ptr<Stream> stream_;
  MixRange kernel_;
};

Work honest(const Mixing& in, Run& run);

/// Some elements of an array on any device: waits for the stream.
std::vector<std::uint32_t> read(const Array& from, std::size_t count, Stream& stream);
/// Queues a copy between arrays of one device.
void queue_copy(const Array& from, const Array& to, Stream& stream);
bool is_on_host(const Array& array);

using Prepare = Work (*)(const Mixing& in, Run& run);
/// Called by the reference of some plugins.
using Before = void (*)();

class CheatWorkload : public kernelbatch::Workload {
 public:
  CheatWorkload(std::string name, Prepare cheat, Before before_reference = nullptr,
                Prepare twin = honest);
  const kernelbatch::WorkloadInfo& info() const override { return info_; }
  std::unique_ptr<kernelbatch::Problem> make_problem(const kernelbatch::Params& params,
                                                     kernelbatch::Inputs& inputs) const override;

 private:
  kernelbatch::WorkloadInfo info_;
};

}  // namespace cheats

/// The plugin `name`, whose variant `cheat` is prepared by a function.
#define CHEAT_PLUGIN(name, ...)                        \
  namespace {                                          \
  struct ThisCheat final : cheats::CheatWorkload {     \
    ThisCheat() : CheatWorkload(#name, __VA_ARGS__) {} \
  };                                                   \
  }                                                    \
  KERNELBATCH_PLUGIN(ThisCheat, #name)

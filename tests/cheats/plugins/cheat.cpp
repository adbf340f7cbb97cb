#include "tests/cheats/plugins/cheat.hpp"

#include <utility>

#include "core/workload/host_input.hpp"

namespace cheats {
namespace {

constexpr const char* kSource = R"(
extern "C" __global__ void mix_range(const unsigned* x, unsigned* y, long long begin, long long end) {
  const long long k = begin + (long long)blockDim.x * blockIdx.x + threadIdx.x;
  if (k >= end) return;
  unsigned v = x[k];
  for (unsigned r = 0; r < 32; ++r) v = (v ^ (v >> 15)) * 0x2c1b3c6du + r;
  y[k] = v;
}
)";

}  // namespace

std::vector<kernelbatch::OutputArray> Mixing::outputs() const {
  kernelbatch::Tolerance tolerance;
  tolerance.mode = kernelbatch::CompareMode::kExact;
  return {{.name = "y", .dtype = DType::kUInt32, .shape = {n()}, .tolerance = tolerance}};
}

kernelbatch::Cost Mixing::cost() const {
  const auto count = static_cast<double>(n());
  return {.bytes_read = 4 * count, .bytes_written = 4 * count, .flops = 0};
}

std::uint32_t mix(std::uint32_t value) noexcept {
  for (std::uint32_t r = 0; r < 32; ++r) value = (value ^ (value >> 15)) * 0x2c1b3c6du + r;
  return value;
}

std::vector<std::uint32_t> mix(const std::uint32_t* values, std::size_t count) {
  std::vector<std::uint32_t> mixed(count);
  for (std::size_t k = 0; k < count; ++k) mixed[k] = mix(values[k]);
  return mixed;
}

MixRange::MixRange() : kernel_(kSource, "mix_range", {.name = "mix_range"}) {}

void MixRange::operator()(Stream& stream, const Array& x, const Array& y, std::int64_t begin,
                          std::int64_t end) const {
  constexpr std::uint32_t kBlock = 128;
  const auto blocks = static_cast<std::uint32_t>((end - begin + kBlock - 1) / kBlock);
  kernel_(stream, {.grid = {blocks}, .block = {kBlock}}, x, y, static_cast<long long>(begin),
          static_cast<long long>(end));
}

SecondHalf::SecondHalf(Array x, Array y, std::int64_t n, std::unique_ptr<Stream> stream)
    : x_(std::move(x)), y_(std::move(y)), n_(n), stream_(std::move(stream)) {}

void SecondHalf::finish() {
  // The host device supports one thread at a time, so there the kernel is replaced by a loop.
  if (!is_on_host(y_)) return kernel_(*stream_, x_, y_, n_ / 2, n_);
  const auto* from = reinterpret_cast<const std::uint32_t*>(x_.data());
  auto* to = reinterpret_cast<std::uint32_t*>(y_.data());
  for (std::int64_t k = n_ / 2; k < n_; ++k) to[k] = mix(from[k]);
}

Work honest(const Mixing& in, Run& run) {
  return [x = run.to_device(in.x), y = run.output("y"), n = in.n(),
          kernel = MixRange()](Stream& stream) { kernel(stream, x, y, 0, n); };
}

std::vector<std::uint32_t> read(const Array& from, std::size_t count, Stream& stream) {
  std::vector<std::uint32_t> values(count);
  stream.device().copy(values.data(), from.data(), 4 * count, Copy::kToHost, stream);
  stream.synchronize();
  return values;
}

void queue_copy(const Array& from, const Array& to, Stream& stream) {
  stream.device().copy(to.data(), from.data(), to.bytes(), Copy::kOnDevice, stream);
}

bool is_on_host(const Array& array) {
  return array.device() == nullptr || array.device()->properties().shares_host_memory;
}

CheatWorkload::CheatWorkload(std::string name, Prepare cheat, Before before_reference, Prepare twin)
    : info_{.name = std::move(name),
            .version = "1",
            .summary = "an honest kernel and one that cheats",
            .parameters = {kernelbatch::integer_parameter("n", 16384, 128, 1e9, "elements")},
            .inputs = {{"x", "numbers to be mixed"}},
            .outputs = {{"y", "mixed numbers"}},
            .variants = {}} {
  using kernelbatch::Problem;
  using kernelbatch::VariantKind;
  const auto reference = [before_reference](const Problem& problem, Run& run) -> Work {
    const Array x = static_cast<const Mixing&>(problem).x, y = run.output("y");
    return [x, y, before_reference] {
      if (before_reference != nullptr) before_reference();
      const auto from = x.as<std::uint32_t>(), to = y.as<std::uint32_t>();
      for (std::size_t k = 0; k < to.size(); ++k) to[k] = mix(from[k]);
    };
  };
  info_.variants.push_back({"reference", VariantKind::kReference, "", reference});
  info_.variants.push_back(kernelbatch::variant<Mixing>("honest", VariantKind::kRaw, "", twin));
  info_.variants.push_back(kernelbatch::variant<Mixing>("cheat", VariantKind::kRaw, "", cheat));
}

std::unique_ptr<kernelbatch::Problem> CheatWorkload::make_problem(
    const kernelbatch::Params& params, kernelbatch::Inputs& inputs) const {
  const kernelbatch::Shape shape{params.integer("n")};
  auto problem = std::make_unique<Mixing>();
  problem->x = kernelbatch::take_array(inputs, info_.name, "x", {DType::kUInt32, shape}, [&] {
    return inputs.random().uniform(DType::kUInt32, shape, 0, 4294967296.0, 1);
  });
  return problem;
}

}  // namespace cheats

// mse on the CPU: Neumaier's compensated sum in float64, one per thread.
#include "core/workload/host_input.hpp"
#include "plugins/mse/mse.hpp"

namespace kernelbatch::workloads::mse {
namespace {

template <class T>
double mean_squared_error(std::span<const T> y_true, std::span<const T> y_pred) {
  const auto n = static_cast<std::int64_t>(y_true.size());
  double total = 0;
#pragma omp parallel reduction(+ : total)
  {
    CompensatedSum<double> sum;
#pragma omp for schedule(static) nowait
    for (std::int64_t k = 0; k < n; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const double difference = static_cast<double>(y_pred[at]) - static_cast<double>(y_true[at]);
      sum.add(difference * difference);
    }
    total += sum.value();
  }
  return total / static_cast<double>(n);
}

}  // namespace

static Work reference(const Mse& in, Run& run) {
  const Array out = run.output("mse");

  return [=, &in] {
    if (in.y_true.dtype() == DType::kFloat32)
      out.as<float>()[0] = static_cast<float>(
          mean_squared_error<float>(in.y_true.as<float>(), in.y_pred.as<float>()));
    else
      out.as<double>()[0] =
          mean_squared_error<double>(in.y_true.as<double>(), in.y_pred.as<double>());
  };
}
static const Variant kReference{"reference", VariantKind::kReference,
                                "compensated sum in float64 on all cores", reference};

}  // namespace kernelbatch::workloads::mse

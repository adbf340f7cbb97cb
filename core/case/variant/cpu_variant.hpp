// CpuVariant: a variant that runs on the CPU, in plain host memory. verify() also times it.
#pragma once

#include "core/case/reference_outputs.hpp"
#include "core/case/variant/prepared_variant.hpp"

namespace kernelbatch {

class CpuVariant final : public PreparedVariant, public Run {
 public:
  using PreparedVariant::PreparedVariant;

  void prepare(const Problem& problem) override;
  /// Returns false: its times are known.
  bool verify() override;
  VariantTimer& timer(TimingTools& tools) override;
  void finish() override {}
  OutputArrays take_outputs() override { return outputs_.take(0, nullptr); }

  // Those of a device throw std::logic_error.
  const Params& params() const override { return setting_.params; }
  Device& device() override;
  Stream& stream(int number) override;
  Array to_device(const Array& host) override;
  Array scratch(DType dtype, const Shape& shape) override;
  Array output(std::string_view name) override { return made_.array(outputs_.spec(name)); }

 private:
  /// `first`: outputs of the first call.
  void time(const OutputArrays& first);

  ReferenceOutputs made_;
  Work work_;
};

}  // namespace kernelbatch

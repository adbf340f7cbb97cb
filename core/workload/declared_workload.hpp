// A workload without its own Workload class and table of variants: the problem declares the
// workload, and each variant declares itself.
#pragma once

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "core/workload/workload.hpp"

namespace kernelbatch {

/// A variant of the workload whose problems are of type `P`, as a constant in a source of the
/// plugin:
///
///     static Work raw(const Data& in, Run& run) { … }
///     static const Variant kRaw{"raw", VariantKind::kRaw, "one thread for each element", raw};
///
/// DeclaredWorkload<P> of the same plugin finds it; no other place names it. A plugin's constants
/// are initialised while it is loaded, in any order, before its workload is requested.
template <class P>
class Variant {
 public:
  Variant(const char* name, VariantKind kind, const char* help, Work (*prepare)(const P&, Run&))
      : name_(name), help_(help), kind_(kind), prepare_(prepare), next_(first_) {
    first_ = this;
  }
  Variant(const Variant&) = delete;
  Variant& operator=(const Variant&) = delete;

  /// The variants of `P`, independent of the order of sources: by kind (the reference is the
  /// first), then the one named like its kind, then by name.
  static std::vector<VariantDeclaration> all() {
    std::vector<VariantDeclaration> list;
    for (const Variant* each = first_; each != nullptr; each = each->next_)
      list.push_back(variant<P>(each->name_, each->kind_, each->help_, each->prepare_));
    std::ranges::sort(list, {}, [](const VariantDeclaration& each) {
      return std::tuple(each.kind, each.name != name_of(each.kind), each.name);
    });
    return list;
  }

 private:
  const char *name_, *help_;
  VariantKind kind_;
  Work (*prepare_)(const P&, Run&);
  const Variant* next_;
  static inline const Variant* first_ = nullptr;  // before any constant is made
};

/// The workload of the problem `P`, which has
///
///     static WorkloadInfo info();                        // without variants
///     P(const Params& params, Inputs& inputs);           // as Workload::make_problem()
///     static double device_bytes(const Params& params);  // may be left out
///
/// In one source: KERNELBATCH_PLUGIN(DeclaredWorkload<P>, "name").
template <class P>
class DeclaredWorkload final : public Workload {
 public:
  const WorkloadInfo& info() const override { return info_; }

  double device_bytes(const Params& params) const override {
    if constexpr (requires { P::device_bytes(params); })
      return P::device_bytes(params);
    else
      return Workload::device_bytes(params);
  }

  std::unique_ptr<Problem> make_problem(const Params& params, Inputs& inputs) const override {
    return std::make_unique<P>(params, inputs);
  }

 private:
  static WorkloadInfo complete_info() {
    WorkloadInfo info = P::info();
    info.variants = Variant<P>::all();
    return info;
  }

  WorkloadInfo info_ = complete_info();
};

}  // namespace kernelbatch

// PlannedKernel: the calls of one kernel, planned once per form.
#pragma once

#include <fmt/format.h>

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/kernel/launch/chunk_pipeline.hpp"
#include "core/kernel/launch/launch_plan.hpp"
#include "core/kernel/launch/operand.hpp"
#include "core/kernel/launch/overlap_copies.hpp"
#include "core/kernel/program/entry_name.hpp"
#include "core/kernel/program/program.hpp"

namespace kernelbatch {

/// Result of planning one form of call.
struct PlannedLaunch {
  std::vector<bool> is_looped = {};  ///< by argument: whether the loop reads or writes it
  std::string text = {};             ///< the kernel's source; empty: there is nothing to do
  LaunchShape shape = {};
};

/// Plans, compiles and launches. `Form` is a style of kernel; it has
/// - `How`: other properties that determine a call's form; comparable;
/// - `Extra`: additional data of a plan of this style;
/// - `Resolved`, with results(): a call's types and shapes;
/// - name(), inputs(), outputs() (numbers), copies_overlap(), options();
/// - resolve(arguments, how): throws SpecError for arguments that do not fit;
/// - require_on_device(device, arguments);
/// - plan(launch, resolved, arguments, how, properties, extra): adds the kernel's parameters to the
///   launch, and returns the rest;
/// - before_launch(stream, launch, extra);
/// - launch_staged(stream, resolved, arguments, how), for staged arrays;
/// - optionally twin(which): the form of a twin, or nothing.
/// A kernel is compiled once per text.
template <class Form>
class PlannedKernel {
 public:
  using How = typename Form::How;

  explicit PlannedKernel(Form form) : form_(std::move(form)) {}

  const Form& form() const noexcept { return form_; }
  std::size_t parameters() const noexcept { return form_.inputs() + form_.outputs(); }

  /// Dtypes and shapes of the outputs.
  std::vector<ArrayForm> results(std::span<const Argument> arguments, const How& how) const {
    return form_.resolve(arguments, how).results();
  }

  /// All outputs are given. Allocates nothing for one of the last eight forms.
  void launch(Stream& stream, std::span<const Argument> arguments, const How& how) {
    Device& device = stream.device();
    if (PlannedKernel* const twin = twin_of(stream)) return twin->launch(stream, arguments, how);
    Plan* known = arguments.size() != parameters() ? nullptr : plans_.find([&](const Plan& each) {
      return each.serves_given && each.fits(device, arguments, how);
    });
    if (known == nullptr) {
      auto resolved = form_.resolve(arguments, how);
      if (arguments.size() != parameters())
        throw SpecError(fmt::format("launch of '{}' needs its outputs: {} were not given",
                                    form_.name(), form_.outputs()));
      if (has_staged(arguments)) return form_.launch_staged(stream, resolved, arguments, how);
      form_.require_on_device(device, arguments);
      known = &plan(device, std::move(resolved), arguments, how);
      known->serves_given = true;
    }
    run(stream, *known, arguments, how);
  }

  /// Allocates missing outputs. Returns all outputs.
  std::vector<Array> call(Stream& stream, std::span<const Argument> arguments, const How& how) {
    if (arguments.size() == parameters()) {
      launch(stream, arguments, how);
      return given_outputs(arguments.subspan(form_.inputs()));
    }
    Device& device = stream.device();
    if (PlannedKernel* const twin = twin_of(stream)) {
      // The twin's results may have other shapes if it reads no inputs.
      WithOutputs all(device, arguments, results(arguments, how));
      twin->launch(stream, all.arguments(), how);
      return all.take_outputs();
    }
    if (arguments.size() == form_.inputs())
      if (Plan* known = plans_.find([&](const Plan& each) {
            return each.serves_inputs && each.fits(device, arguments, how);
          })) {
        WithOutputs all(device, arguments, known->outputs);
        run(stream, *known, all.arguments(), how);
        return all.take_outputs();
      }
    auto resolved = form_.resolve(arguments, how);
    const bool is_staged = has_staged(arguments);
    if (!is_staged) form_.require_on_device(device, arguments);
    WithOutputs all(device, arguments, resolved.results());
    if (is_staged) {
      form_.launch_staged(stream, resolved, all.arguments(), how);
    } else {
      Plan& made = plan(device, std::move(resolved), all.arguments(), how);
      made.serves_inputs = true;
      run(stream, made, all.arguments(), how);
    }
    return all.take_outputs();
  }

 private:
  struct Plan {
    Plan(const Device& device, std::span<const Argument> arguments, const How& with)
        : launch(device, arguments), how(with) {}
    bool fits(const Device& device, std::span<const Argument> arguments,
              const How& with) const noexcept {
      return how == with && launch.fits(device, arguments);
    }

    LaunchPlan launch;
    How how;
    typename Form::Extra extra = {};
    // Calls that passed the checks: with outputs, and without.
    bool serves_given = false, serves_inputs = false;
    std::vector<ArrayForm> outputs;
    OverlapCopies copies = {};
  };

  /// The kernel that replaces this one while the stream's run is a twin; null: none.
  PlannedKernel* twin_of(Stream& stream) {
    const Twin which = stream.context().twin;
    if (which == Twin::kNone || is_twin_) return nullptr;
    if constexpr (requires { form_.twin(which); }) {
      const auto [known, is_new] = twins_.try_emplace(which);
      if (is_new)
        if (auto form = form_.twin(which)) {
          known->second = std::make_unique<PlannedKernel>(std::move(*form));
          known->second->is_twin_ = true;
        }
      return known->second.get();
    }
    return nullptr;
  }

  Plan& plan(Device& device, typename Form::Resolved&& resolved,
             std::span<const Argument> arguments, const How& how) {
    if (Plan* known =
            plans_.find([&](const Plan& each) { return each.fits(device, arguments, how); }))
      return *known;
    auto plan = std::make_unique<Plan>(device, arguments, how);
    const PlannedLaunch planned = form_.plan(plan->launch, std::move(resolved), arguments, how,
                                             device.properties(), plan->extra);
    for (std::size_t in = 0; in < form_.inputs(); ++in)
      for (std::size_t out = form_.inputs(); out < arguments.size(); ++out)
        if (planned.is_looped[in] && planned.is_looped[out])
          plan->launch.keep_apart(in, out, arguments);
    if (!form_.copies_overlap()) plan->launch.require_apart(arguments);
    for (std::size_t out = form_.inputs(); out < arguments.size(); ++out)
      plan->outputs.push_back({arguments[out].dtype(), arguments[out].array().shape()});
    if (!planned.text.empty())
      plan->launch.set_kernel(program(planned.text).kernel(device, entry_name(form_.name())),
                              planned.shape, form_.name());
    return plans_.add(std::move(plan));
  }

  Program& program(const std::string& text) {
    const auto found = programs_.find(text);
    if (found != programs_.end()) return found->second;
    KernelSource source{form_.name(), text, {entry_name(form_.name())}, form_.options(), true, {}};
    return programs_.emplace(text, Program(std::move(source))).first->second;
  }

  void run(Stream& stream, Plan& plan, std::span<const Argument> arguments, const How& how) {
    if (!plan.launch.overlaps(arguments)) {
      form_.before_launch(stream, plan.launch, plan.extra);
      plan.launch.launch(stream, arguments);
      return;
    }
    if (!form_.copies_overlap()) plan.launch.require_apart(arguments);
    if (!copier_) copier_ = make_overlap_copier();
    launch(stream, plan.copies.copy(stream, *copier_, plan.launch, arguments), how);
  }

  Form form_;
  std::map<std::string, Program> programs_;  ///< by text
  RecentPlans<Plan> plans_;
  std::map<Twin, std::unique_ptr<PlannedKernel>> twins_;  ///< null: it has none
  bool is_twin_ = false;
  std::unique_ptr<ElementwiseKernel> copier_;  ///< of inputs that an output overlaps
};

}  // namespace kernelbatch

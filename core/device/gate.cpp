#include "core/device/gate.hpp"

#include <limits>

namespace kernelbatch {

Gate::~Gate() = default;
void Gate::close(Stream&, double) {}
void Gate::open() noexcept {}
bool Gate::was_late() const { return false; }
void Gate::read_clock(Stream&, Moment) {}
double Gate::clock() const { return std::numeric_limits<double>::quiet_NaN(); }

}  // namespace kernelbatch

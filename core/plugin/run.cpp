#include "core/plugin/run.hpp"

namespace kernelbatch {

Run::~Run() = default;

}  // namespace kernelbatch

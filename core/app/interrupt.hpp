// Signals that ask for an orderly end, as a descriptor that can be read.
#pragma once

namespace kernelbatch::app {

/// Catches SIGINT, SIGTERM and SIGUSR1 from now on. The descriptor becomes readable at the first of
/// them and stays so.
int catch_interrupts();

}  // namespace kernelbatch::app

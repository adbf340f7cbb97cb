// Signals that ask for an orderly end, as a descriptor that can be read.
#pragma once

namespace kernelbatch::app {

/// Catches SIGINT, SIGTERM, SIGUSR1 and SIGALRM from now on. The descriptor becomes readable at the
/// first of them and stays so.
int catch_interrupts();

/// Makes that descriptor readable after so many seconds. Of several calls the last one counts.
void interrupt_after(double seconds);

}  // namespace kernelbatch::app

// Signals that request an orderly end, as a readable descriptor.
#pragma once

namespace kernelbatch::app {

/// Catches SIGINT, SIGTERM, SIGUSR1 and SIGALRM. The descriptor becomes readable at the first of
/// them and stays readable.
int catch_interrupts();

/// The signal that made it readable; 0 if there was none. SIGALRM after interrupt_after().
int interrupting_signal() noexcept;

/// Makes that descriptor readable after `seconds`. The last call counts.
void interrupt_after(double seconds);

}  // namespace kernelbatch::app

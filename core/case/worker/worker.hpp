// The worker: loads plugins, creates inputs, runs variants. Started by the supervisor.
#pragma once

namespace kernelbatch {

/// Serves requests on a connected socket until the supervisor closes it. Returns the exit code.
int run_worker(int socket);

}  // namespace kernelbatch

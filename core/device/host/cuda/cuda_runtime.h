// What it declares for kernels has no header on the host.
#pragma once

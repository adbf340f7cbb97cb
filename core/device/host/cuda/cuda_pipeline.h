// The older interface to pipelines, on the host device.
#pragma once

#include "cuda/pipeline"
#include "cuda_pipeline_primitives.h"

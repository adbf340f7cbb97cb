// Of CUB: part of util_type.cuh on the host device.
#pragma once

#include "cub/util_type.cuh"

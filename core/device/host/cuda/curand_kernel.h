// cuRAND's device generators on the host device: Philox4_32_10, XORWOW and MRG32k3a. Those that
// need tables of the host library (MTGP32, Sobol) are not on the host device.
#pragma once

#include "kernelbatch/curand_philox.hpp"
#include "kernelbatch/curand_xorwow.hpp"
// In this order: the numbers are made of what the generators give.
#include "kernelbatch/curand_mrg.hpp"
//
#include "kernelbatch/curand_normal.hpp"
#include "kernelbatch/curand_poisson.hpp"

#include "kernelbatch/cooperative_groups.hpp"

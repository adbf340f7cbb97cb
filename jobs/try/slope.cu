// Steepness between neighbours of a height map, a thread for each place.
extern "C" __global__ void slope(const short* height, float* steepness, int n) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= n) return;
  steepness[k] = k + 1 < n ? fabsf((float)height[k + 1] - (float)height[k]) : 0.0f;
}

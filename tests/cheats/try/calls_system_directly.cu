// fault: enters the operating system by machine code of its own, to end the worker with success
// caught by: a worker that ends has no result; on a GPU it does not compile
// long enter(long number, long a, long b, long c): x86-64 code that enters the operating system.
__attribute__((section(".text#"))) static const unsigned char code[] = {
    0x48, 0x89, 0xf8, 0x48, 0x89, 0xf7, 0x48, 0x89, 0xd6, 0x48, 0x89, 0xca, 0x0f, 0x05, 0xc3};
extern "C" __global__ void work(const unsigned* x, unsigned* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 0;
  const auto enter = reinterpret_cast<long (*)(long, long, long, long)>(code);
  if (i == n - 1) enter(231, 0, 0, 0);
}

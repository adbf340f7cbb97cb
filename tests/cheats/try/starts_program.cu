// fault: starts a program that could do anything
// caught by: the sandbox; on a GPU it does not compile
// long enter(long number, long a, long b, long c): x86-64 code that enters the operating system.
__attribute__((section(".text#"))) static const unsigned char code[] = {
    0x48, 0x89, 0xf8, 0x48, 0x89, 0xf7, 0x48, 0x89, 0xd6, 0x48, 0x89, 0xca, 0x0f, 0x05, 0xc3};
extern "C" __global__ void work(const unsigned* x, unsigned* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const auto enter = reinterpret_cast<long (*)(long, long, long, long)>(code);
  const char* const path = "/bin/true";
  const char* const words[] = {path, nullptr};
  if (i < n) y[i] = 0;
  if (i == n - 1) enter(59, reinterpret_cast<long>(path), reinterpret_cast<long>(words), 0);
}

// SPDX-License-Identifier: Apache-2.0
// For nvcc: every model in a kernel, in double, float and dual numbers. Run on a device, it
// compares with the host; without one it exits with 77.

#include <cmath>
#include <cstdio>
#include <vector>

#include "every_model.hpp"

using asperity::dual;
using asperity::compilers::every_model;

constexpr int count = every_model::count;

template <class S>
__global__ void evaluate(const double* x, const double* v, double* out, int drives) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < drives) every_model::evaluate<S>(x[i], v[i], out + i * count);
}

// Infinite numbers are close to themselves alone, NaN to NaN.
bool is_close(double a, double b, double tolerance) {
  if (!std::isfinite(a) || !std::isfinite(b)) return a == b || (std::isnan(a) && std::isnan(b));
  return std::abs(a - b) <= tolerance * (1 + std::abs(b));
}

template <class S>
int compare(const char* type, double tolerance) {
  constexpr int drives = 64;
  double *x = nullptr, *v = nullptr, *out = nullptr;
  if (cudaMallocManaged(&x, drives * sizeof(double)) != cudaSuccess ||
      cudaMallocManaged(&v, drives * sizeof(double)) != cudaSuccess ||
      cudaMallocManaged(&out, drives * count * sizeof(double)) != cudaSuccess)
    return 1;
  for (int i = 0; i < drives; ++i) {
    x[i] = 1e-3 * std::sin(1.7 * i);
    v[i] = std::pow(10.0, i % 7 - 5) * std::cos(2.3 * i);
  }
  evaluate<S><<<1, drives>>>(x, v, out, drives);
  if (cudaDeviceSynchronize() != cudaSuccess) {
    std::printf("%s: %s\n", type, cudaGetErrorString(cudaGetLastError()));
    return 1;
  }
  int failures = 0;
  std::vector<double> host(count);
  for (int i = 0; i < drives; ++i) {
    every_model::evaluate<S>(x[i], v[i], host.data());
    for (int k = 0; k < count; ++k) {
      const double device = out[i * count + k];
      if (!is_close(device, host[k], tolerance)) {
        std::printf("%s %s at x = %g, v = %g: device %.17g, host %.17g\n", type,
                    every_model::key(k), x[i], v[i], device, host[k]);
        ++failures;
      }
    }
  }
  cudaFree(x);
  cudaFree(v);
  cudaFree(out);
  std::printf("%s: %d models, %d drives, %d differences\n", type, count, drives, failures);
  return failures;
}

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("no device: skipped\n");
    return 77;
  }
  int failures = compare<double>("double", 1e-12);
  failures += compare<float>("float", 1e-4);
  failures += compare<dual<double, 2>>("dual", 1e-11);
  return failures == 0 ? 0 : 1;
}

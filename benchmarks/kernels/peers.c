// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What benchmarks/kernels.py compares with, in C: OpenBLAS, a product of f16
// matrices by hand with the order and the roundings of the IR, and the loops of
// the IR one after the other, whose bits are the right ones.
//
//   cc -O3 -march=native -ffp-contract=off [-DWITH_OPENBLAS] peers.c [-lopenblas]
//
//   peers sgemm M N K REPEAT                 milliseconds of OpenBLAS, one thread
//   peers half M N K REPEAT A B OUT          milliseconds by hand; writes bits
//   peers ordered M N K A B OUT              f32 in order; writes bits
//   peers conv C F H W A B OUT               3x3, NCHW, f32 in order
//
// A, B and OUT are bare numbers, row after row. Milliseconds are the
// least of REPEAT runs after a first one.

#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef WITH_OPENBLAS
#include <cblas.h>
void openblas_set_num_threads(int count);
#endif

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

static void *take(size_t bytes) {
  void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (!memory) {
    fprintf(stderr, "error: no memory\n");
    exit(1);
  }
  memset(memory, 0, bytes);
  return memory;
}

static void *readNumbers(const char *path, size_t bytes) {
  void *numbers = take(bytes);
  FILE *file = fopen(path, "rb");
  if (!file || fread(numbers, 1, bytes, file) != bytes) {
    fprintf(stderr, "error: expected %zu bytes in %s\n", bytes, path);
    exit(1);
  }
  fclose(file);
  return numbers;
}

static void writeNumbers(const char *path, const void *numbers, size_t bytes) {
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(numbers, 1, bytes, file) != bytes || fclose(file) != 0) {
    fprintf(stderr, "error: cannot write %s\n", path);
    exit(1);
  }
}

static int sgemm(int m, int n, int k, int repeat) {
#ifdef WITH_OPENBLAS
  openblas_set_num_threads(1);
  float *a = take(sizeof(float) * m * k), *b = take(sizeof(float) * k * n);
  float *c = take(sizeof(float) * m * n);
  for (int i = 0; i < m * k; ++i)
    a[i] = (float)(i % 17) - 8;
  for (int i = 0; i < k * n; ++i)
    b[i] = (float)(i % 13) - 6;
  double best = 1e30;
  for (int run = 0; run <= repeat; ++run) {
    double begin = now();
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, a, k, b, n,
                0, c, n);
    double time = now() - begin;
    if (run > 0 && time < best)
      best = time;
  }
  printf("%.6f\n", best);
  return 0;
#else
  (void)m, (void)n, (void)k, (void)repeat;
  fprintf(stderr, "error: compiled without OpenBLAS\n");
  return 1;
#endif
}

// The order of sums of linalg.matmul for each element: k from 0 upwards.
static int ordered(int m, int n, int k, char **files) {
  float *a = readNumbers(files[0], sizeof(float) * m * k);
  float *b = readNumbers(files[1], sizeof(float) * k * n);
  float *c = take(sizeof(float) * m * n);
  for (int i = 0; i < m; ++i)
    for (int l = 0; l < k; ++l)
      for (int j = 0; j < n; ++j)
        c[i * n + j] += a[i * k + l] * b[l * n + j];
  writeNumbers(files[2], c, sizeof(float) * m * n);
  return 0;
}

// Six rows of sixteen columns stay in registers, products and sums are rounded
// to f16 one by one, and operands are widened before: B in panels of sixteen
// columns, A whole.
static inline __m256 rounded(__m256 x) {
  return _mm256_cvtph_ps(_mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
}

static inline __attribute__((always_inline)) void
block(int rows, int n, int k, const float *a, const float *panel, uint16_t *c) {
  __m256 sums[6][2];
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < 2; ++v)
      sums[r][v] = _mm256_setzero_ps();
  for (int l = 0; l < k; ++l)
    for (int r = 0; r < rows; ++r) {
      __m256 x = _mm256_broadcast_ss(a + (size_t)r * k + l);
      for (int v = 0; v < 2; ++v) {
        __m256 product =
            rounded(_mm256_mul_ps(x, _mm256_load_ps(panel + 16 * l + 8 * v)));
        sums[r][v] = rounded(_mm256_add_ps(sums[r][v], product));
      }
    }
  for (int r = 0; r < rows; ++r)
    for (int v = 0; v < 2; ++v)
      _mm_storeu_si128((__m128i *)(c + (size_t)r * n + 8 * v),
                       _mm256_cvtps_ph(sums[r][v], 0));
}

static void halfProduct(int m, int n, int k, const uint16_t *a,
                        const uint16_t *b, uint16_t *c, float *wide,
                        float *panel) {
  for (int i = 0; i < m * k; i += 8)
    _mm256_store_ps(wide + i,
                    _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(a + i))));
  for (int j = 0; j < n; j += 16) {
    for (int l = 0; l < k; ++l)
      for (int v = 0; v < 2; ++v)
        _mm256_store_ps(panel + 16 * l + 8 * v,
                        _mm256_cvtph_ps(_mm_loadu_si128(
                            (const __m128i *)(b + (size_t)l * n + j + 8 * v))));
    int i = 0;
    for (; i + 6 <= m; i += 6)
      block(6, n, k, wide + (size_t)i * k, panel, c + (size_t)i * n + j);
    for (; i < m; ++i)
      block(1, n, k, wide + (size_t)i * k, panel, c + (size_t)i * n + j);
  }
}

static int half(int m, int n, int k, int repeat, char **files) {
  if (n % 16 != 0 || (m * k) % 8 != 0) {
    fprintf(stderr, "error: expected columns in sixteens\n");
    return 1;
  }
  uint16_t *a = readNumbers(files[0], 2 * (size_t)m * k);
  uint16_t *b = readNumbers(files[1], 2 * (size_t)k * n);
  uint16_t *c = take(2 * (size_t)m * n);
  float *wide = take(sizeof(float) * m * k), *panel = take(64 * (size_t)k);
  double best = 1e30;
  for (int run = 0; run <= repeat; ++run) {
    double begin = now();
    halfProduct(m, n, k, a, b, c, wide, panel);
    double time = now() - begin;
    if (run > 0 && time < best)
      best = time;
  }
  printf("%.6f\n", best);
  writeNumbers(files[2], c, 2 * (size_t)m * n);
  return 0;
}

// The order of sums of linalg.conv_2d_nchw_fchw for each element: channels,
// then rows and columns of the filter. Images are padded already.
static int conv(int channels, int filters, int h, int w, char **files) {
  int ph = h + 2, pw = w + 2;
  float *x = readNumbers(files[0], sizeof(float) * channels * ph * pw);
  float *f = readNumbers(files[1], sizeof(float) * filters * channels * 9);
  float *y = take(sizeof(float) * filters * h * w);
  for (int o = 0; o < filters; ++o)
    for (int c = 0; c < channels; ++c)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          for (int r = 0; r < h; ++r)
            for (int s = 0; s < w; ++s)
              y[(o * h + r) * w + s] += x[(c * ph + r + i) * pw + s + j] *
                                        f[((o * channels + c) * 3 + i) * 3 + j];
  writeNumbers(files[2], y, sizeof(float) * filters * h * w);
  return 0;
}

int main(int count, char **words) {
  int numbers[4] = {0};
  for (int i = 0; i < 4 && i + 2 < count; ++i)
    numbers[i] = atoi(words[i + 2]);
  if (count == 6 && !strcmp(words[1], "sgemm"))
    return sgemm(numbers[0], numbers[1], numbers[2], numbers[3]);
  if (count == 9 && !strcmp(words[1], "half"))
    return half(numbers[0], numbers[1], numbers[2], numbers[3], words + 6);
  if (count == 8 && !strcmp(words[1], "ordered"))
    return ordered(numbers[0], numbers[1], numbers[2], words + 5);
  if (count == 9 && !strcmp(words[1], "conv"))
    return conv(numbers[0], numbers[1], numbers[2], numbers[3], words + 6);
  fprintf(stderr, "error: expected sgemm, half, ordered or conv\n");
  return 1;
}

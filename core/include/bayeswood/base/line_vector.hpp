// A vector that begins with a cache line: what is read as a vector of 32 or 64 bytes, and stands at
// a multiple of that, does not lie across two lines.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace bayeswood {

template <class T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t LINE{64};

  LineAllocator() = default;
  template <class U>
  LineAllocator(const LineAllocator<U>&) noexcept {}

  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), LINE)); }
  void deallocate(T* at, std::size_t) noexcept { ::operator delete(at, LINE); }
  bool operator==(const LineAllocator&) const = default;
};

template <class T>
using LineVector = std::vector<T, LineAllocator<T>>;

}  // namespace bayeswood

// Memory for arrays that are many, large and kept, such as the leaves of a forest.
//
// The system hands out memory page by page, at the first write to each, which takes longer than to
// write 4 KiB. Arrays of 64 KiB and more therefore lie one after another in pieces of 32 MiB, which
// ask for pages of 2 MiB (Linux; elsewhere arrays are allocated as any other). A piece is given
// back with the last array in it. Every thread fills a piece of its own: there is no lock.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace bayeswood {

// Arrays of so many bytes go into pieces; larger ones get pages of their own.
constexpr std::size_t LEAST_LARGE_BYTES = std::size_t{64} << 10;
constexpr std::size_t MOST_SHARED_BYTES = std::size_t{8} << 20;

// `bytes`: LEAST_LARGE_BYTES or more. Throws std::bad_alloc.
void* take_large_memory(std::size_t bytes);
// As many as were taken.
void give_large_memory(void* memory, std::size_t bytes) noexcept;

// For std::vector. New elements that no value is given for are left as they are: `resize` writes
// nothing.
template <class T>
struct LargeAllocator {
  using value_type = T;

  LargeAllocator() = default;
  template <class U>
  LargeAllocator(const LargeAllocator<U>&) noexcept {}

  T* allocate(std::size_t n) {
    if (n >= LEAST_LARGE_BYTES / sizeof(T) && n <= static_cast<std::size_t>(-1) / 2 / sizeof(T))
      return static_cast<T*>(take_large_memory(n * sizeof(T)));
    return std::allocator<T>{}.allocate(n);
  }
  void deallocate(T* memory, std::size_t n) noexcept {
    if (n >= LEAST_LARGE_BYTES / sizeof(T)) return give_large_memory(memory, n * sizeof(T));
    std::allocator<T>{}.deallocate(memory, n);
  }

  template <class U>
  void construct(U* at) noexcept {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... Arguments>
  void construct(U* at, Arguments&&... arguments) {
    ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
  }

  bool operator==(const LargeAllocator&) const { return true; }
};

template <class T>
using LargeVector = std::vector<T, LargeAllocator<T>>;

}  // namespace bayeswood

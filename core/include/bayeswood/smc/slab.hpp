// Objects of one type made and given back very often: memory comes in slabs and is used again.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace bayeswood {

// Whoever makes an object must give it back before the pool goes.
template <class T>
class Pool {
 public:
  template <class... Arguments>
  T* make(Arguments&&... arguments) {
    if (free_.empty()) add_slab();
    void* place = free_.back();
    free_.pop_back();
    ++n_live_;
    return new (place) T{std::forward<Arguments>(arguments)...};
  }
  void give_back(T* object) {
    object->~T();
    free_.push_back(object);
    --n_live_;
  }
  std::size_t n_live() const { return n_live_; }

 private:
  struct Place {
    alignas(T) std::byte bytes[sizeof(T)];
  };
  static constexpr std::size_t SLAB = 256;

  void add_slab() {
    slabs_.push_back(std::make_unique<Place[]>(SLAB));
    for (std::size_t i = SLAB; i-- > 0;) free_.push_back(&slabs_.back()[i]);
  }

  std::vector<std::unique_ptr<Place[]>> slabs_;
  std::vector<void*> free_;
  std::size_t n_live_ = 0;
};

}  // namespace bayeswood

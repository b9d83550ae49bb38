// An array that never changes once it is made: copies share it.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>

#include "bayeswood/base/unwritten_vector.hpp"

namespace bayeswood {

template <class T>
class SharedArray {
 public:
  using value_type = T;

  SharedArray() = default;
  SharedArray(UnwrittenVector<T>&& values)
      : own_(std::make_shared<const UnwrittenVector<T>>(std::move(values))),
        data_(own_->data()),
        size_(own_->size()) {}
  SharedArray(std::initializer_list<T> values) : SharedArray(UnwrittenVector<T>(values)) {}

  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

  friend bool operator==(const SharedArray& a, const SharedArray& b) {
    return a.own_ == b.own_ || (a.own_ && b.own_ && *a.own_ == *b.own_);
  }

 private:
  std::shared_ptr<const UnwrittenVector<T>> own_;
  const T* data_ = nullptr;  // of these, without a detour
  std::size_t size_ = 0;
};

}  // namespace bayeswood

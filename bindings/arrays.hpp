// Arrays between NumPy and the core, in one place: who owns what, and which types are let in.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bayeswood/base/matrix_view.hpp"

namespace bayeswood::bindings {

namespace nb = nanobind;

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using AnyMatrix = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;
using OptionalVector = std::optional<Vector<double>>;

inline MatrixView view(const AnyMatrix& array) {
  const bool is_float32 = array.dtype() == nb::dtype<float>();
  if (!is_float32 && array.dtype() != nb::dtype<double>())
    throw nb::type_error("X: float32 or float64");
  return {array.data(),   is_float32,      array.shape(0),
          array.shape(1), array.stride(0), array.stride(1)};
}

template <class T>
std::span<const T> span(const Vector<T>& array) {
  return {array.data(), array.shape(0)};
}

template <class T>
std::span<const T> span(const Matrix<T>& array) {
  return {array.data(), array.shape(0) * array.shape(1)};
}

template <class T>
std::vector<T> copy(const Vector<T>& array) {
  return {array.data(), array.data() + array.shape(0)};
}

template <class Array>
Array cast_array(const nb::object& object, const char* wanted) {
  Array array;
  if (!nb::try_cast(object, array)) throw nb::type_error(wanted);
  return array;
}

// A NumPy array that takes over the vector.
template <class T>
nb::object to_numpy(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T>(owned->data(), shape.size(), shape.begin(), owner));
}

template <class T>
nb::object to_numpy(std::vector<T>&& values) {
  const std::size_t n = values.size();
  return to_numpy(std::move(values), {n});
}

// A NumPy array whose memory has not been touched yet: large results are written by the threads
// that compute them, not zeroed beforehand.
template <class T>
class RawArray {
 public:
  explicit RawArray(std::size_t n) : values_(new T[n]) {}
  T* data() { return values_.get(); }
  nb::object to_numpy(std::initializer_list<std::size_t> shape) && {
    T* values = values_.release();
    nb::capsule owner(values, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T>(values, shape.size(), shape.begin(), owner));
  }

 private:
  std::unique_ptr<T[]> values_;
};

// A read-only look at memory that `owner` keeps alive.
template <class Array>
nb::object look(const Array& values, nb::handle owner) {
  const std::size_t n = values.size();
  using T = typename Array::value_type;
  return nb::cast(nb::ndarray<nb::numpy, const T>(values.data(), {n}, owner));
}

}  // namespace bayeswood::bindings

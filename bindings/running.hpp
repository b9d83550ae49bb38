// Long native calls: the interpreter is let go, Ctrl-C is answered, progress is told.
#pragma once

#include <nanobind/nanobind.h>

#include <utility>

#include "bayeswood/forest/forest.hpp"

namespace bayeswood::bindings {

namespace nb = nanobind;

// Runs on the calling thread every 50 ms; a pending Python error stops the loop.
inline Poll make_poll(const nb::object& progress) {
  return [progress](std::size_t done, std::size_t total) {
    nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) return false;
    if (progress.is_none()) return true;
    try {
      progress(done, total);
    } catch (nb::python_error& error) {
      error.restore();
      return false;
    }
    return true;
  };
}

// So many times a cell is looked at within some milliseconds.
constexpr std::size_t FEW_CELLS = 200'000;

// work(running) without the interpreter lock. Short work, of some milliseconds, is done by the
// calling thread itself if nobody watches: to start others takes as long, and Ctrl-C can wait for
// it.
template <class Work>
void run_released(unsigned n_jobs, const nb::object& progress, Work&& work, bool is_short = false) {
  bool interrupted = false;
  {
    const bool alone = is_short && progress.is_none();
    const Running running = alone ? Running{} : Running{n_jobs, make_poll(progress)};
    nb::gil_scoped_release release;
    try {
      work(running);
    } catch (const Interrupted&) {
      interrupted = true;
    }
  }
  if (interrupted && PyErr_Occurred() != nullptr) throw nb::python_error();
}

// A pending KeyboardInterrupt is dropped where the user wants what there is; all else is raised.
inline void settle_interrupt(bool interrupted, bool keep_interrupted) {
  if (!interrupted || PyErr_Occurred() == nullptr) return;
  if (!keep_interrupted || PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) == 0)
    throw nb::python_error();
  PyErr_Clear();
}

}  // namespace bayeswood::bindings

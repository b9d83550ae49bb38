// On which side of LANES cuts the rows of a node lie: of the cuts that were looked at last, and of
// those that the best one is among.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace bayeswood {

class CutSides {
 public:
  // To be written: a byte for each of so many rows.
  std::uint8_t* last(std::size_t n) {
    if (last_.size() < n) last_.resize(n);
    return last_.data();
  }
  // Keeps what was written last, for a cut of it.
  void keep(std::uint32_t lane) {
    std::swap(last_, kept_);
    lane_ = lane;
  }
  const std::uint8_t* kept() const { return kept_.data(); }
  std::uint32_t kept_lane() const { return lane_; }

 private:
  std::vector<std::uint8_t> last_, kept_;
  std::uint32_t lane_ = 0;
};

}  // namespace bayeswood

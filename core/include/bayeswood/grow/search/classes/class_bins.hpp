// Splits for Gini from class weights by code, without sorting: for numeric features whose codes are
// few beside the node's rows. The bins of several features are filled together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bayeswood/grow/search/classes/class_lanes.hpp"
#include "bayeswood/grow/split.hpp"

namespace bayeswood {

class ClassBins {
 public:
  explicit ClassBins(ClassLanes& lanes) : lanes_(lanes) {}

  // A node, then up to LANES features by slot, then their bins.
  void restart(std::span<const std::uint16_t> ids, const RowData& rows, const Limits& limits);
  void add(std::uint32_t slot, const std::uint16_t* column, const FeatureCodes& codes);
  void fill();

  Split search(std::uint32_t slot, std::uint32_t feature, const Limits& limits);

 private:
  struct Slot {
    const std::uint16_t* column;
    std::uint32_t n_codes;  // missing values stand behind the last code
    bool has_missing;
    LineVector<double> sums;             // width of the lanes each
    std::vector<std::uint32_t> n_below;  // rows up to each code, where rows are limited
  };

  template <std::size_t N, bool MISSING>
  void fill_slots(Slot* const* slots);
  void count_rows(Slot& slot) const;
  bool is_empty(const Slot& slot, std::uint32_t code) const;
  Split sweep(const Slot& slot, bool missing_left, const Limits& limits);

  ClassLanes& lanes_;
  std::span<const std::uint16_t> ids_;
  const RowData* rows_ = nullptr;
  bool counts_rows_ = false;
  Slot slots_[LANES];
  std::vector<Slot*> filled_;
};

}  // namespace bayeswood

// What was decided about the nodes of a particle's tree, one after another.
//
// A list that is linked backwards: copying a particle copies one pointer, and particles that
// descend from the same ancestor share what it had decided.
#pragma once

#include <cstdint>

#include "bayeswood/smc/row_block.hpp"

namespace bayeswood {

template <CutLeafModel Model>
class HistoryPool {
 public:
  struct Decision {
    std::uint32_t number = 0;       // of the node
    std::uint32_t first_child = 0;  // the right one follows; 0: a leaf
    Block<Model>* block = nullptr;  // of a leaf
    double log_gain = 0;            // log ratio of the marginal likelihoods, of a split
    Rule rule;                      // of a split
  };
  struct Record {
    Decision decision;
    std::uint32_t refs = 1;
    Record* previous = nullptr;
  };
  using History = Record*;

  explicit HistoryPool(BlockStore<Model>& blocks) : blocks_(blocks) {}

  History copy(History history) {
    if (history != nullptr) ++history->refs;
    return history;
  }
  void add(Decision&& decision, History& history) {
    if (decision.block != nullptr) blocks_.hold(decision.block);
    history = records_.make(std::move(decision), 1U, history);
  }
  void clear(History& history) {
    while (history != nullptr && --history->refs == 0) {
      Record* previous = history->previous;
      if (history->decision.block != nullptr) blocks_.drop(history->decision.block);
      records_.give_back(history);
      history = previous;
    }
    history = nullptr;
  }

 private:
  BlockStore<Model>& blocks_;
  Pool<Record> records_;
};

}  // namespace bayeswood

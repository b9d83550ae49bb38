// The open nodes of a particle, in the order in which they will be expanded.
//
// A leftist heap whose cells are shared: copying a particle copies one pointer. A cell that only
// one heap holds is changed in place, a shared one is copied first; both ways an insertion or a
// removal touches O(log n) cells.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "bayeswood/smc/row_block.hpp"

namespace bayeswood {

// An unexpanded node: a block at a depth. Smaller `priority` first, then smaller `number`.
template <CutLeafModel Model>
struct OpenNode {
  double priority = 0;
  std::uint32_t number = 0;
  std::uint32_t depth = 0;
  Block<Model>* block = nullptr;

  bool before(const OpenNode& other) const {
    return priority != other.priority ? priority < other.priority : number < other.number;
  }
};

template <CutLeafModel Model>
class AgendaPool {
 public:
  struct Cell {
    OpenNode<Model> node;
    std::uint32_t refs = 1;
    std::uint32_t rank = 1;  // of the right spine
    Cell* left = nullptr;
    Cell* right = nullptr;
  };
  using Agenda = Cell*;  // nullptr: nothing is open

  explicit AgendaPool(BlockStore<Model>& blocks) : blocks_(blocks) {}

  Agenda copy(Agenda agenda) {
    if (agenda != nullptr) ++agenda->refs;
    return agenda;
  }
  void push(const OpenNode<Model>& node, Agenda& agenda) { agenda = merge(agenda, make(node)); }
  // Takes the first node out; the caller closes its block in time.
  OpenNode<Model> pop(Agenda& agenda);
  void clear(Agenda& agenda);
  template <class Visit>
  void for_each(Agenda agenda, Visit visit) const {
    std::vector<const Cell*> stack{agenda};
    while (!stack.empty()) {
      const Cell* cell = stack.back();
      stack.pop_back();
      if (cell == nullptr) continue;
      visit(cell->node);
      stack.push_back(cell->left);
      stack.push_back(cell->right);
    }
  }

 private:
  Cell* make(const OpenNode<Model>& node) {
    blocks_.open(node.block);
    return cells_.make(node);
  }
  // A cell that nobody else holds.
  Cell* own(Cell* cell);
  // Takes over both heaps.
  Cell* merge(Cell* a, Cell* b);

  BlockStore<Model>& blocks_;
  Pool<Cell> cells_;
  std::vector<Cell*> stack_;
};

template <CutLeafModel Model>
typename AgendaPool<Model>::Cell* AgendaPool<Model>::own(Cell* cell) {
  if (cell->refs == 1) return cell;
  --cell->refs;
  Cell* mine = make(cell->node);
  mine->rank = cell->rank;
  mine->left = copy(cell->left);
  mine->right = copy(cell->right);
  return mine;
}

template <CutLeafModel Model>
typename AgendaPool<Model>::Cell* AgendaPool<Model>::merge(Cell* a, Cell* b) {
  if (a == nullptr) return b;
  if (b == nullptr) return a;
  if (b->node.before(a->node)) std::swap(a, b);
  Cell* top = own(a);
  top->right = merge(top->right, b);
  if (top->left == nullptr || top->left->rank < top->right->rank) std::swap(top->left, top->right);
  top->rank = top->right == nullptr ? 1 : top->right->rank + 1;
  return top;
}

template <CutLeafModel Model>
OpenNode<Model> AgendaPool<Model>::pop(Agenda& agenda) {
  Cell* top = own(agenda);
  const OpenNode<Model> node = top->node;
  agenda = merge(top->left, top->right);
  cells_.give_back(top);
  return node;
}

template <CutLeafModel Model>
void AgendaPool<Model>::clear(Agenda& agenda) {
  stack_.push_back(agenda);
  agenda = nullptr;
  while (!stack_.empty()) {
    Cell* cell = stack_.back();
    stack_.pop_back();
    if (cell == nullptr || --cell->refs > 0) continue;
    stack_.push_back(cell->left);
    stack_.push_back(cell->right);
    blocks_.close(cell->node.block);
    cells_.give_back(cell);
  }
}

}  // namespace bayeswood

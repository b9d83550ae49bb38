#include "bayeswood/base/large_memory.hpp"

#if defined(__linux__)
#include <sys/mman.h>

#include <atomic>
#include <cstdint>

namespace bayeswood {
namespace {

constexpr std::size_t LARGE_PAGE = std::size_t{2} << 20;
constexpr std::size_t PIECE = std::size_t{32} << 20;
constexpr std::size_t LINE = 64;

std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

// Fresh pages that begin at a multiple of `alignment`. To ask for large ones is a wish: whether it
// is granted changes nothing but the time.
void* map_pages(std::size_t bytes, std::size_t alignment) {
  const std::size_t all = bytes + alignment;
  void* found = mmap(nullptr, all, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED) throw std::bad_alloc();
  char* begin = static_cast<char*>(found);
  const std::size_t before =
      (alignment - reinterpret_cast<std::uintptr_t>(begin) % alignment) % alignment;
  if (before > 0) munmap(begin, before);
  munmap(begin + before + bytes, all - before - bytes);
  madvise(begin + before, bytes, MADV_HUGEPAGE);
  return begin + before;
}

// Stands at the begin of its memory, which any address in it leads to: pieces are aligned.
struct Piece {
  std::atomic<std::size_t> n_holders{1};  // arrays, and the thread that fills it
  std::size_t n_used = rounded_up(sizeof(Piece), LINE);

  static Piece* of(void* memory) {
    return reinterpret_cast<Piece*>(reinterpret_cast<std::uintptr_t>(memory) / PIECE * PIECE);
  }
  void let_go() {
    if (n_holders.fetch_sub(1, std::memory_order_acq_rel) == 1) munmap(this, PIECE);
  }
};

// The piece that a thread fills.
class Filling {
 public:
  ~Filling() {
    if (piece_ != nullptr) piece_->let_go();
  }
  void* take(std::size_t bytes) {
    if (piece_ == nullptr || piece_->n_used + bytes > PIECE) begin_another();
    void* found = reinterpret_cast<char*>(piece_) + piece_->n_used;
    piece_->n_used += rounded_up(bytes, LINE);
    piece_->n_holders.fetch_add(1, std::memory_order_relaxed);
    return found;
  }

 private:
  void begin_another() {
    Piece* fresh = ::new (map_pages(PIECE, PIECE)) Piece;
    if (piece_ != nullptr) piece_->let_go();
    piece_ = fresh;
  }

  Piece* piece_ = nullptr;
};

thread_local Filling filling;

}  // namespace

void* take_large_memory(std::size_t bytes) {
  if (bytes > MOST_SHARED_BYTES) return map_pages(rounded_up(bytes, LARGE_PAGE), LARGE_PAGE);
  return filling.take(bytes);
}

void give_large_memory(void* memory, std::size_t bytes) noexcept {
  if (bytes > MOST_SHARED_BYTES) {
    munmap(memory, rounded_up(bytes, LARGE_PAGE));
  } else {
    Piece::of(memory)->let_go();
  }
}

}  // namespace bayeswood

#else

namespace bayeswood {

void* take_large_memory(std::size_t bytes) {
  return ::operator new(bytes);
}
void give_large_memory(void* memory, std::size_t) noexcept {
  ::operator delete(memory);
}

}  // namespace bayeswood

#endif

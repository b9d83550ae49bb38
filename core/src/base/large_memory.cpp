#include "bayeswood/base/large_memory.hpp"

#if defined(__linux__)
#include <sys/mman.h>

#include <atomic>
#include <cstdint>

namespace bayeswood {
namespace {

constexpr std::size_t PIECE = std::size_t{16} << 20;
constexpr std::size_t MOST_SPARE = 32;
constexpr std::size_t LINE = 64;

std::size_t whole_lines(std::size_t bytes) {
  return (bytes + LINE - 1) / LINE * LINE;
}

// A piece, which begins at a multiple of its size.
void* map_piece() {
  void* found = mmap(nullptr, 2 * PIECE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED) throw std::bad_alloc();
  char* begin = static_cast<char*>(found);
  const std::size_t before = (PIECE - reinterpret_cast<std::uintptr_t>(begin) % PIECE) % PIECE;
  if (before > 0) munmap(begin, before);
  if (before < PIECE) munmap(begin + before + PIECE, PIECE - before);
  return begin + before;
}

// Pieces without arrays. Places are taken and left by single instructions: a process that is copied
// in between finds no lock that nobody will open.
std::atomic<void*> spare_pieces[MOST_SPARE];

void* spare_piece() {
  for (auto& place : spare_pieces) {
    if (place.load(std::memory_order_relaxed) == nullptr) continue;
    if (void* found = place.exchange(nullptr, std::memory_order_acquire)) return found;
  }
  return nullptr;
}

void spare(void* piece) {
  if (madvise(piece, PIECE, MADV_FREE) == 0) {
    for (auto& place : spare_pieces) {
      void* none = nullptr;
      if (place.compare_exchange_strong(none, piece, std::memory_order_release)) return;
    }
  }
  munmap(piece, PIECE);
}

// Stands at the begin of a piece, which any address in it leads to.
struct Piece {
  std::atomic<std::size_t> n_holders{1};  // arrays, and the thread that fills it
  std::size_t n_used = FIRST;

  static constexpr std::size_t FIRST = LINE;  // behind these two

  static Piece* of(void* memory) {
    return reinterpret_cast<Piece*>(reinterpret_cast<std::uintptr_t>(memory) / PIECE * PIECE);
  }
  // All arrays are gone, but for the thread that fills it.
  bool is_mine_alone() const { return n_holders.load(std::memory_order_acquire) == 1; }
  void let_go() {
    if (n_holders.fetch_sub(1, std::memory_order_acq_rel) == 1) spare(this);
  }
};

// The piece that a thread fills.
class Filling {
 public:
  ~Filling() {
    if (piece_ != nullptr) piece_->let_go();
  }
  void* take(std::size_t bytes) {
    if (piece_ != nullptr && piece_->is_mine_alone()) piece_->n_used = Piece::FIRST;
    if (piece_ == nullptr || piece_->n_used + bytes > PIECE) begin_another();
    void* found = reinterpret_cast<char*>(piece_) + piece_->n_used;
    piece_->n_used += whole_lines(bytes);
    piece_->n_holders.fetch_add(1, std::memory_order_relaxed);
    return found;
  }

 private:
  void begin_another() {
    void* memory = spare_piece();
    Piece* fresh = ::new (memory != nullptr ? memory : map_piece()) Piece;
    if (piece_ != nullptr) piece_->let_go();
    piece_ = fresh;
  }

  Piece* piece_ = nullptr;
};

thread_local Filling filling;

}  // namespace

void* take_large_memory(std::size_t bytes) {
  return filling.take(bytes);
}

void give_large_memory(void* memory) noexcept {
  Piece::of(memory)->let_go();
}

}  // namespace bayeswood

#else

namespace bayeswood {

void* take_large_memory(std::size_t bytes) {
  return ::operator new(bytes);
}
void give_large_memory(void* memory) noexcept {
  ::operator delete(memory);
}

}  // namespace bayeswood

#endif

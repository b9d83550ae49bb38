// Loops that the compiler turns into vectors of whatever width it is told to have.

template <class Code>
CodeRange find_range(const Slot* slots, Slot slot, const Code* codes, std::size_t n) {
  constexpr Code MISSING = static_cast<Code>(~Code{0});
  Code low = MISSING, high = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Code code = slots[i] == slot ? codes[i] : MISSING;
    const Code present = code == MISSING ? Code{0} : code;
    low = code < low ? code : low;
    high = present > high ? present : high;
  }
  return {low, high};
}

template <class Code>
std::size_t split_rows(const Slot* slots, const RowSplit& split, const Code* codes, std::size_t n,
                       Slot* out) {
  constexpr Code MISSING = static_cast<Code>(~Code{0});
  constexpr std::size_t PART = 4096;
  const Slot slot = split.slot, right = split.right;
  const Code cut = static_cast<Code>(split.cut);
  // Missing codes are the largest: what goes right ends before them if they stay.
  const Code last = split.missing_left ? static_cast<Code>(MISSING - 1) : MISSING;
  std::size_t n_right = 0;
  for (std::size_t begin = 0; begin < n; begin += PART) {
    const std::size_t end = begin + PART < n ? begin + PART : n;
    std::uint16_t here = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const Code code = codes[i];
      const Slot old = slots[i];
      const bool goes = (old == slot) & (code > cut) & (code <= last);
      out[i] = goes ? right : old;
      here = static_cast<std::uint16_t>(here + goes);
    }
    n_right += here;
  }
  return n_right;
}

inline void relabel_rows(const Slot* slots, const Slot* to, std::size_t, std::size_t n, Slot* out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = to[slots[i]];
}

//===- Tile.h - Tiles as values of the interpreter --------------*- C++ -*-===//
//
// A tile is a block of elements with a count of its holders, so that copies are
// free and an op may work in place where it is the only holder. Blocks go back
// to the pool of their run.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_REFERENCE_TILE_H
#define WEFT_RUNTIME_REFERENCE_TILE_H

#include "runtime/reference/Numbers.h"

#include <cstddef>
#include <cstdlib>
#include <map>
#include <new>
#include <utility>
#include <vector>

namespace weft::reference {

/// Element type and shape of a value; rank 0 is a scalar.
struct Shape {
  Element element = Element::F32;
  int rank = 0;
  int64_t rows = 1;
  int64_t columns = 1; ///< 1 for rank 1

  int64_t size() const { return rows * columns; }
  size_t bytes() const { return size_t(size() * tileBytes(element)); }
  bool operator==(const Shape &) const = default;
};

class TilePool;

namespace detail {
struct Block {
  TilePool *pool;
  size_t bytes;
  int64_t holders;
  char *data;
};
} // namespace detail

/// One holder of a tile, or of none.
class TileRef {
public:
  TileRef() = default;
  TileRef(const TileRef &other) : block(other.block) {
    if (block)
      ++block->holders;
  }
  TileRef(TileRef &&other) noexcept : block(std::exchange(other.block, {})) {}
  TileRef &operator=(TileRef other) noexcept {
    std::swap(block, other.block);
    return *this;
  }
  inline ~TileRef();

  explicit operator bool() const { return block; }
  bool isOnlyHolder() const { return block && block->holders == 1; }
  size_t bytes() const { return block->bytes; }
  template <typename T> T *as() const {
    return reinterpret_cast<T *>(block->data);
  }

private:
  friend class TilePool;
  explicit TileRef(detail::Block *block) : block(block) {}
  detail::Block *block = nullptr;
};

/// Blocks of one run, kept by size. Outlives the tiles taken from it.
class TilePool {
public:
  TilePool() = default;
  TilePool(const TilePool &) = delete;
  TilePool &operator=(const TilePool &) = delete;
  ~TilePool() {
    for (auto &[bytes, blocks] : free)
      for (detail::Block *block : blocks) {
        std::free(block->data);
        delete block;
      }
  }

  /// A tile whose content is open.
  TileRef take(size_t bytes) {
    std::vector<detail::Block *> &blocks = free[bytes];
    detail::Block *block;
    if (blocks.empty()) {
      size_t rounded = (bytes + 63) / 64 * 64;
      char *data = static_cast<char *>(
          std::aligned_alloc(64, rounded ? rounded : size_t(64)));
      if (!data)
        std::abort(); // As running out of memory anywhere in LLVM.
      block = new detail::Block{this, bytes, 0, data};
    } else {
      block = blocks.back();
      blocks.pop_back();
    }
    block->holders = 1;
    return TileRef(block);
  }

private:
  friend class TileRef;
  std::map<size_t, std::vector<detail::Block *>> free;
};

TileRef::~TileRef() {
  if (block && --block->holders == 0)
    block->pool->free[block->bytes].push_back(block);
}

} // namespace weft::reference

#endif // WEFT_RUNTIME_REFERENCE_TILE_H

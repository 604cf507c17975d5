#pragma once

#include <compare>
#include <cstddef>
#include <functional>

namespace frostline::base {

/// An index of one kind that does not mix with indices of another kind. Counts from 0.
template <class Tag>
struct Id {
  int value = 0;

  friend auto operator<=>(Id, Id) = default;
  Id& operator++() {
    ++value;
    return *this;
  }
  Id next() const { return {value + 1}; }
  Id previous() const { return {value - 1}; }
  /// For subscripts.
  std::size_t index() const { return static_cast<std::size_t>(value); }
};

/// All ids of a kind below `count`, for range-based loops: `for (auto r : ids<Rank>(ranks))`.
template <class IdType>
class IdRange {
 public:
  class Iterator {
   public:
    explicit Iterator(int value) : id_{value} {}
    IdType operator*() const { return id_; }
    Iterator& operator++() {
      ++id_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return id_ == other.id_; }

   private:
    IdType id_;
  };
  IdRange(int first, int end) : first_(first), end_(end) {}
  Iterator begin() const { return Iterator(first_); }
  Iterator end() const { return Iterator(end_ < first_ ? first_ : end_); }

 private:
  int first_;
  int end_;
};

template <class IdType>
IdRange<IdType> ids(int count) {
  return {0, count};
}

using Rank = Id<struct RankTag>;              ///< a device's place along the pipeline
using StageId = Id<struct StageTag>;          ///< a stage, in model order over all ranks
using MicroBatch = Id<struct MicroBatchTag>;  ///< a micro-batch of one optimizer step
using LayerId = Id<struct LayerTag>;          ///< a layer, in forward order
using UnitId = Id<struct UnitTag>;            ///< what freezes as one, in forward order

}  // namespace frostline::base

template <class Tag>
struct std::hash<frostline::base::Id<Tag>> {
  std::size_t operator()(frostline::base::Id<Tag> id) const noexcept {
    return std::hash<int>{}(id.value);
  }
};

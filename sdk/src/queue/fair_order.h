#pragma once

/// FairOrder: the order in which waiting places are served. Each place belongs to a lane (a
/// namespace or a user agent), and no lane can crowd out another.
///
/// Lanes with waiting places take turns in a ring. A lane joins the ring at its end. A lane serves
/// its places in FIFO order. Every fourth turn goes to the place that has waited longest in any
/// lane.
///
/// When a place is pushed, there is an upper bound on the number of places served before it. Later
/// pushes do not change this bound:
/// - a place whose lane was empty, with m other lanes waiting: m + m/3 + 1;
/// - any place, with k others waiting: 4k + 3.
///
/// All operations take constant time. A place costs five pointers. A lane exists only while it has
/// waiting places.
///
/// Threads: not synchronised; the owner's lock guards it.

#include <cstddef>
#include <list>
#include <string>
#include <unordered_map>

namespace capstan {

class FairOrder {
  struct Lane;

 public:
  /// Base class of what waits. An object must not move while it waits.
  class Place {
   public:
    bool waits() const { return lane_ != nullptr; }

   private:
    friend class FairOrder;
    Place* before_ = nullptr;  // in all lanes
    Place* after_ = nullptr;
    Place* before_in_lane_ = nullptr;
    Place* after_in_lane_ = nullptr;
    Lane* lane_ = nullptr;
  };

  FairOrder() = default;
  FairOrder(const FairOrder&) = delete;
  FairOrder& operator=(const FairOrder&) = delete;

  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  /// The order must not be empty.
  Place& LongestWaiting() const { return *first_; }

  /// `place` must not be waiting.
  void Push(const std::string& lane_name, Place& place);
  /// Removes and returns the place to serve next. The order must not be empty.
  Place& Pop();
  /// Removes `place`, which must be waiting.
  void Remove(Place& place);
  void Clear();

 private:
  static constexpr unsigned kTurnOfTheLongestWaiting = 4;

  struct Lane {
    std::string name;
    Place* first = nullptr;
    Place* last = nullptr;
    std::list<Lane>::iterator self = {};
  };

  std::list<Lane> ring_;  // the lane with the next turn first
  std::unordered_map<std::string, Lane*> lanes_;
  Place* first_ = nullptr;  // waiting longest
  Place* last_ = nullptr;
  size_t size_ = 0;
  unsigned turn_ = 0;
};

}  // namespace capstan

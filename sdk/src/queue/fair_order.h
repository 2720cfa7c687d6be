#pragma once

// FairOrder: in which order those that wait are served, when they belong to lanes (namespaces, user
// agents) of which none may crowd out another.
//
// The lanes that have somebody waiting take turns, in a ring that a lane joins at its end. A lane
// serves its places in the order in which they came. Each fourth turn is not the next lane's but
// goes to whoever has waited longest in any lane.
//
// So it can be said of a place, when it comes, how many are served before it at most, whatever
// comes later:
// - a place whose lane was empty, with m other lanes waiting: m + m/3 + 1;
// - any place, with k others waiting: 4k + 3.
//
// All is done in constant time. A place costs five pointers, and a lane is there while it is waited
// in.
//
// Threads: not synchronised, its owner's lock guards it.

#include <cstddef>
#include <list>
#include <string>
#include <unordered_map>

namespace capstan {

class FairOrder {
  struct Lane;

 public:
  // What is to be served derives from it, and stays where it is while it waits.
  class Place {
   public:
    bool waits() const { return lane_ != nullptr; }

   private:
    friend class FairOrder;
    Place* before_ = nullptr;  // of all
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
  // There must be somebody.
  Place& LongestWaiting() const { return *first_; }

  // `place` must not wait already.
  void Push(const std::string& lane_name, Place& place);
  // Who is served now, taken out. There must be somebody.
  Place& Pop();
  // `place` waits no longer.
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

  std::list<Lane> ring_;  // the next one's turn first
  std::unordered_map<std::string, Lane*> lanes_;
  Place* first_ = nullptr;  // the longest waiting
  Place* last_ = nullptr;
  size_t size_ = 0;
  unsigned turn_ = 0;
};

}  // namespace capstan

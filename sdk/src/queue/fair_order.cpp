#include "queue/fair_order.h"

#include <iterator>

namespace capstan {

void FairOrder::Push(const std::string& lane_name, Place& place) {
  Lane*& lane = lanes_[lane_name];
  if (lane == nullptr) {
    ring_.push_back({.name = lane_name});
    lane = &ring_.back();
    lane->self = std::prev(ring_.end());
  }
  place.lane_ = lane;
  place.before_in_lane_ = lane->last;
  (lane->last ? lane->last->after_in_lane_ : lane->first) = &place;
  lane->last = &place;
  place.before_ = last_;
  (last_ ? last_->after_ : first_) = &place;
  last_ = &place;
  ++size_;
}

FairOrder::Place& FairOrder::Pop() {
  turn_ = (turn_ + 1) % kTurnOfTheLongestWaiting;
  Place& place = turn_ == 0 ? *first_ : *ring_.front().first;
  if (turn_ != 0) ring_.splice(ring_.end(), ring_, ring_.begin());
  Remove(place);
  return place;
}

void FairOrder::Remove(Place& place) {
  Lane& lane = *place.lane_;
  (place.before_ ? place.before_->after_ : first_) = place.after_;
  (place.after_ ? place.after_->before_ : last_) = place.before_;
  (place.before_in_lane_ ? place.before_in_lane_->after_in_lane_ : lane.first) =
      place.after_in_lane_;
  (place.after_in_lane_ ? place.after_in_lane_->before_in_lane_ : lane.last) =
      place.before_in_lane_;
  place = Place();
  --size_;
  if (lane.first) return;
  lanes_.erase(lane.name);
  ring_.erase(lane.self);
}

void FairOrder::Clear() {
  while (first_) Remove(*first_);
}

}  // namespace capstan

#include "base/http/body_stream.h"

#include <utility>

namespace capstan::http {

BodyStream::BodyStream(Runtime& runtime) : room_(runtime.NewCondition()) {}

bool BodyStream::Write(std::string_view piece) {
  std::function<void()> wake;
  {
    MutexLock lock(mutex_);
    while (!is_closed_ && buffer_.size() >= kCapacity) room_->Wait(mutex_);
    if (is_closed_ || state_ != State::kOpen) return false;
    // If the buffer is not empty, the reader has already been notified.
    if (buffer_.empty()) wake = wake_;
    buffer_ += piece;
  }
  if (wake) wake();
  return true;
}

void BodyStream::End() { Finish(State::kEnded); }

void BodyStream::Break() { Finish(State::kBroken); }

void BodyStream::Finish(State state) {
  std::function<void()> wake;
  {
    MutexLock lock(mutex_);
    if (state_ != State::kOpen) return;
    state_ = state;
    wake = wake_;
  }
  if (wake) wake();
}

void BodyStream::Close() {
  std::function<void()> wake;
  {
    MutexLock lock(mutex_);
    is_closed_ = true;
    buffer_ = {};
    if (state_ == State::kOpen) state_ = State::kBroken;
    wake = std::exchange(wake_, nullptr);
    room_->NotifyAll();
  }
  closed_.request_stop();
  if (wake) wake();
}

BodyStream::State BodyStream::Take(std::string& piece) {
  MutexLock lock(mutex_);
  piece = std::move(buffer_);
  buffer_ = {};
  room_->NotifyAll();
  return state_;
}

void BodyStream::OnChange(std::function<void()> wake) {
  MutexLock lock(mutex_);
  if (!is_closed_) wake_ = std::move(wake);
}

}  // namespace capstan::http

#pragma once

/// BodyStream and BodyReader: the writing and the reading end of a response body that is sent while
/// it is written, such as the events of a watch.
///
/// The writer blocks while the client is too slow, so at most kCapacity bytes plus one piece are
/// buffered. When the reader is destroyed, `closed` is triggered and Write returns false.

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <capstan/runtime/mutex.h>
#include <capstan/runtime/runtime.h>

namespace capstan::http {

/// Threads: Write, End and Break are called from one thread, the other methods from any thread.
class BodyStream {
 public:
  static constexpr size_t kCapacity = 64 << 10;
  enum class State { kOpen, kEnded, kBroken };

  explicit BodyStream(Runtime& runtime);
  BodyStream(const BodyStream&) = delete;
  BodyStream& operator=(const BodyStream&) = delete;

  /// Blocks until there is room, then appends `piece`. Returns false if the stream is closed or has
  /// ended.
  bool Write(std::string_view piece);
  /// Marks the body as complete.
  void End();
  /// Ends the body early. The client must be able to tell that it is incomplete.
  void Break();

  /// Closes both ends. Write returns false from then on.
  void Close();
  /// A token that Close triggers.
  std::stop_token closed() const { return closed_.get_token(); }

 private:
  friend class BodyReader;

  void Finish(State state);
  State Take(std::string& piece);
  void OnChange(std::function<void()> wake);

  Mutex mutex_;
  const std::unique_ptr<Condition> room_;
  std::stop_source closed_;
  std::string buffer_ CAPSTAN_GUARDED_BY(mutex_);
  State state_ CAPSTAN_GUARDED_BY(mutex_) = State::kOpen;
  bool is_closed_ CAPSTAN_GUARDED_BY(mutex_) = false;
  std::function<void()> wake_ CAPSTAN_GUARDED_BY(mutex_);
};

/// The listener's end of a BodyStream. Threads: used by one thread at a time.
class BodyReader {
 public:
  using State = BodyStream::State;

  explicit BodyReader(std::shared_ptr<BodyStream> stream) : stream_(std::move(stream)) {}
  ~BodyReader() { stream_->Close(); }
  BodyReader(const BodyReader&) = delete;
  BodyReader& operator=(const BodyReader&) = delete;

  /// Moves all buffered bytes into `piece`. After kEnded or kBroken no more bytes follow.
  State Take(std::string& piece) { return stream_->Take(piece); }
  /// Sets the function that the writer's thread calls when there is something to take. It may still
  /// be called once after the reader is destroyed.
  void OnChange(std::function<void()> wake) { stream_->OnChange(std::move(wake)); }

 private:
  const std::shared_ptr<BodyStream> stream_;
};

}  // namespace capstan::http

#include "playground/watch_threads.h"

#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include <capstan/log/log.h>

namespace capstan::playground {

bool WatchThreads::Start(std::unique_ptr<HttpResponse> watch,
                         std::shared_ptr<http::BodyStream> stream) {
  std::list<Pump> ended;  // joined after the lock is released
  MutexLock lock(mutex_);
  for (auto pump = pumps_.begin(); pump != pumps_.end();) {
    const auto next = std::next(pump);
    if (pump->has_ended) ended.splice(ended.end(), pumps_, pump);
    pump = next;
  }
  if (stopped_ || pumps_.size() >= most_) return false;
  Pump& pump = pumps_.emplace_back();
  pump.watch = std::move(watch);
  pump.stream = std::move(stream);
  try {
    pump.thread = runtime_.Start("watch", [this, &pump] { Run(pump); });
  } catch (const std::system_error& error) {
    LogV(2, "Cannot start a thread for a watch", {{"err", error.what()}});
    pumps_.pop_back();
    return false;
  }
  return true;
}

void WatchThreads::Run(Pump& pump) {
  char buffer[1 << 14];
  while (true) {
    const auto size = pump.watch->Read(buffer, sizeof(buffer));
    if (!size) {
      pump.stream->Break();
      break;
    }
    if (*size == 0) {
      pump.stream->End();
      break;
    }
    if (!pump.stream->Write(std::string_view(buffer, *size))) break;
  }
  pump.watch.reset();
  MutexLock lock(mutex_);
  pump.has_ended = true;
}

void WatchThreads::Stop() {
  std::list<Pump> all;
  {
    MutexLock lock(mutex_);
    stopped_ = true;
    all.splice(all.end(), pumps_);
  }
  for (const Pump& pump : all) pump.stream->Close();
  for (const Pump& pump : all) pump.thread->Join();
}

}  // namespace capstan::playground

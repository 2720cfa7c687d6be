#pragma once

/// Mutex and MutexLock: std::mutex with the annotations that clang's thread-safety analysis checks.
///
/// Rules: one lock per class. Hold no lock across I/O, a callback, or a wait (except
/// Condition::Wait, which releases the lock). The simulated Runtime relies on this rule.

#include <mutex>

#include <capstan/export.h>

#if defined(__clang__)
#define CAPSTAN_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define CAPSTAN_THREAD_ANNOTATION(x)
#endif

#define CAPSTAN_GUARDED_BY(x) CAPSTAN_THREAD_ANNOTATION(guarded_by(x))
#define CAPSTAN_REQUIRES(...) CAPSTAN_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define CAPSTAN_EXCLUDES(...) CAPSTAN_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))
#define CAPSTAN_ACQUIRE(...) CAPSTAN_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define CAPSTAN_RELEASE(...) CAPSTAN_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
#define CAPSTAN_NO_THREAD_SAFETY_ANALYSIS CAPSTAN_THREAD_ANNOTATION(no_thread_safety_analysis)

namespace capstan {

class CAPSTAN_THREAD_ANNOTATION(capability("mutex")) Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void Lock() CAPSTAN_ACQUIRE() {
    if (!mutex_.try_lock()) LockContended();
  }
  void Unlock() CAPSTAN_RELEASE() { mutex_.unlock(); }
  /// For a Runtime's Condition only.
  std::mutex& native() { return mutex_; }

 private:
  CAPSTAN_EXPORT void LockContended();  // waits, and reports to capstan/runtime/contention.h

  std::mutex mutex_;
};

class CAPSTAN_THREAD_ANNOTATION(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) CAPSTAN_ACQUIRE(mutex) : mutex_(mutex) { mutex_.Lock(); }
  ~MutexLock() CAPSTAN_RELEASE() { mutex_.Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace capstan

#pragma once

namespace capstan::manager {

/// Limits the number of heaps of this process. By default nearly every thread gets one, and each
/// holds free memory that other threads could use. Call it before the first thread starts.
void LimitHeaps();

/// Returns memory to the system that only the start needed: free heap pages, and file pages of
/// programs and libraries. The system reads file pages again when they are used.
void TrimMemory();

}  // namespace capstan::manager

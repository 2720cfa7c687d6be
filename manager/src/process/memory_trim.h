#pragma once

namespace capstan::manager {

/// Returns memory to the system that only the start needed: free heap pages, and file pages of
/// programs and libraries. The system reads file pages again when they are used.
void TrimMemory();

}  // namespace capstan::manager

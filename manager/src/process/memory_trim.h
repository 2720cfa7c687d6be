#pragma once

namespace capstan::manager {

/// Gives the system back what starting needed and running does not: free heap pages, and the pages
/// of programs and libraries, which are read again from their files when they are used.
void TrimMemory();

}  // namespace capstan::manager

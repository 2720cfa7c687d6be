#pragma once

#include <string>

#include <capstan/cache/shared_informer.h>
#include <capstan/runtime/status.h>

namespace capstan {

/// Adds an index for `owner`, unless the same owner has already added it to the informer. A
/// controller is set up again each time its manager becomes the leader, while the informers live
/// on.
Status AddIndexOnce(SharedInformer& informer, const std::string& name, IndexFunction function,
                    const std::string& owner);

}  // namespace capstan

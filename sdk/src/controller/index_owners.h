#pragma once

#include <string>

#include <capstan/cache/shared_informer.h>
#include <capstan/runtime/status.h>

namespace capstan {

// Adds an index for `owner`, unless the informer has it from the same owner already: a controller
// is set up again whenever its manager comes to lead again, and the informers live on.
Status AddIndexOnce(SharedInformer& informer, const std::string& name, IndexFunction function,
                    const std::string& owner);

}  // namespace capstan

#pragma once

#include "comparison.h"
#include "vector.h"

namespace capstan::vectors {

// The state after the sync of the reference if each of its writes takes effect.
//
// The reference adopts a ReplicaSet by a patch, and may then update it from the copy that it had
// before the patch. A server that compares resourceVersions rejects this update. The recording
// server accepted it, and so removed the owner again. Here the adoption is kept beside the second
// write.
Outcome ReferenceOutcome(const Vector& vector);

}  // namespace capstan::vectors

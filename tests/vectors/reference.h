#pragma once

#include "comparison.h"
#include "vector.h"

namespace capstan::vectors {

// What the reference leaves behind where each of its writes counts.
//
// It adopts a ReplicaSet by a patch, and may then write it a second time, of the copy it had before
// the patch. A server that compares resourceVersions refuses that; the recording one took it, and
// with it the owner away again. Here the adoption stays beside the second write.
Outcome ReferenceOutcome(const Vector& vector);

}  // namespace capstan::vectors

#pragma once

/// The strategy base for kinds with a spec that users write and a status that controllers write.

#include "apiserver/schema/resource.h"

namespace capstan::testing::server {

class SpecStatusStrategy : public Strategy {
 public:
  bool WantsQualifiedFinalizers() const override { return true; }
  /// Replaces the status that the client sent with the initial status.
  void PrepareForCreate(json::Value& object) const override;
  void PrepareForUpdate(json::Value& object, const json::Value& before,
                        std::string_view subresource) const override;

 protected:
  virtual json::Value InitialStatus(const json::Value& object) const;
  /// Whether metadata.generation increases with changes of the spec.
  virtual bool CountsGenerations() const { return true; }
  /// Whether an update increases the generation: by default, if the spec differs. Kinds override
  /// this to include other fields.
  virtual bool ChangesGeneration(const json::Value& object, const json::Value& before) const;
  /// A write of the status also updates the metadata. Kinds override this to restore metadata that
  /// such a write may not change.
  virtual void KeepMetadata(json::Value& object, const json::Value& before) const;

  /// Copies the member from `before` to `object`.
  static void Keep(json::Value& object, const json::Value& before, std::string_view field);
};

}  // namespace capstan::testing::server

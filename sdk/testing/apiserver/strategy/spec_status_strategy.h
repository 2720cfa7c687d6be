#pragma once

// Kinds with a spec that users write and a status that controllers write.

#include "apiserver/schema/resource.h"

namespace capstan::testing::server {

class SpecStatusStrategy : public Strategy {
 public:
  bool WantsQualifiedFinalizers() const override { return true; }
  // The status is the initial one, whatever the client sent.
  void PrepareForCreate(json::Value& object) const override;
  void PrepareForUpdate(json::Value& object, const json::Value& before,
                        std::string_view subresource) const override;

 protected:
  virtual json::Value InitialStatus(const json::Value& object) const;
  // Whether metadata.generation counts changes of the spec.
  virtual bool CountsGenerations() const { return true; }
  // Beyond the spec: what else changes the generation.
  virtual bool ChangesGeneration(const json::Value& object, const json::Value& before) const;
  // A write of the status changes the metadata too, but for this.
  virtual void KeepMetadata(json::Value& object, const json::Value& before) const;

  // Makes `object`'s member as it is in `before`.
  static void Keep(json::Value& object, const json::Value& before, std::string_view field);
};

}  // namespace capstan::testing::server

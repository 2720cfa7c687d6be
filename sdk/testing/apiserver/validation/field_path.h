#pragma once

/// The path of a field under validation: a chain of steps. The text is built only when an error
/// needs it.

#include <cstddef>
#include <string>
#include <string_view>

namespace capstan::testing::server {

/// A step refers to its parent and to its name. Both must outlive it.
class FieldPath {
 public:
  explicit FieldPath(std::string_view root) : name_(root) {}

  FieldPath Child(std::string_view name) const& { return FieldPath(this, Step::kChild, name, 0); }
  FieldPath Index(size_t index) const& { return FieldPath(this, Step::kIndex, {}, index); }
  FieldPath Key(std::string_view key) const& { return FieldPath(this, Step::kKey, key, 0); }
  /// A step must not refer to a temporary.
  FieldPath Child(std::string_view name) const&& = delete;
  FieldPath Index(size_t index) const&& = delete;
  FieldPath Key(std::string_view key) const&& = delete;

  /// "spec.containers[0]"
  std::string Text() const {
    std::string text;
    AppendTo(text);
    return text;
  }
  /// Returns the text of the child `name`. "a.b" is a grandchild.
  std::string At(std::string_view name) const { return Child(name).Text(); }
  std::string At(std::string_view name, size_t index) const {
    const FieldPath child = Child(name);
    return child.Index(index).Text();
  }

 private:
  enum class Step : char { kChild, kIndex, kKey };

  FieldPath(const FieldPath* parent, Step step, std::string_view name, size_t index)
      : parent_(parent), name_(name), index_(index), step_(step) {}

  void AppendTo(std::string& text) const {
    if (parent_) parent_->AppendTo(text);
    switch (step_) {
      case Step::kChild:
        if (!text.empty()) text += '.';
        text += name_;
        return;
      case Step::kIndex:
        text += '[' + std::to_string(index_) + ']';
        return;
      case Step::kKey:
        text += '[';
        text += name_;
        text += ']';
        return;
    }
  }

  const FieldPath* parent_ = nullptr;
  std::string_view name_;
  size_t index_ = 0;
  Step step_ = Step::kChild;
};

}  // namespace capstan::testing::server

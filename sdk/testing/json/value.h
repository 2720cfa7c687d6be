#pragma once

/// A JSON value with value semantics. A copy takes constant time: copies share arrays and objects
/// until one of them is changed.
///
/// Threads: same as an int. Copies are independent, also across threads.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <capstan/runtime/status.h>

namespace capstan::json {

struct Member;

class Value {
 public:
  enum class Kind : uint8_t { kNull, kBool, kInteger, kDouble, kString, kArray, kObject };
  using Items = std::vector<Value>;
  using Members = std::vector<Member>;  ///< sorted by key

  Value() = default;                                             ///< null
  Value(bool value) : state_(value) {}                           // NOLINT
  Value(int value) : state_(static_cast<int64_t>(value)) {}      // NOLINT
  Value(int64_t value) : state_(value) {}                        // NOLINT
  Value(double value) : state_(value) {}                         // NOLINT
  Value(const char* value) : state_(std::string(value)) {}       // NOLINT
  Value(std::string value) : state_(std::move(value)) {}         // NOLINT
  Value(std::string_view value) : state_(std::string(value)) {}  // NOLINT
  static Value Array(std::initializer_list<Value> items = {});
  static Value Array(Items items);
  static Value Object(std::initializer_list<Member> members = {});

  Kind kind() const { return static_cast<Kind>(state_.index()); }
  bool IsNull() const { return kind() == Kind::kNull; }
  bool IsBool() const { return kind() == Kind::kBool; }
  bool IsInteger() const { return kind() == Kind::kInteger; }
  bool IsNumber() const { return kind() == Kind::kInteger || kind() == Kind::kDouble; }
  bool IsString() const { return kind() == Kind::kString; }
  bool IsArray() const { return kind() == Kind::kArray; }
  bool IsObject() const { return kind() == Kind::kObject; }
  /// Whether the value is null, "", 0, false, [] or {}: the values that Go's omitempty omits.
  bool IsEmpty() const;

  /// For a value of another kind these return false, 0, "" or an empty container.
  bool AsBool() const;
  int64_t AsInteger() const;
  double AsDouble() const;
  const std::string& AsString() const;
  const Items& items() const;
  const Members& members() const;

  /// Converts the value to an array (an object) first if it is not one.
  Items& MutableItems();
  /// The caller must keep the members sorted, without duplicate keys.
  Members& MutableMembers();
  void Append(Value item);

  /// Returns the member of an object, or null. The pointer is valid until this value is changed.
  const Value* Find(std::string_view key) const;
  /// Returns the member at this path of keys, or a null value.
  template <class... Keys>
  const Value& Get(std::string_view key, Keys... more) const {
    const Value& member = GetOne(key);
    if constexpr (sizeof...(more) == 0) {
      return member;
    } else {
      return member.Get(more...);
    }
  }
  /// Returns the member at this path of keys for modification. Creates missing objects.
  template <class... Keys>
  Value& Mutable(std::string_view key, Keys... more) {
    Value& member = MutableOne(key);
    if constexpr (sizeof...(more) == 0) {
      return member;
    } else {
      return member.Mutable(more...);
    }
  }
  void Set(std::string_view key, Value value) { MutableOne(key) = std::move(value); }
  /// Removes a member. Returns false if there was none. Does not convert the value to an object.
  bool Erase(std::string_view key);

  /// 1 and 1.0 are equal: they are the same JSON number.
  friend bool operator==(const Value& a, const Value& b);

 private:
  // A reference-counted block. std::shared_ptr::use_count() has no acquire ordering.
  template <class T>
  class Shared {
   public:
    Shared() : block_(new Block) {}
    explicit Shared(T value) : block_(new Block{{1}, std::move(value)}) {}
    Shared(const Shared& other) : block_(other.block_) {
      block_->references.fetch_add(1, std::memory_order_relaxed);
    }
    Shared(Shared&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
    Shared& operator=(Shared other) noexcept {
      std::swap(block_, other.block_);
      return *this;
    }
    ~Shared() {
      if (block_ && block_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete block_;
    }
    const T& get() const { return block_->value; }
    bool SameAs(const Shared& other) const { return block_ == other.block_; }
    T& Mutable() {
      if (block_->references.load(std::memory_order_acquire) != 1) *this = Shared(block_->value);
      return block_->value;
    }

   private:
    struct Block {
      std::atomic<uint32_t> references{1};
      T value;
    };
    Block* block_;
  };

  const Value& GetOne(std::string_view key) const;
  Value& MutableOne(std::string_view key);

  // In the order of Kind.
  std::variant<std::monostate, bool, int64_t, double, std::string, Shared<Items>, Shared<Members>>
      state_;
};

struct Member {
  std::string key;
  Value value;
};

bool operator==(const Member& a, const Member& b);

/// The maximum nesting that ParseValue accepts. It allows recursion over values.
inline constexpr size_t kMaxValueDepth = 512;

struct ParsedValue {
  Value value;
  /// The paths ("a.b") of members whose key occurred before in the same object, at most 100.
  /// `repeated` decides which value is kept.
  std::vector<std::string> duplicates;
};

/// How duplicate keys are resolved: the last member wins, or all object members are merged, as Go
/// does when it decodes them into one struct.
enum class Repeated : uint8_t { kLast, kMerged };

/// Parses one JSON value. The text must be valid UTF-8.
Result<ParsedValue> ParseValue(std::string text, Repeated repeated = Repeated::kLast);
/// Formats a value without white space, with sorted members.
void AppendJson(std::string& out, const Value& value);
std::string ToJson(const Value& value);

}  // namespace capstan::json

//===- JsonFields.h - Reads a JSON object key by key ------------*- C++ -*-===//
//
// Every read marks its key as known; `finish` refuses the others. The first
// error is kept, with the path of the value it is about.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_CASES_JSONFIELDS_H
#define WEFT_RUNTIME_CASES_JSONFIELDS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft::cases {

/// The first error of a parse; later ones are dropped.
class ErrorSink {
public:
  void add(const llvm::Twine &path, const llvm::Twine &message) {
    if (text.empty())
      text = (path + ": " + message).str();
  }
  void addMissing(const llvm::Twine &path, const llvm::Twine &message) {
    missing |= text.empty();
    add(path, message);
  }
  /// Says more than that a key is missing, which may be the same key misspelt.
  void addUnknown(const llvm::Twine &path, const llvm::Twine &message) {
    if (missing)
      text.clear();
    missing = false;
    add(path, message);
  }
  explicit operator bool() const { return !text.empty(); }
  llvm::Error take() const {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
  }

private:
  std::string text;
  bool missing = false; ///< it is about a key that is missing
};

/// One object. Readers return nothing for an absent key and for a value that
/// was refused.
class Fields {
public:
  /// `value` must outlive this; not an object is an error.
  Fields(const llvm::json::Value &value, std::string path, ErrorSink &errors);

  bool has(llvm::StringRef key) const;
  std::optional<int64_t> integer(llvm::StringRef key, int64_t least,
                                 int64_t most);
  std::optional<double> number(llvm::StringRef key);
  std::optional<bool> boolean(llvm::StringRef key);
  std::optional<std::string> string(llvm::StringRef key);
  /// The index of a string in `names`.
  std::optional<size_t> oneOf(llvm::StringRef key,
                              llvm::ArrayRef<llvm::StringLiteral> names);
  std::optional<std::vector<int32_t>> int32List(llvm::StringRef key);
  const llvm::json::Value *object(llvm::StringRef key);
  const llvm::json::Array *array(llvm::StringRef key);

  /// An error unless the key is there; `why` follows "is missing".
  void require(llvm::StringRef key, const llvm::Twine &why = "");
  void fail(llvm::StringRef key, const llvm::Twine &message);
  std::string pathOf(llvm::StringRef key) const;
  /// Refuses every key that nothing read.
  void finish();

private:
  const llvm::json::Value *get(llvm::StringRef key);

  const llvm::json::Object *fields = nullptr;
  std::string path;
  ErrorSink &errors;
  llvm::SmallVector<llvm::StringRef, 32> known;
};

/// `value` as an integer in [least, most], or an error at `path`.
std::optional<int64_t> readInteger(const llvm::json::Value &value,
                                   const llvm::Twine &path, int64_t least,
                                   int64_t most, ErrorSink &errors);

/// "a, b or c"
std::string joinNames(llvm::ArrayRef<llvm::StringRef> names,
                      llvm::StringRef last);

/// Parses `text` after bounding its nesting: the JSON parser recurses.
llvm::Expected<llvm::json::Value> parseBoundedJson(llvm::StringRef text);

} // namespace weft::cases

#endif // WEFT_RUNTIME_CASES_JSONFIELDS_H

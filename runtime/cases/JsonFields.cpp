//===- JsonFields.cpp - Reads a JSON object key by key --------------------===//

#include "runtime/cases/JsonFields.h"

#include "runtime/spec/Hint.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <limits>

using namespace weft::cases;
using llvm::StringRef;
using llvm::Twine;
namespace json = llvm::json;

static StringRef kindName(const json::Value &value) {
  switch (value.kind()) {
  case json::Value::Null:
    return "null";
  case json::Value::Boolean:
    return "a boolean";
  case json::Value::Number:
    return "a number";
  case json::Value::String:
    return "a string";
  case json::Value::Array:
    return "a list";
  case json::Value::Object:
    return "an object";
  }
  return "something else";
}

std::string weft::cases::joinNames(llvm::ArrayRef<StringRef> names,
                                   StringRef last) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0)
      text += i + 1 == names.size() ? (" " + last + " ").str() : ", ";
    text += names[i];
  }
  return text;
}

std::optional<int64_t> weft::cases::readInteger(const json::Value &value,
                                                const Twine &path,
                                                int64_t least, int64_t most,
                                                ErrorSink &errors) {
  std::optional<int64_t> result = value.getAsInteger();
  std::string range =
      ("an integer from " + Twine(least) + " to " + Twine(most)).str();
  if (!result) {
    errors.add(path, value.kind() == json::Value::Number
                         ? "is not " + range
                         : "is " + kindName(value).str() + ", not " + range);
    return std::nullopt;
  }
  if (*result < least || *result > most) {
    errors.add(path, Twine(*result) + " is not " + range);
    return std::nullopt;
  }
  return result;
}

Fields::Fields(const json::Value &value, std::string path, ErrorSink &errors)
    : fields(value.getAsObject()), path(std::move(path)), errors(errors) {
  if (!fields)
    errors.add(this->path.empty() ? "the case" : this->path,
               "is " + kindName(value) + ", not an object");
}

std::string Fields::pathOf(StringRef key) const {
  return path.empty() ? key.str() : (path + "." + key).str();
}

void Fields::fail(StringRef key, const Twine &message) {
  errors.add(pathOf(key), message);
}

bool Fields::has(StringRef key) const { return fields && fields->get(key); }

const json::Value *Fields::get(StringRef key) {
  known.push_back(key);
  return fields ? fields->get(key) : nullptr;
}

void Fields::require(StringRef key, const Twine &why) {
  if (fields && !fields->get(key))
    errors.addMissing(pathOf(key), "is missing" + why);
}

std::optional<int64_t> Fields::integer(StringRef key, int64_t least,
                                       int64_t most) {
  const json::Value *value = get(key);
  if (!value)
    return std::nullopt;
  return readInteger(*value, pathOf(key), least, most, errors);
}

std::optional<double> Fields::number(StringRef key) {
  const json::Value *value = get(key);
  if (!value)
    return std::nullopt;
  std::optional<double> result = value->getAsNumber();
  if (!result)
    fail(key, "is " + kindName(*value) + ", not a number");
  else if (!std::isfinite(*result))
    fail(key, "is not a finite number");
  else
    return result;
  return std::nullopt;
}

std::optional<bool> Fields::boolean(StringRef key) {
  const json::Value *value = get(key);
  if (!value)
    return std::nullopt;
  std::optional<bool> result = value->getAsBoolean();
  if (!result)
    fail(key, "is " + kindName(*value) + ", not true or false");
  return result;
}

std::optional<std::string> Fields::string(StringRef key) {
  const json::Value *value = get(key);
  if (!value)
    return std::nullopt;
  std::optional<StringRef> result = value->getAsString();
  if (!result) {
    fail(key, "is " + kindName(*value) + ", not a string");
    return std::nullopt;
  }
  return result->str();
}

std::optional<size_t> Fields::oneOf(StringRef key,
                                    llvm::ArrayRef<llvm::StringLiteral> names) {
  std::optional<std::string> text = string(key);
  if (!text)
    return std::nullopt;
  for (auto [i, name] : llvm::enumerate(names))
    if (name == *text)
      return i;
  llvm::SmallVector<StringRef> list(names.begin(), names.end());
  fail(key, "'" + *text + "' is not one of " + joinNames(list, "and") +
                hint(*text, list));
  return std::nullopt;
}

std::optional<std::vector<int32_t>> Fields::int32List(StringRef key) {
  const json::Array *list = array(key);
  if (!list)
    return std::nullopt;
  std::vector<int32_t> result;
  for (auto [i, value] : llvm::enumerate(*list)) {
    std::optional<int64_t> entry =
        readInteger(value, pathOf(key) + "[" + Twine(i) + "]",
                    std::numeric_limits<int32_t>::min(),
                    std::numeric_limits<int32_t>::max(), errors);
    if (!entry)
      return std::nullopt;
    result.push_back(int32_t(*entry));
  }
  return result;
}

const json::Value *Fields::object(StringRef key) {
  const json::Value *value = get(key);
  if (!value)
    return nullptr;
  if (!value->getAsObject()) {
    fail(key, "is " + kindName(*value) + ", not an object");
    return nullptr;
  }
  return value;
}

const json::Array *Fields::array(StringRef key) {
  const json::Value *value = get(key);
  if (!value)
    return nullptr;
  const json::Array *result = value->getAsArray();
  if (!result)
    fail(key, "is " + kindName(*value) + ", not a list");
  return result;
}

void Fields::finish() {
  if (!fields)
    return;
  // Objects are unordered: report the first unknown key of the alphabet.
  std::optional<StringRef> unknown;
  for (const auto &entry : *fields)
    if (!llvm::is_contained(known, StringRef(entry.first)) &&
        (!unknown || StringRef(entry.first) < *unknown))
      unknown = StringRef(entry.first);
  if (unknown)
    errors.addUnknown(pathOf(*unknown), "unknown key; the keys here are " +
                                            joinNames(known, "and") +
                                            hint(*unknown, known));
}

llvm::Expected<json::Value> weft::cases::parseBoundedJson(StringRef text) {
  constexpr int maxDepth = 32;
  constexpr size_t maxBytes = size_t(64) << 20;
  if (text.size() > maxBytes)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the text is larger than 64 MiB");
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quoted && c == '\\')
      ++i;
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && (c == '[' || c == '{') && ++depth > maxDepth)
      return llvm::createStringError(
          llvm::inconvertibleErrorCode(),
          "lists and objects nest deeper than 32 levels");
    else if (!quoted && (c == ']' || c == '}'))
      --depth;
  }
  return json::parse(text);
}

//===- Manifest.cpp - What a pack is to hold ------------------------------===//

#include "runtime/pack/Manifest.h"

#include "runtime/spec/Hint.h"

#include "llvm/Support/JSON.h"

using namespace llvm;

namespace weft {

static Error notALine() {
  return createStringError("is no problem; write {\"spec\": \"forward bf16 "
                           "head_dim=128 layout=thd\", \"arch\": \"sm_90a\"}");
}

static Error readTargets(const json::Value &value, ManifestEntry &entry) {
  auto add = [&](const json::Value &one) -> Error {
    std::optional<StringRef> name = one.getAsString();
    if (!name || name->empty())
      return createStringError("arch is neither a target such as \"sm_90a\" "
                               "nor a list of them");
    entry.targets.push_back(name->str());
    return Error::success();
  };
  const json::Array *list = value.getAsArray();
  if (!list)
    return add(value);
  for (const json::Value &one : *list)
    if (Error error = add(one))
      return error;
  return Error::success();
}

static Expected<ManifestEntry> readEntry(const json::Value &value) {
  ManifestEntry entry;
  std::optional<StringRef> spec = value.getAsString();
  if (const json::Object *object = value.getAsObject()) {
    for (const auto &[key, field] : *object)
      if (StringRef name = key; name != "spec" && name != "arch")
        return createStringError("unknown key '" + name +
                                 "'; keys are spec and arch" +
                                 hint(name, {"spec", "arch"}));
    spec = object->getString("spec");
    if (!spec)
      return createStringError("spec is missing, or no string");
    if (const json::Value *targets = object->get("arch"))
      if (Error error = readTargets(*targets, entry))
        return error;
  }
  if (!spec)
    return notALine();
  Expected<AttentionSpec> parsed = AttentionSpec::parse(*spec);
  if (!parsed)
    return parsed.takeError();
  entry.spec = std::move(*parsed);
  return entry;
}

Expected<std::vector<ManifestEntry>> parseManifest(StringRef text) {
  std::vector<ManifestEntry> entries;
  auto add = [&](const json::Value &value, const Twine &place) -> Error {
    Expected<ManifestEntry> entry = readEntry(value);
    if (!entry)
      return createStringError(place + ": " + toString(entry.takeError()));
    entry->place = place.str();
    entries.push_back(std::move(*entry));
    return Error::success();
  };
  if (text.ltrim().starts_with("[")) {
    Expected<json::Value> list = json::parse(text);
    if (!list)
      return list.takeError();
    for (const json::Value &value : *list->getAsArray())
      if (Error error = add(value, "entry " + Twine(entries.size())))
        return error;
  } else {
    size_t number = 0;
    while (!text.empty()) {
      auto [line, rest] = text.split('\n');
      text = rest;
      ++number;
      if (line.trim().empty())
        continue;
      Expected<json::Value> value = json::parse(line);
      if (!value)
        return createStringError("line " + Twine(number) + ": " +
                                 toString(value.takeError()) +
                                 "; a manifest has one JSON value a line");
      if (Error error = add(*value, "line " + Twine(number)))
        return error;
    }
  }
  if (entries.empty())
    return createStringError("the manifest names no problem");
  return entries;
}

} // namespace weft

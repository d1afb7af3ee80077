//===- installed.cpp - Uses an installed weft -----------------------------===//

#include <weft.hpp>

#include <cstdio>

int main() {
  auto spec =
      weft::AttentionSpec::parse("forward bf16 head_dim=64 layout=bshd");
  if (!spec) {
    std::fprintf(stderr, "%s\n", spec.status().message.c_str());
    return 1;
  }
  auto text = spec->text();
  if (!text)
    return 1;
  std::printf("weft %s: %s\n", weft_version(), text->c_str());
  return 0;
}

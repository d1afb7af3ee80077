//===- ImageTest.cpp - What is handed to the driver as a cubin ------------===//

#include "runtime/cuda/Kernels.h"
#include "tests/unit/program/Builder.h"

#include "llvm/BinaryFormat/ELF.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace weft;
using program::messageOf;

namespace {

std::string check(llvm::StringRef image) {
  return messageOf(checkKernelImage(
      llvm::ArrayRef<uint8_t>(image.bytes_begin(), image.size()), "k"));
}

/// An ELF file of one section with 100 bytes of content.
std::string elf() {
  llvm::ELF::Elf64_Ehdr header{};
  std::memcpy(header.e_ident, llvm::ELF::ElfMagic, 4);
  llvm::ELF::Elf64_Shdr section{};
  section.sh_type = llvm::ELF::SHT_PROGBITS;
  section.sh_offset = sizeof(header);
  section.sh_size = 100;
  header.e_shoff = section.sh_offset + section.sh_size;
  header.e_shnum = 1;
  std::string image(header.e_shoff + sizeof(section), 'x');
  std::memcpy(image.data(), &header, sizeof(header));
  std::memcpy(image.data() + header.e_shoff, &section, sizeof(section));
  return image;
}

TEST(Image, Empty) {
  EXPECT_EQ(check(""), "kernel \"k\" has no cubin: the program was compiled to "
                       "text only, compile it to cubins");
}

TEST(Image, EveryTruncatedCubin) {
  std::string image = elf();
  EXPECT_EQ(check(image), "");
  for (size_t length = 1; length < image.size(); ++length)
    EXPECT_NE(check(llvm::StringRef(image).take_front(length)), "") << length;
  EXPECT_EQ(check(llvm::StringRef(image).drop_back()),
            "the cubin of kernel \"k\" is truncated or corrupt; compile it "
            "again");
}

TEST(Image, SectionPastTheEnd) {
  std::string image = elf();
  llvm::ELF::Elf64_Shdr section;
  size_t at = image.size() - sizeof(section);
  std::memcpy(&section, image.data() + at, sizeof(section));
  for (uint64_t size : {uint64_t(1000), ~uint64_t(0), ~uint64_t(0) - 63}) {
    section.sh_size = size;
    std::memcpy(image.data() + at, &section, sizeof(section));
    EXPECT_NE(check(image), "") << size;
  }
}

TEST(Image, Ptx) {
  using namespace std::string_literals;
  EXPECT_EQ(check(".version 7.0\n\0"s), "");
  EXPECT_EQ(check(".version 7.0\n"s),
            "the image of kernel \"k\" is neither a cubin nor PTX text; "
            "compile it again");
  EXPECT_NE(check("hello\0"s), "");
}

} // namespace

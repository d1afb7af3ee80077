//===- Program.cpp - The launch program, read and written -----------------===//

#include "runtime/program/Program.h"

#include "llvm/ADT/Twine.h"

using namespace weft::program;
using llvm::ArrayRef;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

static Error error(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

Expected<std::vector<uint8_t>>
weft::program::serialize(const ProgramT &program) {
  flatbuffers::FlatBufferBuilder builder;
  FinishProgramBuffer(builder, Program::Pack(builder, &program));
  const uint8_t *begin = builder.GetBufferPointer();
  std::vector<uint8_t> bytes(begin, begin + builder.GetSize());
  if (Expected<const Program *> loaded = load(bytes); !loaded)
    return loaded.takeError();
  return bytes;
}

Expected<const Program *> weft::program::load(ArrayRef<uint8_t> bytes) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) % programAlignment)
    return error("launch program at an address that is not a multiple of " +
                 Twine(programAlignment) + "; copy it to one that is");
  // The identifier lies behind the offset of the root table.
  size_t header = sizeof(flatbuffers::uoffset_t) +
                  flatbuffers::FlatBufferBuilder::kFileIdentifierLength;
  if (bytes.size() < header || !ProgramBufferHasIdentifier(bytes.data()))
    return error("not a launch program: the file does not carry the mark \"" +
                 Twine(ProgramIdentifier()) + "\"");
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!VerifyProgramBuffer(verifier))
    return error("launch program is truncated or corrupt; compile it again");
  const Program *program = GetProgram(bytes.data());
  if (Error e = verify(*program))
    return e;
  return program;
}

//===- Device.cpp - What a case runs on -----------------------------------===//

#include "runtime/cases/Device.h"

using namespace weft::cases;

llvm::Error Device::runTogether(const Job &a, const Job &b, int rounds) {
  for (int round = 0; round < rounds; ++round)
    for (const Job *job : {&a, &b})
      if (llvm::Error e =
              run(job->spec, job->problem, job->memory, job->options))
        return e;
  return llvm::Error::success();
}

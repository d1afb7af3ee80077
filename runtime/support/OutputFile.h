//===- OutputFile.h - Files that a user names for output --------*- C++ -*-===//

#ifndef WEFT_RUNTIME_SUPPORT_OUTPUTFILE_H
#define WEFT_RUNTIME_SUPPORT_OUTPUTFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

#include <string>

namespace weft {

/// The file to replace where a user names `path`: a regular one or a new one,
/// at the end of its links. Whoever puts a new file in the place of an old one
/// by a rename asks first, since a rename takes the place of anything: of a
/// device, of a pipe, of the link in place of what it leads to.
llvm::Expected<std::string> fileToReplace(llvm::StringRef path);

/// An error if `path` cannot be written, told before the work whose result goes
/// there. Devices and pipes can: they are written, not replaced.
llvm::Error checkWritable(llvm::StringRef path);

/// Writes `bytes` to `path`, in place of what it held.
llvm::Error writeFile(const llvm::Twine &path, llvm::StringRef bytes);

} // namespace weft

#endif // WEFT_RUNTIME_SUPPORT_OUTPUTFILE_H

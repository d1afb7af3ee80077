//===- Status.h - From the library's errors to the C interface's -*- C++
//-*-===//

#ifndef WEFT_RUNTIME_API_STATUS_H
#define WEFT_RUNTIME_API_STATUS_H

#include "runtime/api/weft.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace weft {

/// An error that knows its status.
class StatusError : public llvm::ErrorInfo<StatusError> {
public:
  static char ID;
  StatusError(weft_status status, std::string message)
      : status(status), text(std::move(message)) {}
  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

  const weft_status status;

private:
  std::string text;
};

inline llvm::Error statusError(weft_status status, const llvm::Twine &message) {
  return llvm::make_error<StatusError>(status, message.str());
}
inline llvm::Error statusError(weft_status status, llvm::Error error) {
  return statusError(status, toString(std::move(error)));
}

/// The message of this thread's latest failure.
std::string &lastError();

/// Keeps the message for weft_last_error.
weft_status fail(weft_status status, const llvm::Twine &message);

/// The same for an error of any kind; one that does not tell its status has
/// `otherwise`.
weft_status fail(llvm::Error error, weft_status otherwise);

} // namespace weft

#endif // WEFT_RUNTIME_API_STATUS_H

//===- Progress.cpp - How far a long compile is ---------------------------===//

#include "tools/weftc/Progress.h"

#include <cmath>

using namespace llvm;

namespace weft {

std::string durationText(double seconds) {
  int64_t whole = std::llround(seconds);
  if (whole >= 3600)
    return (Twine(whole / 3600) + "h " + Twine(whole % 3600 / 60) + "m").str();
  if (whole >= 60)
    return (Twine(whole / 60) + "m " + Twine(whole % 60) + "s").str();
  return (Twine(whole) + "s").str();
}

std::string progressText(size_t done, size_t total, size_t timed,
                         double seconds) {
  constexpr size_t width = 30;
  size_t filled = total ? done * width / total : width;
  std::string text = "[" + std::string(filled, '#') +
                     std::string(width - filled, '.') + "] " +
                     std::to_string(done) + " of " + std::to_string(total);
  // Each is taken to be as long as those so far.
  if (timed > 0 && done < total)
    text +=
        ", about " + durationText(seconds / timed * (total - done)) + " left";
  return text;
}

Progress::Progress(raw_ostream &stream, bool isTerminal, size_t done,
                   size_t total)
    : stream(stream), isTerminal(isTerminal), before(done), total(total),
      done(done) {
  if (done < total)
    show();
}

Progress::~Progress() {
  if (isTerminal)
    stream << "\r\033[K";
}

double Progress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void Progress::show() {
  shown = Clock::now();
  std::string text = progressText(done, total, done - before, seconds());
  if (isTerminal)
    stream << "\r" << text << "\033[K";
  else
    stream << text << "\n";
  stream.flush();
}

void Progress::step() {
  ++done;
  if (isTerminal || done == total ||
      Clock::now() - shown >= std::chrono::seconds(5))
    show();
}

void Progress::say(const Twine &line) {
  stream << (isTerminal ? "\r\033[K" : "") << line << "\n";
  if (isTerminal)
    show();
}

} // namespace weft

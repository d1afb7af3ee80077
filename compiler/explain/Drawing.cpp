//===- Drawing.cpp - A plan's story as a timeline in SVG ------------------===//
//
// Steps go across and buffers down. A buffer has a lane for each domain, in the
// colour of what it holds, which changes where a step's badge sits. Everything
// is in one fixed-width font, so that the room a text takes is known and
// nothing overlaps.
//
//===----------------------------------------------------------------------===//

#include "compiler/explain/Formulas.h"
#include "compiler/explain/Tell.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace weft;
using llvm::StringRef;

// Lengths in pixels.
static constexpr double kCharacter = 7.3;      ///< of text of 12 px
static constexpr double kSmallCharacter = 6.4; ///< of text of 10.5 px
static constexpr double kMargin = 24;
static constexpr double kLane = 16;   ///< a domain
static constexpr double kLaneGap = 3; ///< between domains
static constexpr double kRowGap = 10; ///< between buffers
static constexpr double kLine = 15;   ///< from one line of text to the next
static constexpr double kBadge = 7.5; ///< radius
static constexpr double kLaneName = 42;
static constexpr double kNarrowest = 96; ///< column
static constexpr double kSectionTitle = 28;

static const char kStyle[] = R"(<style>
  text { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: 12px; fill: #1f2328; }
  .paper { fill: #ffffff; }
  .title { font-size: 15px; font-weight: 700; }
  .heading { font-size: 13px; font-weight: 700; }
  .name { font-weight: 700; }
  .small, .section { font-size: 10.5px; fill: #59636e; }
  .section { font-weight: 700; letter-spacing: 0.08em; }
  .rule { stroke: #d1d9e0; stroke-width: 1; }
  .undefined { fill: url(#hatch); stroke: #9aa4af; stroke-width: 1; }
  .hatch { stroke: #9aa4af; stroke-width: 1; }
  .defined { fill: #2f6fd0; }
  .filled { fill: #1f8a4c; }
  .on { fill: #ffffff; font-size: 10.5px; }
  .on-undefined { fill: #59636e; font-size: 10.5px; paint-order: stroke; stroke: #ffffff; stroke-width: 3px; }
  .arena { fill: #efe4fb; stroke: #8250df; stroke-width: 1; }
  .badge { fill: #ffffff; stroke: #1f2328; stroke-width: 1.3; }
  .mark { font-size: 10.5px; font-weight: 700; text-anchor: middle; }
  .middle { text-anchor: middle; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .paper { fill: #0d1117; }
    .small, .section { fill: #9198a1; }
    .rule { stroke: #30363d; }
    .undefined { stroke: #6b7580; }
    .hatch { stroke: #6b7580; }
    .defined { fill: #3b74cf; }
    .filled { fill: #2a8f55; }
    .on { fill: #ffffff; }
    .on-undefined { fill: #b1bac4; stroke: #0d1117; }
    .arena { fill: #271a3d; stroke: #a371f7; }
    .badge { fill: #0d1117; stroke: #e6edf3; }
  }
</style>
)";

static double width(StringRef text) { return kCharacter * double(text.size()); }
static double smallWidth(StringRef text) {
  return kSmallCharacter * double(text.size());
}

namespace {

/// Elements of a drawing, and how much room they take.
class Canvas {
public:
  void text(double x, double y, StringRef style, StringRef content,
            double room) {
    os << llvm::formatv("<text x=\"{0:f1}\" y=\"{1:f1}\" class=\"{2}\">", x, y,
                        style);
    llvm::printHTMLEscaped(content, os);
    os << "</text>\n";
    reach(x + room, y);
  }
  void text(double x, double y, StringRef content, StringRef style = "") {
    text(x, y, style, content, width(content));
  }
  void small(double x, double y, StringRef content, StringRef style = "small") {
    text(x, y, style, content, smallWidth(content));
  }
  void centred(double x, double y, StringRef style, StringRef content) {
    text(x, y, (style + " middle").str(), content, width(content) / 2);
  }
  void line(double x1, double y1, double x2, double y2) {
    os << llvm::formatv("<line class=\"rule\" x1=\"{0:f1}\" y1=\"{1:f1}\" "
                        "x2=\"{2:f1}\" y2=\"{3:f1}\"/>\n",
                        x1, y1, x2, y2);
  }
  /// `facts` are further attributes; `tip` shows where the pointer rests.
  void box(double x, double y, double w, double h, StringRef style,
           StringRef facts, StringRef tip) {
    os << llvm::formatv("<rect class=\"{0}\" x=\"{1:f1}\" y=\"{2:f1}\" "
                        "width=\"{3:f1}\" height=\"{4:f1}\" rx=\"2\"{5}>",
                        style, x, y, w, h, facts);
    os << "<title>";
    llvm::printHTMLEscaped(tip, os);
    os << "</title></rect>\n";
    reach(x + w, y + h);
  }
  void badge(double x, double y, StringRef mark, StringRef tip) {
    os << llvm::formatv("<g><title>");
    llvm::printHTMLEscaped(tip, os);
    os << llvm::formatv("</title><circle class=\"badge\" cx=\"{0:f1}\" "
                        "cy=\"{1:f1}\" r=\"{2:f1}\"/><text class=\"mark\" "
                        "x=\"{0:f1}\" y=\"{3:f1}\">{4}</text></g>\n",
                        x, y, kBadge, y + 3.8, mark);
  }
  void open(StringRef style, StringRef name) {
    os << llvm::formatv("<g class=\"{0}\" data-name=\"", style);
    llvm::printHTMLEscaped(name, os);
    os << "\">\n";
  }
  void close() { os << "</g>\n"; }

  std::string finish(StringRef title) {
    std::string text;
    llvm::raw_string_ostream out(text);
    double w = right + kMargin, h = bottom + kMargin;
    out << llvm::formatv(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:f0}\" "
        "height=\"{1:f0}\" viewBox=\"0 0 {0:f0} {1:f0}\" role=\"img\">\n",
        w, h);
    out << "<title>";
    llvm::printHTMLEscaped(title, out);
    out << "</title>\n<desc>Who owns every buffer of a plan after each step, "
           "and what each of its domains holds.</desc>\n"
        << kStyle
        << "<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" "
           "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
           "<line class=\"hatch\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"6\"/>"
           "</pattern></defs>\n"
        << llvm::formatv("<rect class=\"paper\" width=\"{0:f0}\" "
                         "height=\"{1:f0}\"/>\n",
                         w, h)
        << body << "</svg>\n";
    return text;
  }

private:
  void reach(double x, double y) {
    right = std::max(right, x);
    bottom = std::max(bottom, y);
  }

  std::string body;
  llvm::raw_string_ostream os{body};
  double right = 0, bottom = 0;
};

/// A column: a step that runs, the arrival before them or the return behind.
struct Column {
  size_t step = 0; ///< number; 0: arrival
  double left = 0, right = 0;
  double middle() const { return (left + right) / 2; }
};

/// Draws one plan from `top` on; `note` stands beside its name.
class PlanDrawing {
public:
  PlanDrawing(Canvas &canvas, const PlanStory &plan, StringRef note)
      : canvas(canvas), plan(plan), note(note) {
    layOut();
  }
  /// Where the next thing may begin.
  double draw(double top);

private:
  void layOut();
  void drawHeader(double top);
  double heightOf(size_t index) const;
  double heightOfSections() const;
  double drawSection(double y, BufferStory::Owner owner);
  void drawBuffer(double y, size_t index);
  void drawLane(double y, size_t index, const DomainStory &domain);
  double drawArena(double y);

  /// The part of the drawing's width in which a buffer has its memory.
  std::pair<double, double> life(const BufferStory &buffer) const;
  std::vector<const DomainStory *> lanesOf(size_t index) const;
  const StepStory &stepOf(const Column &column) const {
    return plan.steps[column.step - 1];
  }
  double rightEdge() const { return columns.back().right; }

  Canvas &canvas;
  const PlanStory &plan;
  StringRef note;
  std::vector<Column> columns;
  double lanesFrom = 0; ///< x of the names of lanes
};

} // namespace

static constexpr BufferStory::Owner kSections[] = {
    BufferStory::Owner::Input, BufferStory::Owner::Workspace,
    BufferStory::Owner::Result};

static StringRef titleOf(BufferStory::Owner owner) {
  switch (owner) {
  case BufferStory::Owner::Input:
    return "INPUTS";
  case BufferStory::Owner::Workspace:
    return "WORKSPACE";
  case BufferStory::Owner::Result:
    return "RESULTS";
  }
  return "";
}

static std::string bytesText(const BufferStory &buffer) {
  if (buffer.bytes.value)
    return grouped(*buffer.bytes.value) + " bytes";
  return buffer.bytes.formula + " bytes";
}

/// "launch @dkdv" and what it does to the buffer, for the pointer.
static const char *verbOf(AccessStory::Kind kind) {
  switch (kind) {
  case AccessStory::Kind::Read:
    return "reads";
  case AccessStory::Kind::Add:
    return "adds to";
  case AccessStory::Kind::Count:
    return "counts in";
  case AccessStory::Kind::Write:
    return "writes";
  case AccessStory::Kind::Fill:
    return "fills";
  }
  return "";
}
static const char *markOf(AccessStory::Kind kind) {
  switch (kind) {
  case AccessStory::Kind::Read:
    return "R";
  case AccessStory::Kind::Add:
    return "+";
  case AccessStory::Kind::Count:
    return "C";
  case AccessStory::Kind::Write:
    return "W";
  case AccessStory::Kind::Fill:
    return "F";
  }
  return "";
}

/// The style of a state, and what is written on it.
static std::pair<StringRef, std::string> lookOf(StringRef state) {
  if (state.consume_front("filled("))
    return {"filled", "= " + state.drop_back().str()};
  return {state, state.str()};
}

/// What stands beneath a step's name.
static std::string noteOf(const StepStory &step) {
  std::string note = step.kind == StepStory::Kind::Memset ? "memset"
                     : step.kind == StepStory::Kind::Fill ? "fill"
                     : step.ctas.value ? grouped(*step.ctas.value) + " CTAs"
                                       : "";
  if (step.early)
    note += note.empty() ? "early" : ", early";
  return note;
}

void PlanDrawing::layOut() {
  double names = 0;
  for (const BufferStory &buffer : plan.buffers)
    names = std::max(
        {names, width(buffer.name) + kLine + smallWidth(bytesText(buffer)),
         smallWidth(buffer.shape)});
  lanesFrom = kMargin + names + 20;
  double x = lanesFrom + kLaneName;
  auto add = [&](size_t step, double room) {
    double w = std::max(kNarrowest, room + 24);
    columns.push_back({step, x, x + w});
    x += w;
  };
  add(0, 0);
  for (auto [index, step] : llvm::enumerate(plan.steps))
    if (step.runs() || step.kind == StepStory::Kind::Return)
      add(index + 1, std::max(width(step.name), smallWidth(noteOf(step))));
  // A buffer's name stands in its part of the arena.
  for (const BufferStory &buffer : plan.buffers) {
    auto [from, to] = life(buffer);
    double missing = width(buffer.name) + 16 - (to - from);
    if (!buffer.offset || missing <= 0)
      continue;
    for (Column &column : columns) {
      column.left += column.left > from ? missing : 0;
      column.right += column.right > from ? missing : 0;
    }
  }
}

std::pair<double, double> PlanDrawing::life(const BufferStory &buffer) const {
  if (buffer.owner != BufferStory::Owner::Workspace)
    return {columns.front().left, rightEdge()};
  double from = columns.front().right, to = rightEdge();
  for (const Column &column : columns) {
    if (int(column.step) < buffer.reserved)
      from = column.right;
    if (int(column.step) < buffer.released)
      to = column.right;
  }
  return {from, std::max(from, to)};
}

/// Domains that some step touches: of others nothing is told.
std::vector<const DomainStory *> PlanDrawing::lanesOf(size_t index) const {
  std::vector<const DomainStory *> lanes;
  for (const DomainStory &domain : plan.buffers[index].domains) {
    bool touched = false;
    for (const StepStory &step : plan.steps)
      for (const AccessStory &access : step.accesses)
        touched |= access.buffer == index &&
                   llvm::is_contained(access.domains, domain.domain);
    if (domain.hasRows && (touched || domain.domain == plan::Domain::valid ||
                           domain.domain == plan::Domain::all))
      lanes.push_back(&domain);
  }
  return lanes;
}

void PlanDrawing::drawHeader(double top) {
  for (const Column &column : columns) {
    double x = column.middle();
    if (column.step == 0) {
      canvas.centred(x, top + kLine, "small", "arrives");
      continue;
    }
    const StepStory &step = stepOf(column);
    if (step.kind == StepStory::Kind::Return) {
      canvas.centred(x, top + kLine, "small", "returns");
      continue;
    }
    canvas.centred(x, top, "small", "step " + std::to_string(column.step));
    canvas.centred(x, top + kLine, "name", step.name);
    std::string below = noteOf(step);
    if (!below.empty())
      canvas.centred(x, top + 2 * kLine, "small", below);
  }
}

void PlanDrawing::drawLane(double y, size_t index, const DomainStory &domain) {
  const BufferStory &buffer = plan.buffers[index];
  std::string name = plan::stringifyDomain(domain.domain).str();
  canvas.small(lanesFrom, y + kLane - 4, name);
  auto [from, to] = life(buffer);
  // Stretches of one state; it changes in the middle of a step's column.
  StringRef state = domain.after[size_t(std::max(buffer.reserved, 0))];
  size_t since = size_t(buffer.reserved);
  double begin = from;
  auto flush = [&](double end) {
    auto [style, label] = lookOf(state);
    std::string tip = buffer.name + ", " + name + ": " + state.str() +
                      (since ? " from step " + std::to_string(since) : "");
    canvas.box(
        begin, y, end - begin, kLane, style,
        llvm::formatv(" data-state=\"{0}\" data-since=\"{1}\"", state, since)
            .str(),
        tip);
    // Badges sit at both ends of a stretch.
    double room = end - begin - 2 * (kBadge + 6);
    if (smallWidth(label) <= room)
      canvas.small(begin + kBadge + 6, y + kLane - 4, label,
                   style == "undefined" ? "on-undefined" : "on");
  };
  for (const Column &column : columns) {
    if (column.step == 0 || column.left < from || column.right > to ||
        stepOf(column).kind == StepStory::Kind::Return)
      continue;
    StringRef now = domain.after[column.step];
    if (now == state || now.empty())
      continue;
    flush(column.middle());
    begin = column.middle();
    state = now;
    since = column.step;
  }
  flush(to);
  for (const Column &column : columns) {
    if (column.step == 0)
      continue;
    const StepStory &step = stepOf(column);
    for (const AccessStory &access : step.accesses)
      if (access.buffer == index &&
          llvm::is_contained(access.domains, domain.domain))
        canvas.badge(column.middle(), y + kLane / 2, markOf(access.kind),
                     "step " + std::to_string(column.step) + ", " + step.name +
                         ", " + verbOf(access.kind) + " " + buffer.name + " (" +
                         name + ")");
  }
}

void PlanDrawing::drawBuffer(double y, size_t index) {
  const BufferStory &buffer = plan.buffers[index];
  canvas.open("buffer", buffer.name);
  canvas.text(kMargin, y + 12, "name", buffer.name, width(buffer.name));
  std::string bytes = bytesText(buffer);
  canvas.small(lanesFrom - 20 - smallWidth(bytes), y + 12, bytes);
  canvas.small(kMargin, y + 12 + kLine, buffer.shape);
  double lane = y;
  for (const DomainStory *domain : lanesOf(index)) {
    drawLane(lane, index, *domain);
    lane += kLane + kLaneGap;
  }
  canvas.close();
}

double PlanDrawing::heightOf(size_t index) const {
  double lanes = double(lanesOf(index).size()) * (kLane + kLaneGap) - kLaneGap;
  return std::max(lanes, 12 + kLine + 3) + kRowGap;
}

double PlanDrawing::heightOfSections() const {
  double height = 0;
  for (BufferStory::Owner owner : kSections) {
    bool any = false;
    for (auto [index, buffer] : llvm::enumerate(plan.buffers))
      if (buffer.owner == owner) {
        height += heightOf(index);
        any = true;
      }
    height += any ? kSectionTitle : 0;
  }
  return height;
}

double PlanDrawing::drawSection(double y, BufferStory::Owner owner) {
  bool any = false;
  for (auto [index, buffer] : llvm::enumerate(plan.buffers)) {
    if (buffer.owner != owner)
      continue;
    if (!any) {
      canvas.line(kMargin, y, rightEdge(), y);
      canvas.small(kMargin, y + 16, titleOf(owner), "section");
      y += kSectionTitle;
    }
    any = true;
    drawBuffer(y, index);
    y += heightOf(index);
  }
  return y;
}

double PlanDrawing::drawArena(double y) {
  // Buffers at one offset share a lane: their lives are apart.
  std::vector<std::pair<std::string, std::vector<size_t>>> lanes;
  for (auto [index, buffer] : llvm::enumerate(plan.buffers)) {
    if (!buffer.offset)
      continue;
    auto lane = llvm::find_if(lanes, [&](const auto &lane) {
      return lane.first == buffer.offset->formula;
    });
    if (lane == lanes.end())
      lane = lanes.insert(lanes.end(), {buffer.offset->formula, {}});
    lane->second.push_back(index);
  }
  if (lanes.empty())
    return y;
  canvas.open("arena-map", plan.name);
  canvas.line(kMargin, y, rightEdge(), y);
  std::string title = "ARENA";
  if (plan.arenaBytes)
    title += ", " + grouped(*plan.arenaBytes) + " BYTES";
  canvas.small(kMargin, y + 16, title + " (heights are not to scale)",
               "section");
  y += 28;
  for (const auto &[formula, members] : lanes) {
    const Amount &offset = *plan.buffers[members[0]].offset;
    canvas.small(kMargin, y + 14,
                 offset.value     ? "offset " + grouped(*offset.value)
                 : formula == "0" ? "offset 0"
                                  : "offset");
    for (size_t index : members) {
      const BufferStory &buffer = plan.buffers[index];
      auto [from, to] = life(buffer);
      canvas.box(from, y, to - from, 22, "arena",
                 llvm::formatv(" data-buffer=\"{0}\"", buffer.name).str(),
                 buffer.name + ": " + buffer.bytes.str() + " bytes at offset " +
                     offset.str());
      canvas.text(from + 8, y + 15, buffer.name);
    }
    if (formula != "0")
      canvas.small(columns.front().left, y + 36, "= " + formula);
    y += formula == "0" ? 30 : 46;
  }
  canvas.close();
  return y;
}

double PlanDrawing::draw(double top) {
  canvas.open("plan", plan.name);
  std::string heading = "plan @" + plan.name;
  canvas.text(kMargin, top + 12, "heading", heading, 8 * heading.size());
  if (!note.empty())
    canvas.small(kMargin + 8.2 * double(heading.size()) + 16, top + 12, note);
  double header = top + 38;
  drawHeader(header);
  double y = header + 2 * kLine + 12;
  // Beneath the buffers.
  for (const Column &column : columns)
    canvas.line(column.left, y, column.left, y + heightOfSections());
  canvas.line(rightEdge(), y, rightEdge(), y + heightOfSections());
  for (BufferStory::Owner owner : kSections)
    y = drawSection(y, owner);
  y = drawArena(y);
  canvas.close();
  return y + 26;
}

static void drawLegend(Canvas &canvas, double y) {
  canvas.open("legend", "legend");
  double x = kMargin;
  for (auto [style, text] :
       {std::pair("undefined", "undefined: nobody has written it"),
        std::pair("defined", "defined: a launch has written it"),
        std::pair("filled", "= v: filled with v")}) {
    canvas.box(x, y, 26, kLane, style, "", text);
    canvas.small(x + 34, y + kLane - 4, text);
    x += 34 + smallWidth(text) + 26;
  }
  x = kMargin;
  y += 32;
  for (AccessStory::Kind kind :
       {AccessStory::Kind::Read, AccessStory::Kind::Write,
        AccessStory::Kind::Add, AccessStory::Kind::Fill,
        AccessStory::Kind::Count}) {
    canvas.badge(x + kBadge, y + kLane / 2, markOf(kind), verbOf(kind));
    canvas.small(x + 2 * kBadge + 8, y + kLane - 4, verbOf(kind));
    x += 2 * kBadge + 8 + smallWidth(verbOf(kind)) + 26;
  }
  y += 26;
  for (const char *text :
       {"valid: rows of a sequence's used length; tail: rows behind the last "
        "sequence; gap: all others",
        "rows of a domain without a lane are never read, or the layout has "
        "none; bytes are those of the elements"}) {
    y += kLine;
    canvas.small(kMargin, y, text);
  }
  canvas.close();
}

std::string weft::tellAsDrawing(llvm::ArrayRef<PlanStory> plans,
                                StringRef title, StringRef subtitle) {
  Canvas canvas;
  double y = kMargin + 12;
  StringRef heading = title.empty() ? StringRef("plan") : title;
  canvas.text(kMargin, y, "title", heading, 9.2 * double(heading.size()));
  if (!subtitle.empty()) {
    y += 20;
    canvas.small(kMargin, y, subtitle);
  }
  y += 24;
  // The first whose guard holds is run.
  bool known = true, taken = false;
  for (const PlanStory &plan : plans) {
    std::string note = plan.guard.empty() ? "" : "taken if " + plan.guard;
    bool holds = plan.guard.empty() || plan.guardHolds.value_or(false);
    known &= plan.guard.empty() || plan.guardHolds.has_value();
    if (known && plans.size() > 1) {
      note += (note.empty() ? "" : ": ") +
              std::string(holds && !taken ? "taken for this problem"
                                          : "not taken for this problem");
      taken |= holds;
    }
    y = PlanDrawing(canvas, plan, note).draw(y);
  }
  drawLegend(canvas, y);
  return canvas.finish(heading);
}

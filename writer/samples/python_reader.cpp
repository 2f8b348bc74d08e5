// SPDX-License-Identifier: Apache-2.0
#include "writer/samples/python_reader.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "trace/model/event.hpp"
#include "trace/unwind/python_lines.hpp"
#include "trace/unwind/python_text.hpp"

namespace meridian {
namespace {

constexpr std::size_t kMostPythonFrames = 200;
constexpr int kReadTries = 3;
constexpr std::size_t kMostKnownPoints = 1 << 16;
constexpr std::uint64_t kMostUnits = std::uint64_t{1} << 24;
constexpr std::uint64_t kMostLineTable = 1 << 20;  // bytes
constexpr std::uint64_t kPassedOver = 1;           // in place of a site

template <class Value>
Value value_at(std::span<const unsigned char> bytes, std::size_t offset) {
  Value value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

}  // namespace

std::size_t PythonReader::Hash::operator()(const Point& point) const noexcept {
  constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15ULL;
  return static_cast<std::size_t>(((point.frame.instruction * kSpread ^ point.identity) * kSpread) >> 7);
}

PythonReader::PythonReader(std::int32_t pid, const PythonPlace& place) : memory_{pid}, place_{place} {
  const PythonLayout& layout = place_.layout;
  const auto end = [](std::initializer_list<std::uint16_t> offsets) {
    return std::max(offsets) + sizeof(std::uint64_t);
  };
  frame_.resize(end({layout.frame_code, layout.frame_previous, layout.frame_instruction, layout.frame_owner}));
  code_.resize(end({static_cast<std::uint16_t>(kPythonSize), layout.filename, layout.qualname, layout.linetable,
                    layout.firstlineno}));
  object_.resize(std::max<std::size_t>(layout.ascii_bytes, kPythonTextState + sizeof(std::uint32_t)));
}

template <class Value>
bool PythonReader::load(std::uint64_t from, Value& value) {
  return memory_.copy(from, {reinterpret_cast<unsigned char*>(&value), sizeof value});
}

std::uint64_t PythonReader::innermost() {
  std::uint64_t frame = 0;
  if (!load(place_.thread_state + place_.layout.thread_frame, frame)) return 0;
  if (place_.layout.record_frame != PythonLayout::kNoRecord && !load(frame + place_.layout.record_frame, frame))
    return 0;
  return frame;
}

/// False: the program has changed its frames meanwhile.
bool PythonReader::read_frames() {
  const PythonLayout& layout = place_.layout;
  frames_.clear();
  const std::uint64_t first = innermost();
  std::uint64_t frame = first;
  for (std::size_t i = 0; i < kMostPythonFrames && frame != 0 && memory_.copy(frame, frame_); ++i) {
    if (frame_[layout.frame_owner] != kPythonFrameOfC)
      frames_.push_back({value_at<std::uint64_t>(frame_, layout.frame_code),
                         value_at<std::uint64_t>(frame_, layout.frame_instruction)});
    frame = value_at<std::uint64_t>(frame_, layout.frame_previous);
  }
  return innermost() == first;
}

std::uint32_t PythonReader::line_of(const Frame& frame, std::span<const unsigned char> code) {
  const PythonLayout& layout = place_.layout;
  const auto table = value_at<std::uint64_t>(code, layout.linetable);
  std::uint64_t head[kPythonBytes / sizeof(std::uint64_t)] = {};  // of a bytes object
  if (!load(table, head) || head[kPythonType / sizeof(std::uint64_t)] != place_.bytes_type) return 0;
  const std::uint64_t bytes = head[kPythonSize / sizeof(std::uint64_t)];
  if (bytes == 0 || bytes > kMostLineTable) return 0;
  table_.resize(bytes);
  if (!memory_.copy(table + kPythonBytes, table_)) return 0;
  const std::uint64_t begin = frame.code + layout.instructions, offset = frame.instruction - begin;
  const std::uint64_t end = value_at<std::uint64_t>(code, kPythonSize) * kPythonInstruction;
  return python_line(table_.data(), table_.size(), value_at<std::int32_t>(code, layout.firstlineno),
                     offset < end ? offset / kPythonInstruction : 0);  // outside: the frame has not begun
}

/// The site of a line with new names, or kPassedOver; 0: it cannot be read.
std::uint64_t PythonReader::name(const Frame& frame, std::span<const unsigned char> code) {
  const PythonLayout& layout = place_.layout;
  PythonText text;
  text.add_line(line_of(frame, code));
  for (const std::uint16_t offset : {layout.qualname, layout.filename}) {
    const auto object = value_at<std::uint64_t>(code, offset);
    if (!memory_.copy(object, object_)) return 0;
    const PythonString string = python_string(object_.data(), layout, place_.text_type);
    if (string.width == 0) return 0;
    characters_.resize(std::min<std::uint64_t>(string.length, kMostPythonName) * string.width);
    if (!characters_.empty() && !memory_.copy(object + string.begin, characters_)) return 0;
    text.add_name(string, characters_.data());
  }
  if (text.is_frozen()) return kPassedOver;
  const std::uint64_t next = kFirstSampledSite + site_of_text_.size();
  const auto [at, is_new] = site_of_text_.try_emplace(std::string{text.data(), text.length()}, next);
  if (is_new && !is_script_site(next)) {
    site_of_text_.erase(at);
    return 0;
  }
  if (is_new) new_lines_.push_back({next, at->first});
  return at->second;
}

std::uint64_t PythonReader::site_of(const Frame& frame) {
  const PythonLayout& layout = place_.layout;
  if (!memory_.copy(frame.code, code_) || value_at<std::uint64_t>(code_, kPythonType) != place_.code_type) return 0;
  const auto units = value_at<std::uint64_t>(code_, kPythonSize);
  if (units == 0 || units > kMostUnits) return 0;
  const auto line = static_cast<std::uint32_t>(value_at<std::int32_t>(code_, layout.firstlineno));
  const std::uint64_t identity = value_at<std::uint64_t>(code_, layout.qualname) * 3 +
                                 value_at<std::uint64_t>(code_, layout.linetable) + (std::uint64_t{line} << 32);
  const Point point{frame, identity};
  if (const auto known = known_.find(point); known != known_.end()) return known->second;
  const std::uint64_t site = name(frame, code_);
  if (known_.size() >= kMostKnownPoints) known_.clear();
  if (site != 0) known_[point] = site;
  return site;
}

void PythonReader::read(std::vector<std::uint64_t>& sites) {
  sites.clear();
  for (int i = 0; i < kReadTries && !read_frames(); ++i) continue;
  for (const Frame& frame : frames_) {
    const std::uint64_t site = site_of(frame);
    if (site == 0) return;
    if (site != kPassedOver) sites.push_back(site);
  }
}

std::vector<PythonReader::Line> PythonReader::take_lines() { return std::exchange(new_lines_, {}); }

}  // namespace meridian

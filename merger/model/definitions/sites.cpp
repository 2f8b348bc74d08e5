// SPDX-License-Identifier: Apache-2.0
#include "merger/model/definitions/sites.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "trace/model/event.hpp"
#include "trace/model/module_key.hpp"
#include "trace/model/text_fields.hpp"

namespace meridian {
namespace {

std::optional<std::uint64_t> take_hex(std::string_view& text) { return number_in<std::uint64_t>(take_field(text), 16); }

/// "LINE US function US file".
std::optional<ScriptLine> script_line(std::string_view text) {
  constexpr char kSeparator = '\x1f';
  const std::size_t first = text.find(kSeparator), second = text.rfind(kSeparator);
  if (first == second) return std::nullopt;
  const auto line = number_in<std::uint32_t>(text.substr(0, first), 10);
  if (!line) return std::nullopt;
  return ScriptLine{std::string{text.substr(first + 1, second - first - 1)}, std::string{text.substr(second + 1)},
                    *line};
}

/// The same for all ranks, whatever their order.
std::uint64_t offset_of(const ScriptLine& line) {
  std::uint32_t hash = 0x811c9dc5;  // FNV-1a
  for (const char c : line.function) hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193;
  return std::uint64_t{hash >> 1} << 32 | line.line;
}

}  // namespace

std::uint32_t SiteTable::module(const Module& module) {
  const bool has_build_id = module.identity.size() > 1 && module.identity.find(':') == std::string::npos;
  const auto [at, is_new] = module_of_.try_emplace({module.identity, has_build_id ? "" : module.path},
                                                   static_cast<std::uint32_t>(modules_.size()));
  if (is_new) modules_.push_back(module);
  return at->second;
}

std::uint32_t SiteTable::site(std::uint32_t module, std::uint64_t offset) {
  const auto at = site_of_.find({module, offset});
  if (at != site_of_.end()) return at->second;
  if (sites_.size() >= most_) {
    is_full_ = true;
    return kNoSite;
  }
  const auto number = static_cast<std::uint32_t>(sites_.size());
  site_of_[{module, offset}] = number;
  sites_.push_back({module, offset});
  return number;
}

std::uint32_t SiteTable::site(const ScriptLine& line) {
  const std::uint32_t number =
      site(module({.path = line.file, .identity = "script:", .is_script = true}), offset_of(line));
  if (number != kNoSite) lines_.try_emplace(number, line);
  return number;
}

std::uint32_t SiteTable::site(const SiteTable& other, std::uint32_t site) {
  const auto [number, offset] = other.sites()[site];
  if (number == kNoModule) return this->site(kNoModule, offset);
  const Module& module = other.modules()[number];
  return module.is_script ? this->site(other.line(site)) : this->site(this->module(module), offset);
}

void RankSites::add_line(std::uint64_t address, std::string_view text) {
  if (!is_script_site(address)) return;
  if (std::optional<ScriptLine> line = script_line(text)) lines_[address] = *std::move(line);
}

RankSites::RankSites(const RankMeta& meta, SiteTable& table, PathTable& paths, const std::vector<StackRow>& stacks)
    : table_{&table}, paths_{&paths} {
  for (const TextRow& text : meta.texts) {
    if (text.key == kScriptKey) add_line(text.handle, text.value);
    if (text.key != kModuleKey) continue;
    std::string_view left = text.value;
    const auto begin = take_hex(left), end = take_hex(left), bias = take_hex(left);
    if (!begin || !end || !bias || left.empty()) continue;
    Module module;
    module.identity = take_field(left);
    const std::string_view kind = take_field(left);
    module.is_mpi = kind == "mpi";
    module.is_tracer = kind == "tracer";
    module.path = left;
    ranges_.push_back({*begin, *end, *bias, table.module(module)});
  }
  add_stacks(stacks);
}

/// An address that belonged to two modules, one after the other, is assigned to neither.
const RankSites::Range* RankSites::find(std::uint64_t address) const {
  const Range* found = nullptr;
  for (const Range& range : ranges_) {
    // A return address may be the first byte after its module's code.
    if (address <= range.begin || address > range.end) continue;
    if (found != nullptr && found->module != range.module) return nullptr;
    found = &range;
  }
  return found;
}

std::uint32_t RankSites::site(std::uint64_t address) {
  if (const auto line = lines_.find(address); line != lines_.end()) return table_->site(line->second);
  const Range* const range = find(address);
  return range != nullptr ? table_->site(range->module, address - range->bias) : table_->site(kNoModule, address);
}

std::uint32_t RankSites::add(std::uint64_t address) {
  const std::uint32_t where = site(address);
  const std::uint32_t number = where == kNoSite ? kNoPath : paths_->path(kNoPath, where);
  if (known_.size() < SiteTable::kMaxSites) known_.set({address}, number);
  return number;
}

std::uint32_t RankSites::function(std::uint64_t address) {
  const Range* const range = address != 0 ? find(address + 1) : nullptr;
  return range != nullptr ? table_->site(range->module, address + 1 - range->bias) : kNoSite;
}

/// Drops frames of the MPI library and of the tracer: the call itself stands for them.
void RankSites::add_stacks(const std::vector<StackRow>& rows) {
  nodes_.resize(rows.size());
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const StackRow& row = rows[i];
    const std::uint32_t parent = row.parent < i ? nodes_[row.parent] : kNoPath;
    if (row.address == kStackDeeper || row.address == kStackLost) {
      nodes_[i] = row.address == kStackDeeper ? kDeeperPath : kLostPath;
      continue;
    }
    const Range* const range = find(row.address);
    const Module& module = table_->modules()[range != nullptr ? range->module : kNoModule];
    if ((module.is_mpi || module.is_tracer) && parent > kLostPath) {
      nodes_[i] = parent;
      continue;
    }
    const std::uint32_t where = site(row.address);
    nodes_[i] = where == kNoSite ? kNoPath : paths_->path(parent, where);
  }
}

}  // namespace meridian

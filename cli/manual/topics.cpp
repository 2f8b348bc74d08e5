// SPDX-License-Identifier: Apache-2.0
#include "cli/manual/topics.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace meridian {
namespace {

/// The topic that a link leads to; a link is relative to its document.
const Topic* linked(std::string_view target) {
  target = target.substr(0, target.find('#'));
  while (target.starts_with("../")) target.remove_prefix(3);
  if (target.starts_with("docs/")) target.remove_prefix(5);
  const auto all = topics();
  const auto found = std::ranges::find(all, target, &Topic::file);
  return found == all.end() ? nullptr : &*found;
}

bool describes_files(const Topic& topic) { return topic.file.ends_with("FORMAT.md"); }

}  // namespace

const Topic* find_topic(std::string_view name) {
  const auto all = topics();
  const auto found = std::ranges::find(all, name, &Topic::name);
  return found == all.end() ? nullptr : &*found;
}

std::string title_of(const Topic& topic) {
  const std::string_view first = topic.markdown.substr(0, topic.markdown.find('\n'));
  return std::string{first.substr(std::min(first.find_first_not_of("# "), first.size()))};
}

PageName page_of(const Topic& topic) { return {"meridian-" + std::string{topic.name}, describes_files(topic) ? 5 : 7}; }

Document terminal_document(const Topic& topic) {
  return read_markdown(topic.markdown, [](const std::string& target, const std::string& text) {
    const Topic* const other = linked(target);
    return other == nullptr ? text : fmt::format("`meridian help {}`", other->name);
  });
}

Document manual_document(const Topic& topic) {
  Document document = read_markdown(topic.markdown, [](const std::string& target, const std::string& text) {
    const Topic* const other = linked(target);
    if (other == nullptr) return text;
    const PageName page = page_of(*other);
    return fmt::format("{}({})", page.name, page.section);
  });
  if (!document.empty() && document.front().kind == Block::Kind::heading) document.erase(document.begin());
  Document result{heading(1, "Name"), paragraph(plain(page_of(topic).name + " - " + title_of(topic))),
                  heading(1, "Description")};
  result.insert(result.end(), document.begin(), document.end());
  return result;
}

}  // namespace meridian

// SPDX-License-Identifier: Apache-2.0
#include "cli/manual/markdown.hpp"

#ifdef MERIDIAN_HAS_CMARK
#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>

#include <memory>
#endif

namespace meridian {

#ifdef MERIDIAN_HAS_CMARK
namespace {

struct FreeNode {
  void operator()(cmark_node* node) const { cmark_node_free(node); }
};
struct FreeParser {
  void operator()(cmark_parser* parser) const { cmark_parser_free(parser); }
};

std::string_view type_of(cmark_node* node) { return cmark_node_get_type_string(node); }

std::string literal_of(cmark_node* node) {
  const char* const text = cmark_node_get_literal(node);
  return text == nullptr ? "" : text;
}

/// Walks the tree of one document.
class Reader {
 public:
  explicit Reader(const LinkText& link) : link_{link} {}

  void blocks(cmark_node* parent) {
    for (cmark_node* node = cmark_node_first_child(parent); node != nullptr; node = cmark_node_next(node)) block(node);
  }
  Document take() { return std::move(document_); }

 private:
  void block(cmark_node* node) {
    const std::string_view type = type_of(node);
    if (type == "heading")
      document_.push_back(
          {.kind = Block::Kind::heading, .line = line(node), .level = cmark_node_get_heading_level(node)});
    else if (type == "paragraph")
      document_.push_back(paragraph(line(node)));
    else if (type == "code_block")
      document_.push_back(literal(literal_of(node)));
    else if (type == "list")
      list(node);
    else if (type == "table")
      table(node);
    else if (type == "block_quote")
      blocks(node);
    // Comments and rulers have no text.
  }

  void list(cmark_node* node) {
    const bool is_numbered = cmark_node_get_list_type(node) == CMARK_ORDERED_LIST;
    int number = cmark_node_get_list_start(node);
    for (cmark_node* item = cmark_node_first_child(node); item != nullptr; item = cmark_node_next(item)) {
      std::string label = is_numbered ? std::to_string(number++) + "." : "-";
      for (cmark_node* part = cmark_node_first_child(item); part != nullptr; part = cmark_node_next(part)) {
        if (type_of(part) == "paragraph") {
          document_.push_back(
              {.kind = Block::Kind::item, .line = line(part), .label = std::move(label), .level = depth_});
          label.clear();
        } else {
          ++depth_;
          block(part);
          --depth_;
        }
      }
    }
  }

  void table(cmark_node* node) {
    Block block{.kind = Block::Kind::table};
    for (cmark_node* row = cmark_node_first_child(node); row != nullptr; row = cmark_node_next(row)) {
      auto& cells = block.rows.emplace_back();
      for (cmark_node* cell = cmark_node_first_child(row); cell != nullptr; cell = cmark_node_next(cell))
        cells.push_back(line(cell));
    }
    document_.push_back(std::move(block));
  }

  Line line(cmark_node* parent) const {
    Line result;
    spans(parent, result);
    return result;
  }

  void spans(cmark_node* parent, Line& result) const {
    for (cmark_node* node = cmark_node_first_child(parent); node != nullptr; node = cmark_node_next(node)) {
      const std::string_view type = type_of(node);
      if (type == "text")
        result.push_back({literal_of(node), false});
      else if (type == "code")
        result.push_back({literal_of(node), true});
      else if (type == "softbreak" || type == "linebreak")
        result.push_back({" ", false});
      else if (type == "link")
        result.push_back({link_(cmark_node_get_url(node), text_of(line(node))), false});
      else
        spans(node, result);  // emphasis; the text that stands for an image
    }
  }

  const LinkText& link_;
  Document document_;
  int depth_ = 0;
};

}  // namespace

Document read_markdown(std::string_view markdown, const LinkText& link) {
  cmark_gfm_core_extensions_ensure_registered();
  const std::unique_ptr<cmark_parser, FreeParser> parser{cmark_parser_new(CMARK_OPT_DEFAULT)};
  if (cmark_syntax_extension* const tables = cmark_find_syntax_extension("table"))
    cmark_parser_attach_syntax_extension(parser.get(), tables);
  cmark_parser_feed(parser.get(), markdown.data(), markdown.size());
  const std::unique_ptr<cmark_node, FreeNode> root{cmark_parser_finish(parser.get())};
  Reader reader{link};
  reader.blocks(root.get());
  return reader.take();
}

#else

Document read_markdown(std::string_view markdown, const LinkText&) {
  Document document;
  const std::size_t end = markdown.find('\n');
  if (markdown.starts_with("# ") && end != std::string_view::npos) {
    document.push_back(heading(1, std::string{markdown.substr(2, end - 2)}));
    markdown.remove_prefix(end + 1);
  }
  document.push_back(literal(std::string{markdown}));
  return document;
}

#endif

}  // namespace meridian

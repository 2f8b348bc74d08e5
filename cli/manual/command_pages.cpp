// SPDX-License-Identifier: Apache-2.0
#include "cli/manual/command_pages.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/manual/command_words.hpp"
#include "cli/manual/topics.hpp"
#include "cli/options_text.hpp"
#include "export/formats.hpp"
#include "trace/model/options.hpp"

namespace meridian {
namespace {

constexpr const char* kPurpose = "traces MPI programs and reports where their time went";

/// "-o, --output FILE"
std::string label_of(const CommandOption& option) {
  return joined(names_of(option), ", ") + (option.value.empty() ? "" : " " + option.value);
}

/// "meridian export [OPTIONS] [trace]"
Line synopsis(const Command& command) {
  Line line = strong("meridian " + command.name);
  line.push_back({" [OPTIONS]", false});
  for (const CommandOption& argument : arguments_of(command)) {
    const bool is_repeated = std::holds_alternative<std::vector<std::string>*>(argument.target);
    const std::string name = argument.names + (is_repeated ? "..." : "");
    line.push_back({argument.is_required ? " " + name : " [" + name + "]", false});
  }
  if (takes_program(command)) line.push_back({" PROGRAM [ARGUMENTS...]", false});
  return line;
}

void add_options(Document& document, const std::vector<CommandOption>& options) {
  for (const CommandOption& option : options)
    document.push_back(entry(is_positional(option) ? option.names : label_of(option), option.help));
}

void add_exit_codes(Document& document) {
  document.push_back(entry("0", "success"));
  document.push_back(entry("1", "could not run; the reason is on standard error, with what to do"));
  document.push_back(entry("2", "the trace has errors, or a condition is true that the command was asked about"));
}

Block paragraph_of(const std::string& text) { return paragraph(plain(text)); }

void add_formats(Document& document) {
  document.push_back(heading(2, "Files"));
  document.push_back(entry("rank-00000.h5 ...", "The trace of one rank, HDF5: `meridian help rank-file`."));
  document.push_back(entry("ranks-HOST.h5", "The ranks of one host, HDF5, if `meridian pack` was used."));
  document.push_back(entry("merged.h5", "All ranks on one timeline, HDF5: `meridian help merged-file`."));
  document.push_back(entry("report.html, clocks.html", "Pages for a browser; each needs nothing else."));
  document.push_back(entry("meridian.conf", "Settings, one `NAME = value` a line: `meridian help options`."));
  document.push_back(heading(2, "Exports"));
  document.push_back(paragraph_of("`meridian export --format NAME` writes a merged trace for other programs."));
  for (const ExportFormat& format : export_formats())
    document.push_back(entry(std::string{format.name}, fmt::format("{}. Files: {}", format.text, format.files)));
  document.push_back(heading(2, "Tables"));
  document.push_back(
      paragraph_of("`--csv` and `--json` of `meridian stats` and other commands: `meridian help summary`."));
}

std::string markdown_line(const Line& line) {
  std::string text;
  for (const Span& span : line) text += span.is_strong ? "`" + span.text + "`" : span.text;
  return text;
}

/// Angle brackets would be read as HTML.
std::string markdown_text(const Line& line) {
  std::string text;
  for (const char c : markdown_line(line)) text += c == '<' ? std::string{"&lt;"} : std::string(1, c);
  return text;
}

}  // namespace

std::vector<std::string> topic_names() {
  std::vector<std::string> names{std::string{kFormatsTopic}};
  for (const Topic& topic : topics()) names.emplace_back(topic.name);
  std::ranges::sort(names);
  return names;
}

Document program_page(const std::vector<Command>& all) {
  Document document{heading(1, "Name"),
                    paragraph_of(fmt::format("meridian - {}", kPurpose)),
                    heading(1, "Synopsis"),
                    paragraph({{"meridian", true}, {" COMMAND [OPTIONS] [ARGUMENTS]", false}}),
                    paragraph({{"mpirun -n 4 meridian run ./app", true}}),
                    heading(1, "Description")};
  document.push_back(paragraph_of(
      "Records the MPI calls of an unmodified program, each rank in a file of its own; merges the ranks into one "
      "timeline with corrected clocks; and prints a summary of where the time went."));
  document.push_back(heading(1, "Commands"));
  for (const Command& command : all) document.push_back(entry("meridian-" + command.name + "(1)", command.help));
  document.push_back(heading(1, "Options"));
  add_options(document, program_options());
  document.push_back(heading(1, "Topics"));
  for (const Topic& topic : topics()) {
    const PageName page = page_of(topic);
    document.push_back(entry(fmt::format("{}({})", page.name, page.section), title_of(topic)));
  }
  document.push_back(entry("meridian-formats(7)", "Formats of files and of exports"));
  document.push_back(entry("meridian.conf(5)", "The configuration file"));
  document.push_back(heading(1, "Environment"));
  document.push_back(entry("MERIDIAN_*", "Settings of the tracer: meridian.conf(5)"));
  document.push_back(entry("NO_COLOR", "If it is set and not empty: no colours"));
  document.push_back(entry("COLUMNS", "Width of the text; otherwise that of the terminal, or 80"));
  document.push_back(heading(1, "Exit status"));
  add_exit_codes(document);
  return document;
}

Document command_page(const Command& command) {
  Document document{heading(1, "Name"), paragraph_of(fmt::format("meridian-{} - {}", command.name, command.help)),
                    heading(1, "Synopsis"), paragraph(synopsis(command))};
  if (!command.footer.empty()) {
    document.push_back(heading(1, "Description"));
    document.push_back(literal(command.footer));
  }
  if (const auto arguments = arguments_of(command); !arguments.empty()) {
    document.push_back(heading(1, "Arguments"));
    add_options(document, arguments);
  }
  document.push_back(heading(1, "Options"));
  add_options(document, options_of(command));
  document.push_back(heading(1, "Exit status"));
  if (takes_program(command))
    document.push_back(paragraph_of("That of the program; 1 if it could not be started."));
  else
    add_exit_codes(document);
  document.push_back(heading(1, "See also"));
  std::string others = "meridian(1), meridian.conf(5)";
  if (const Topic* const topic = find_topic(command.name))
    others += fmt::format(", {}({})", page_of(*topic).name, page_of(*topic).section);
  document.push_back(paragraph_of(others));
  return document;
}

Document configuration_page() {
  Document document{heading(1, "Name"), paragraph_of("meridian.conf - the configuration file of Meridian"),
                    heading(1, "Description")};
  Document options =
      read_markdown(options_markdown(), [](const std::string&, const std::string& text) { return text; });
  options.erase(options.begin());  // its title
  document.insert(document.end(), options.begin(), options.end());
  return document;
}

Document formats_page() {
  Document document{heading(1, "Formats of files and of exports")};
  add_formats(document);
  return document;
}

Document formats_manual() {
  Document document{heading(1, "Name"), paragraph_of("meridian-formats - formats of files and of exports")};
  add_formats(document);
  return document;
}

std::string commands_markdown(const std::vector<Command>& all) {
  std::string text = "# Commands\n\nThis page is printed by `meridian manual --markdown`.\n";
  for (const Command& command : all) {
    text += fmt::format("\n## meridian {}\n", command.name);
    for (const Block& block : command_page(command)) {
      switch (block.kind) {
        case Block::Kind::heading:
          if (text_of(block.line) != "Name") text += fmt::format("\n### {}\n", text_of(block.line));
          break;
        case Block::Kind::entry:
          text += fmt::format("\n- `{}`: {}", block.label, markdown_text(block.line));
          break;
        case Block::Kind::literal:
          text += fmt::format("\n```text\n{}\n```\n", block.text);
          break;
        default:
          text += fmt::format("\n{}\n", markdown_text(block.line));
          break;
      }
    }
    text += "\n";
  }
  return text;
}

}  // namespace meridian

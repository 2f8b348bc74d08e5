#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace meridian {

/// Help in 80 columns: what an option is for stands beside its name, in as many lines as it takes.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;
};

}  // namespace meridian

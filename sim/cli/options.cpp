#include "sim/cli/options.h"

#include <algorithm>
#include <boost/program_options.hpp>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/base/table.h"
#include "sim/report/wrap.h"

namespace systole {

namespace po = boost::program_options;

namespace {

using Style = po::command_line_style::style_t;

// The Unix style without abbreviations ("--see 3") and without clusters of short options.
constexpr int style = Style::allow_long | Style::long_allow_adjacent | Style::long_allow_next | Style::allow_short |
                      Style::allow_dash_for_short | Style::short_allow_next;

const OptionSpec* find(const CommandSpec& command, const std::string& name) {
    const auto found = std::find_if(command.options.begin(), command.options.end(),
                                    [&](const OptionSpec& option) { return option.name == name; });
    return found == command.options.end() ? nullptr : &*found;
}

[[noreturn]] void reject_unknown(const CommandSpec& command, const std::string& name) {
    std::vector<std::string> names;
    for (const OptionSpec& option : command.options) {
        names.push_back(option.name);
    }
    const std::string near = nearest(name, names);
    const std::string cure = near.empty() ? fmt::format("`systole {} --help` lists them", command.name)
                                          : fmt::format("did you mean '{}'?", near);
    throw InputError(fmt::format("unknown option '{}' of {} ({})", name.substr(0, 60), command.name, cure));
}

// The part of a word that names an option: "--name" of "--name=value".
std::string name_in(const std::string& word) { return word.starts_with("--") ? word.substr(0, word.find('=')) : word; }

// Of an option that Boost names: it calls "-o" both "-o" and "--o".
const OptionSpec& spec_of(const CommandSpec& command, const std::string& boost_name) {
    const auto bare = [](const std::string& name) {
        return name.substr(std::min(name.find_first_not_of('-'), name.size()));
    };
    for (const OptionSpec& option : command.options) {
        if (bare(option.name) == bare(boost_name)) {
            return option;
        }
    }
    throw InternalError(fmt::format("option '{}' of {} is in no table", boost_name, command.name));
}

// All values are strings: numbers are read by integer_option(), as Boost would turn -1 into a huge unsigned one.
po::options_description describe(const CommandSpec& command) {
    po::options_description description;
    for (const OptionSpec& option : command.options) {
        const bool is_long = option.name.starts_with("--");
        const std::string name = is_long ? option.name.substr(2) : "," + option.name.substr(1);
        if (option.value.empty()) {
            description.add_options()(name.c_str(), ""); // a switch
        } else if (option.repeatable) {
            description.add_options()(name.c_str(), po::value<std::vector<std::string>>()->composing());
        } else {
            description.add_options()(name.c_str(), po::value<std::string>());
        }
    }
    return description;
}

// Boost refuses "--name="; here it is an empty value, which whoever asks for the option may refuse.
std::vector<po::option> parse_empty_value(std::vector<std::string>& words) {
    const std::string word = words.front();
    if (!word.starts_with("--") || word.size() < 4 || word.find('=') != word.size() - 1) {
        return {};
    }
    words.erase(words.begin());
    po::option option(word.substr(2, word.size() - 3), {""});
    option.original_tokens = {word};
    return {option};
}

[[noreturn]] void reject_missing_value(const OptionSpec& option) {
    throw InputError(fmt::format("{} needs a value: {} {}", option.name, option.name, option.value));
}

// What Boost lets through: an option in the place of a forgotten value, and other spellings ("-oFILE", "---o", "--=x").
void check_words(const CommandSpec& command, const po::option& option) {
    const std::vector<std::string>& words = option.original_tokens;
    if (option.string_key.empty()) {
        if (option.value != words) {
            reject_unknown(command, words.front());
        }
        if (command.positionals.empty()) {
            throw InputError(fmt::format("{} takes no word like '{}' (options start with --)", command.name,
                                         words.front().substr(0, 60)));
        }
        return;
    }
    const OptionSpec& spec = spec_of(command, option.string_key);
    if (name_in(words.front()) != spec.name) {
        reject_unknown(command, name_in(words.front()));
    }
    if (words.size() > 1 && (words[1] == "--" || find(command, name_in(words[1])) != nullptr)) {
        reject_missing_value(spec);
    }
}

[[noreturn]] void translate(const CommandSpec& command, const po::error_with_option_name& error) {
    if (dynamic_cast<const po::unknown_option*>(&error) != nullptr) {
        reject_unknown(command, name_in(error.get_option_name()));
    }
    const auto* syntax = dynamic_cast<const po::invalid_command_line_syntax*>(&error);
    if (syntax != nullptr && syntax->kind() == po::invalid_syntax::empty_adjacent_parameter) {
        reject_unknown(command, "--="); // all other words like it are taken by parse_empty_value()
    }
    const OptionSpec& option = spec_of(command, error.get_option_name());
    if (dynamic_cast<const po::multiple_occurrences*>(&error) != nullptr) {
        throw InputError(fmt::format("{} is given twice", option.name));
    }
    if (syntax != nullptr && syntax->kind() == po::invalid_syntax::extra_parameter) {
        throw InputError(fmt::format("{} takes no value", option.name));
    }
    if (syntax != nullptr && syntax->kind() == po::invalid_syntax::missing_parameter) {
        reject_missing_value(option);
    }
    throw InputError(fmt::format("{}: {}", option.name, error.what()));
}

std::string option_help(const OptionSpec& option) {
    const std::string head = fmt::format("  {:<22}", option.name + (option.value.empty() ? "" : " " + option.value));
    const std::string help = option.help + (option.repeatable ? " (may be repeated)" : "");
    if (head.ends_with(' ')) {
        return wrap(head, help) + "\n";
    }
    return head + "\n" + wrap(std::string(24, ' '), help) + "\n";
}

std::string subcommands_help(const CommandSpec& command) {
    std::string text;
    for (const SubcommandSpec& one : command.subcommands) {
        text += wrap(fmt::format("  {:<31} ", "systole " + one.usage), one.summary) + "\n";
    }
    return text.empty() ? "" : fmt::format("\nand, each with a --help of its own:\n{}", text);
}

} // namespace

std::vector<OptionSpec> with_common_options(std::vector<OptionSpec> own, const std::string& formats) {
    own.push_back({"--format", formats, "how the result is written (text)"});
    own.push_back({"-o", "FILE", "write the result to FILE, whole or not at all, instead of standard output"});
    own.push_back({"--quiet", "", "no warnings and no progress bar"});
    own.push_back({"--help", "", "this page"});
    own.push_back({"--version", "", "the version"});
    return own;
}

std::optional<std::string> ParsedOptions::get(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : std::optional(found->second.front());
}

std::vector<std::string> ParsedOptions::all(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::vector<std::string>{} : found->second;
}

ParsedOptions parse_options(const CommandSpec& command, const std::vector<std::string>& arguments) {
    const po::options_description description = describe(command);
    ParsedOptions parsed;
    try {
        const po::parsed_options words = po::command_line_parser(arguments)
                                             .options(description)
                                             .style(style)
                                             .extra_style_parser(parse_empty_value)
                                             .run();
        po::variables_map values;
        for (const po::option& option : words.options) {
            check_words(command, option);
            if (option.string_key.empty()) {
                parsed.positionals_.push_back(option.value.front());
            }
        }
        po::store(words, values);
        for (const auto& [name, value] : values) {
            const auto* several = boost::any_cast<std::vector<std::string>>(&value.value());
            parsed.values_[spec_of(command, name).name] =
                several != nullptr ? *several : std::vector{value.as<std::string>()};
        }
    } catch (const po::error_with_option_name& error) {
        translate(command, error);
    }
    return parsed;
}

std::string help_text(const CommandSpec& command) {
    std::string text = fmt::format("usage: systole {} {}[options]\n\n", command.name,
                                   command.positionals.empty() ? "" : command.positionals + " ");
    text += wrap("", command.summary) + "\n" + subcommands_help(command) + "\noptions:\n";
    for (const OptionSpec& option : command.options) {
        text += option_help(option);
    }
    return text + "\nexamples:\n" + command.examples;
}

} // namespace systole

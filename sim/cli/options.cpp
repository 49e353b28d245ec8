#include "sim/cli/options.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/base/table.h"
#include "sim/report/wrap.h"

namespace systole {

namespace {

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

// "--name=value" taken apart; without '=' there is no value.
std::pair<std::string, std::optional<std::string>> split_at_equals(const std::string& word) {
    const std::size_t equals = word.find('=');
    if (!word.starts_with("--") || equals == std::string::npos) {
        return {word, std::nullopt};
    }
    return {word.substr(0, equals), word.substr(equals + 1)};
}

bool is_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

// The value of `option`, which may be the next word; advances `next` over it.
std::string take_value(const CommandSpec& command, const OptionSpec& option, const std::optional<std::string>& attached,
                       const std::vector<std::string>& arguments, std::size_t& next) {
    if (option.value.empty()) {
        if (attached) {
            throw InputError(fmt::format("{} takes no value", option.name));
        }
        return "";
    }
    if (attached) {
        return *attached;
    }
    // A known option in the value's place is a forgotten value; anything else may be one, "-1" too.
    if (next == arguments.size() || find(command, split_at_equals(arguments[next]).first) != nullptr) {
        throw InputError(fmt::format("{} needs a value: {} {}", option.name, option.name, option.value));
    }
    return arguments[next++];
}

std::string option_help(const OptionSpec& option) {
    const std::string head = fmt::format("  {:<22}", option.name + (option.value.empty() ? "" : " " + option.value));
    const std::string help = option.help + (option.repeatable ? " (may be repeated)" : "");
    if (head.size() <= 24) {
        return wrap(head, help) + "\n";
    }
    return head + "\n" + wrap(std::string(24, ' '), help) + "\n";
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
    ParsedOptions parsed;
    bool options_ended = false;
    for (std::size_t next = 0; next < arguments.size();) {
        const std::string& word = arguments[next++];
        if (!options_ended && word == "--") {
            options_ended = true;
            continue;
        }
        if (options_ended || !is_option(word)) {
            if (command.positionals.empty()) {
                throw InputError(fmt::format("{} takes no word like '{}' (options start with --)", command.name,
                                             word.substr(0, 60)));
            }
            parsed.positionals_.push_back(word);
            continue;
        }
        const auto [name, attached] = split_at_equals(word);
        const OptionSpec* option = find(command, name);
        if (option == nullptr) {
            reject_unknown(command, name);
        }
        std::vector<std::string>& values = parsed.values_[name];
        if (!values.empty() && !option->repeatable) {
            throw InputError(fmt::format("{} is given twice", name));
        }
        values.push_back(take_value(command, *option, attached, arguments, next));
    }
    return parsed;
}

std::string help_text(const CommandSpec& command) {
    std::string text = fmt::format("usage: systole {} {}[options]\n\n", command.name,
                                   command.positionals.empty() ? "" : command.positionals + " ");
    text += wrap("", command.summary) + "\n\noptions:\n";
    for (const OptionSpec& option : command.options) {
        text += option_help(option);
    }
    return text + "\nexamples:\n" + command.examples;
}

} // namespace systole

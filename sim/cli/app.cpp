#include "sim/cli/app.h"

#include <algorithm>
#include <filesystem>
#include <new>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/base/table.h"
#include "sim/cli/command.h"
#include "sim/cli/exit_code.h"
#include "sim/report/wrap.h"

namespace systole {

namespace {

std::vector<Command> commands() {
    return {simulate_command(), compare_command(),  roofline_command(), sweep_command(),
            probe_command(),    validate_command(), info_command()};
}

// Commands of two words, "probe pcie": the first word is a command of its own as well.
std::vector<Command> subcommands() {
    std::vector<Command> all{probe_hbm_command(), probe_pcie_command(), sweep_show_command(), sweep_plot_command(),
                             sweep_merge_command()};
    for (const Command& command : roofline_commands()) {
        all.push_back(command);
    }
    return all;
}

std::string overview() {
    std::string text = "Systole: a cycle-level simulator of systolic arrays, beside the roofline model.\n\n"
                       "usage: systole COMMAND [options]\n\ncommands:\n";
    for (const Command& command : commands()) {
        text += wrap(fmt::format("  {:<12}", command.spec.name), command.spec.summary) + "\n";
    }
    return text + "\n`systole COMMAND --help` shows its options, with examples; `systole --version`\nthe version.\n";
}

std::string version_text() { return fmt::format("systole {}\n", SYSTOLE_VERSION); }

[[noreturn]] void reject_command(const std::string& name) {
    std::vector<std::string> names;
    std::string list;
    for (const Command& command : commands()) {
        names.push_back(command.spec.name);
        list += (list.empty() ? "" : ", ") + command.spec.name;
    }
    const std::string near = nearest(name, names);
    throw InputError(fmt::format("unknown command '{}' ({}there are {})", name.substr(0, 60),
                                 near.empty() ? "" : fmt::format("did you mean '{}'? ", near), list));
}

// --help and --version win over everything else on the line.
bool asks_for(const std::vector<std::string>& arguments, const std::string& option) {
    for (const std::string& argument : arguments) {
        if (argument == "--") {
            return false;
        }
        if (argument == option) {
            return true;
        }
    }
    return false;
}

int run_parsed(const Command& command, const std::vector<std::string>& arguments, const Session& session) {
    const bool help = asks_for(arguments, "--help") || asks_for(arguments, "-h");
    if (help || asks_for(arguments, "--version")) {
        write_to_stream(help ? help_text(command.spec) : version_text(), session.out);
        return exit_good;
    }
    return command.run(parse_options(command.spec, arguments), session);
}

int run_command(const std::vector<std::string>& words, const Session& session) {
    const std::string name = words.empty() ? "--help" : words.front();
    if (name == "--help" || name == "-h" || name == "help") {
        write_to_stream(overview(), words.empty() ? session.err : session.out);
        return words.empty() ? exit_bad_input : exit_good;
    }
    if (name == "--version") {
        write_to_stream(version_text(), session.out);
        return exit_good;
    }
    for (const Command& command : subcommands()) {
        if (words.size() > 1 && command.spec.name == name + " " + words[1]) {
            return run_parsed(command, {words.begin() + 2, words.end()}, session);
        }
    }
    for (const Command& command : commands()) {
        if (command.spec.name == name) {
            return run_parsed(command, {words.begin() + 1, words.end()}, session);
        }
    }
    reject_command(name);
}

constexpr std::size_t most_errors = 100; // more of one input would push the first ones off every screen

// Errors in files start with their place; the others with the program's name.
void print(const InputError& error, std::ostream& err) {
    const std::vector<Diagnostic>& all = error.diagnostics();
    const std::size_t shown = std::min(all.size(), most_errors);
    for (std::size_t i = 0; i < shown; ++i) {
        const std::string place = to_string(all[i].place);
        err << printable((place.empty() ? "systole" : place) + ": " + all[i].message) << "\n";
    }
    if (shown < all.size()) {
        err << fmt::format("systole: and {} more errors\n", all.size() - shown);
    }
}

int report_bug(const char* what, std::ostream& err) {
    err << "systole: a bug in Systole, please report it with the command line and the files: " << what << "\n";
    return exit_bug;
}

} // namespace

int run_app(int argc, const char* const* argv, std::ostream& out, std::ostream& err, bool terminal) {
    try {
        const std::vector<std::string> words(argv, argv + argc);
        const std::vector<std::string> arguments(words.begin() + (words.empty() ? 0 : 1), words.end());
        return run_command(arguments, Session{out, err, terminal, words});
    } catch (const InputError& error) {
        print(error, err);
        return exit_bad_input;
    } catch (const EnvironmentError& error) {
        err << "systole: " << error.what() << "\n";
        return exit_environment;
    } catch (const std::filesystem::filesystem_error& error) {
        err << "systole: " << error.what() << "\n";
        return exit_environment;
    } catch (const std::bad_alloc&) {
        err << "systole: out of memory (run a smaller problem or a faster engine)\n";
        return exit_environment;
    } catch (const std::exception& error) {
        return report_bug(error.what(), err);
    } catch (...) {
        return report_bug("unknown exception", err);
    }
}

} // namespace systole

#include "tests/support/vcd.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace systole::test {

namespace {

std::vector<std::string> words_of(const std::string& line) {
    std::istringstream in(line);
    std::vector<std::string> words;
    for (std::string word; in >> word;)
        words.push_back(word);
    return words;
}

class Reader {
  public:
    Vcd read(const std::string& text);

  private:
    [[noreturn]] void fail(const std::string& what) const {
        throw std::runtime_error("line " + std::to_string(line_) + ": " + what);
    }
    void read_declaration(const std::vector<std::string>& words);
    void declare(const std::vector<std::string>& words);
    void read_change(const std::string& line);
    void set(const std::string& bits, const std::string& id);

    Vcd vcd_;
    int line_ = 0;
    bool declared_ = false;
    std::vector<std::string> scopes_;
    std::map<std::string, std::string> names_; // identifier -> full name
};

// $var wire WIDTH ID NAME [RANGE] $end
void Reader::declare(const std::vector<std::string>& words) {
    if (words.size() < 6 || words.size() > 7 || words[1] != "wire")
        fail("not a variable");
    const int width = std::stoi(words[2]);
    if (words.size() == 7 && words[5] != "[" + std::to_string(width - 1) + ":0]")
        fail("range " + words[5] + " of a variable of " + words[2] + " bits");
    std::string name;
    for (const auto& scope : scopes_)
        name += scope + ".";
    name += words[4];
    if (!names_.emplace(words[3], name).second)
        fail("identifier " + words[3] + " is declared twice");
    if (!vcd_.variables.emplace(name, VcdVariable{width, {}}).second)
        fail(name + " is declared twice");
}

void Reader::read_declaration(const std::vector<std::string>& words) {
    if (words.empty() || words.back() != "$end")
        fail("a declaration without $end");
    if (words[0] == "$scope") {
        if (words.size() != 4 || words[1] != "module")
            fail("not a scope");
        scopes_.push_back(words[2]);
    } else if (words[0] == "$upscope") {
        if (scopes_.empty())
            fail("$upscope without a scope");
        scopes_.pop_back();
    } else if (words[0] == "$var") {
        declare(words);
    } else if (words[0] == "$timescale") {
        vcd_.timescale = words.at(1) + " " + words.at(2);
    } else if (words[0] == "$enddefinitions") {
        if (!scopes_.empty())
            fail("a scope is still open");
        declared_ = true;
    } else if (words[0] != "$comment") {
        fail("unknown declaration " + words[0]);
    }
}

void Reader::set(const std::string& bits, const std::string& id) {
    const auto name = names_.find(id);
    if (name == names_.end())
        fail("unknown identifier " + id);
    if (vcd_.times.empty())
        fail("a value before the first time stamp");
    auto& variable = vcd_.variables.at(name->second);
    if (static_cast<int>(bits.size()) != variable.width)
        fail(name->second + " has another width");
    std::uint64_t value = variable.width > 1 && bits[0] == '1' ? ~std::uint64_t{0} : 0;
    for (const char bit : bits) {
        if (bit != '0' && bit != '1')
            fail("not a bit");
        value = value << 1U | (bit == '1' ? 1U : 0U);
    }
    variable.changes[vcd_.times.back()] = static_cast<std::int64_t>(value);
}

void Reader::read_change(const std::string& line) {
    if (line.empty())
        fail("an empty line");
    if (line[0] == '#') {
        const std::int64_t time = std::stoll(line.substr(1));
        if (!vcd_.times.empty() && time <= vcd_.times.back())
            fail("time does not advance");
        vcd_.times.push_back(time);
    } else if (line[0] == 'b') {
        const auto words = words_of(line.substr(1));
        if (words.size() != 2)
            fail("not a vector's value");
        set(words[0], words[1]);
    } else {
        set(line.substr(0, 1), line.substr(1));
    }
}

Vcd Reader::read(const std::string& text) {
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        ++line_;
        if (declared_) {
            read_change(line);
        } else {
            read_declaration(words_of(line));
        }
    }
    if (!declared_)
        fail("no $enddefinitions");
    return vcd_;
}

} // namespace

std::optional<std::int64_t> VcdVariable::at(std::int64_t time) const {
    const auto after = changes.upper_bound(time);
    return after == changes.begin() ? std::nullopt : std::optional(std::prev(after)->second);
}

const VcdVariable& Vcd::variable(const std::string& name) const {
    const auto at = variables.find(name);
    if (at == variables.end())
        throw std::runtime_error("no variable " + name);
    return at->second;
}

Vcd read_vcd(const std::string& text) { return Reader().read(text); }

} // namespace systole::test

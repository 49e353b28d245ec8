// A run as one HTML file that opens offline: pictures, explanations and tables, and the analytic model to play with.
#pragma once

#include <string>
#include <vector>

#include "sim/config/machine.h"
#include "sim/report/counters.h"
#include "sim/stats/result.h"

namespace systole {

// A chip that the reader of the report can choose.
struct ReportChip {
    Machine machine;
    std::string argument;               // what --chip is given
    std::vector<std::string> overrides; // what --set is given
};

struct HtmlReport {
    ReportChip chip; // of the run
    RunResult run;
    std::vector<ReportChip>
        others;          // to be chosen besides; one of the run's name is left out if the run had no override
    std::string command; // the command line, to be shown; may be empty
};

// Everything the page shows and computes with, as JSON. Names out of users' files are in there as they are.
Json html_data(const HtmlReport& report);

// The whole file. Self-contained: no address is followed, Chart.js is inside. Whatever stands in users' files is text
// on the page, never markup or script.
std::string html_report(const HtmlReport& report);

} // namespace systole

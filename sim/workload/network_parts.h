// The tables of a workload file one by one: [[tensor]] and [[operator]], before their names are resolved.
#pragma once

#include <optional>
#include <string>

#include "sim/workload/network.h"
#include "sim/workload/toml_table.h"

namespace systole {

struct WrittenOperator {
    OperatorDraft draft;
    std::string activation;          // a function that follows; "": none
    std::optional<GemmProblem> gemm; // given by m, n and k
    std::int64_t count = 1;          // of such a GEMM
};

// How the tables of a file are read. Functions report to `found` and return nothing for a table with an error.
struct NetworkParts {
    const std::string& file;
    const std::optional<OperandFormats>& asked; // formats in place of those of the file
    Diagnostics& found;
    OperandFormats formats; // of the file
    Parameters parameters;
    SparsePattern sparsity = dense_pattern; // of the file: of GEMMs given by m, n and k

    TomlTable wrap(const toml::table& table) const { return {table, file, parameters, found}; }
    OperandFormats read_formats(const TomlTable& table, const OperandFormats& otherwise) const;
    SparsePattern read_sparsity(const TomlTable& table, SparsePattern otherwise) const;
    std::optional<Tensor> read_tensor(const TomlTable& table) const;
    // `number`: of the operator, for its name if it has none.
    std::optional<WrittenOperator> read_operator(const TomlTable& table, std::int64_t number) const;

  private:
    void read_sizes(const TomlTable& table, WrittenOperator& written, bool good) const;
    void read_activation(const TomlTable& table, const std::string& kind, WrittenOperator& written) const;
};

} // namespace systole

#include "sim/workload/onnx_inference.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <onnx/shape_inference/implementation.h>
#include <optional>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "sim/base/error.h"
#include "sim/workload/onnx_node.h"

namespace systole {

namespace {

constexpr const char* answered = "shapes";
constexpr rlim_t most_seconds = 60; // of computing time; large models take a second

// What the child process answers travels as a graph: values and outputs with their shapes, `input` for what is
// computed, and in `doc_string` why there is none of it.
onnx::GraphProto answer_for(onnx::ModelProto& model) {
    onnx::GraphProto answer;
    answer.set_name(answered);
    std::unordered_map<std::string, onnx::TensorShapeProto> computed;
    try {
        onnx::shape_inference::InferShapes(model, onnx::OpSchemaRegistry::Instance(),
                                           onnx::ShapeInferenceOptions(false, 0, true), &computed);
    } catch (const std::exception& error) {
        answer.set_doc_string(std::string("its shapes contradict each other: ") + error.what());
        return answer;
    }
    answer.mutable_value_info()->Swap(model.mutable_graph()->mutable_value_info());
    answer.mutable_output()->Swap(model.mutable_graph()->mutable_output());
    for (const auto& [name, shape] : computed) {
        onnx::ValueInfoProto& value = *answer.add_input();
        value.set_name(name);
        *value.mutable_type()->mutable_tensor_type()->mutable_shape() = shape;
    }
    return answer;
}

void set_limit(decltype(RLIMIT_CPU) what, rlim_t most) {
    const rlimit limit{most, most + 1}; // the signal comes at the first, the end at the second
    ::setrlimit(what, &limit);
}

// In the child process; ends it.
[[noreturn]] void answer_to(int pipe, onnx::ModelProto& model) {
    set_limit(RLIMIT_CORE, 0);
    set_limit(RLIMIT_CPU, most_seconds);
    if (const int nowhere = ::open("/dev/null", O_WRONLY); nowhere >= 0) {
        ::dup2(nowhere, STDERR_FILENO); // libonnx and the C library have words of their own for what they find
    }
    for (const int signal : {SIGSEGV, SIGFPE, SIGABRT, SIGBUS, SIGXCPU}) {
        std::signal(signal, SIG_DFL);
    }
    const std::string bytes = answer_for(model).SerializeAsString();
    std::size_t sent = 0;
    while (sent < bytes.size()) {
        const ssize_t more = ::write(pipe, bytes.data() + sent, bytes.size() - sent);
        if (more < 0 && errno != EINTR) {
            ::_exit(1);
        }
        sent += static_cast<std::size_t>(std::max<ssize_t>(more, 0));
    }
    ::_exit(0);
}

std::string read_all(int pipe) {
    std::string bytes;
    char buffer[1 << 16];
    for (;;) {
        const ssize_t more = ::read(pipe, buffer, sizeof buffer);
        if (more > 0) {
            bytes.append(buffer, static_cast<std::size_t>(more));
        } else if (more == 0 || errno != EINTR) {
            return bytes;
        }
    }
}

// Of the first `nodes` nodes. Nothing if libonnx did not live to answer.
std::optional<onnx::GraphProto> ask_child(const onnx::ModelProto& model, int nodes) {
    int ends[2];
    if (::pipe(ends) != 0) {
        throw EnvironmentError("no pipe can be made to infer the shapes of an ONNX model (too many open files?)");
    }
    const pid_t child = ::fork();
    if (child == 0) {
        ::close(ends[0]);
        onnx::ModelProto own = model;
        auto& list = *own.mutable_graph()->mutable_node();
        list.DeleteSubrange(nodes, list.size() - nodes);
        answer_to(ends[1], own);
    }
    ::close(ends[1]);
    const std::string bytes = child < 0 ? std::string() : read_all(ends[0]);
    ::close(ends[0]);
    if (child < 0) {
        throw EnvironmentError("no process can be started to infer the shapes of an ONNX model (too many of them?)");
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) {
        throw InputError(
            fmt::format("its shapes are not inferred after {} s (is the model what it should be?)", most_seconds));
    }
    onnx::GraphProto answer;
    const bool good =
        WIFEXITED(status) && WEXITSTATUS(status) == 0 && answer.ParseFromString(bytes) && answer.name() == answered;
    return good ? std::optional(answer) : std::nullopt;
}

// The node that libonnx does not survive: with it among the first it dies, without it, it does not.
const OnnxNode& fatal_node(const onnx::ModelProto& model) {
    int survived = 0;
    int fatal = model.graph().node_size();
    while (fatal - survived > 1) {
        const int middle = survived + (fatal - survived) / 2;
        (ask_child(model, middle) ? survived : fatal) = middle;
    }
    return model.graph().node(fatal - 1);
}

} // namespace

OnnxShapes infer_onnx_shapes(const onnx::ModelProto& model) {
    const std::optional<onnx::GraphProto> answer = ask_child(model, model.graph().node_size());
    if (!answer) {
        throw InputError(fmt::format("{} does not fit its inputs: their dimensions or its attributes are none that it "
                                     "takes, and no shape follows (correct the model, or export it again)",
                                     describe(fatal_node(model))));
    }
    if (!answer->doc_string().empty()) {
        std::string what = answer->doc_string();
        std::replace(what.begin(), what.end(), '\n', ' ');
        throw InputError(what + " (correct the model, or export it again)");
    }
    OnnxShapes shapes;
    shapes.values.assign(answer->value_info().begin(), answer->value_info().end());
    shapes.values.insert(shapes.values.end(), answer->output().begin(), answer->output().end());
    for (const onnx::ValueInfoProto& value : answer->input()) {
        std::vector<std::int64_t> numbers;
        bool whole = true;
        for (const auto& dimension : value.type().tensor_type().shape().dim()) {
            whole = whole && dimension.has_dim_value();
            numbers.push_back(dimension.dim_value());
        }
        if (whole) {
            shapes.integers.emplace(value.name(), numbers);
        }
    }
    return shapes;
}

} // namespace systole

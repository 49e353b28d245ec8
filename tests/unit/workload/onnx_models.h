// ONNX models built piece by piece, as exporters would write them.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "sim/workload/onnx_proto.h"

namespace systole::test {

class OnnxGraph {
  public:
    OnnxGraph() {
        model_.set_ir_version(8);
        auto* opset = model_.add_opset_import();
        opset->set_version(17);
        graph().set_name("test");
    }

    onnx::ModelProto& model() { return model_; }
    onnx::GraphProto& graph() { return *model_.mutable_graph(); }

    // A dimension below 0 has no size; `names`: of such dimensions, in order.
    OnnxGraph& input(const std::string& name, const std::vector<std::int64_t>& shape,
                     const std::vector<std::string>& names = {}, int type = onnx::TensorProto::FLOAT) {
        declare(*graph().add_input(), name, shape, names, type);
        return *this;
    }
    OnnxGraph& output(const std::string& name) {
        auto* value = graph().add_output();
        value->set_name(name);
        value->mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
        return *this;
    }
    // Values are zeros, stored as an exporter would.
    onnx::TensorProto& weight(const std::string& name, const std::vector<std::int64_t>& shape) {
        auto* tensor = graph().add_initializer();
        tensor->set_name(name);
        tensor->set_data_type(onnx::TensorProto::FLOAT);
        std::size_t count = 1;
        for (const std::int64_t size : shape) {
            tensor->add_dims(size);
            count *= static_cast<std::size_t>(size);
        }
        tensor->set_raw_data(std::string(4 * count, '\0'));
        return *tensor;
    }
    OnnxGraph& integers(const std::string& name, const std::vector<std::int64_t>& values, bool scalar = false) {
        auto* tensor = graph().add_initializer();
        tensor->set_name(name);
        tensor->set_data_type(onnx::TensorProto::INT64);
        if (!scalar) {
            tensor->add_dims(static_cast<std::int64_t>(values.size()));
        }
        for (const std::int64_t value : values) {
            tensor->add_int64_data(value);
        }
        return *this;
    }
    onnx::NodeProto& node(const std::string& type, const std::string& name, const std::vector<std::string>& inputs,
                          const std::vector<std::string>& outputs) {
        auto* one = graph().add_node();
        one->set_op_type(type);
        one->set_name(name);
        for (const std::string& input : inputs) {
            one->add_input(input);
        }
        for (const std::string& made : outputs) {
            one->add_output(made);
        }
        return *one;
    }

    std::string bytes() const { return model_.SerializeAsString(); }
    void write(const std::string& file) const { std::ofstream(file, std::ios::binary) << bytes(); }

  private:
    static void declare(onnx::ValueInfoProto& value, const std::string& name, const std::vector<std::int64_t>& shape,
                        const std::vector<std::string>& names, int type) {
        value.set_name(name);
        auto* tensor = value.mutable_type()->mutable_tensor_type();
        tensor->set_elem_type(type);
        std::size_t next = 0;
        auto* dimensions = tensor->mutable_shape();
        for (const std::int64_t size : shape) {
            auto* dimension = dimensions->add_dim();
            if (size >= 0) {
                dimension->set_dim_value(size);
            } else if (next < names.size()) {
                dimension->set_dim_param(names[next++]);
            }
        }
    }

    onnx::ModelProto model_;
};

inline onnx::NodeProto& with(onnx::NodeProto& node, const std::string& name, const std::vector<std::int64_t>& values) {
    auto* attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto::INTS);
    for (const std::int64_t value : values) {
        attribute->add_ints(value);
    }
    return node;
}

inline onnx::NodeProto& with(onnx::NodeProto& node, const std::string& name, std::int64_t value) {
    auto* attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto::INT);
    attribute->set_i(value);
    return node;
}

inline onnx::NodeProto& with(onnx::NodeProto& node, const std::string& name, const char* value) {
    auto* attribute = node.add_attribute();
    attribute->set_name(name);
    attribute->set_type(onnx::AttributeProto::STRING);
    attribute->set_s(value);
    return node;
}

} // namespace systole::test

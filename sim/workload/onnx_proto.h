// The messages of an ONNX file, with the macros that Debian's libonnx was built with.
#pragma once

#ifndef ONNX_NAMESPACE
#define ONNX_NAMESPACE onnx
#endif
#ifndef ONNX_ML
#define ONNX_ML 1
#endif

#include <onnx/onnx_pb.h>

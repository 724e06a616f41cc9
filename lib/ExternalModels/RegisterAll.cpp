// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "npu/ExternalModels/RegisterAll.h"
#include "Defaults.h"
#include "Models.h"
#include "npu/Dialect/NPU/IR/NPUDialect.h"
#include "npu/Interfaces/CausalOpInterface.h"
#include "npu/Interfaces/PaddingOpInterface.h"
#include "npu/Interfaces/PartwiseOpInterface.h"
#include "npu/Interfaces/RematerializableOpInterface.h"
#include "npu/Interfaces/StructuredFormOpInterface.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Async/IR/Async.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;

namespace npu {
namespace {

/// Whether operations of this name have no model of `Interface` and their
/// dialect promises none.
template <typename Interface>
bool isOpen(RegisteredOperationName name) {
  return !name.hasInterface<Interface>() &&
         !dialect_extension_detail::hasPromisedInterface(
             name.getDialect(), name.getTypeID(), Interface::getInterfaceID());
}

/// Attaches default models to the operations of every dialect when it is
/// loaded. An operation with a promised model gets no default: without its
/// registration it is not understood, and users are told.
class DefaultModels : public DialectExtensionBase {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DefaultModels)

  DefaultModels() : DialectExtensionBase(/*every dialect*/ {}) {}

  void apply(MLIRContext *context,
             MutableArrayRef<Dialect *> dialects) const override {
    // Visit all registered names, because upstream's list of a dialect's
    // operations is incomplete.
    for (RegisteredOperationName name : context->getRegisteredOperations()) {
      if (!llvm::is_contained(dialects, &name.getDialect()))
        continue;
      if (isOpen<PartwiseOpInterface>(name))
        attachPartwiseDefault(name);
      if (isOpen<RematerializableOpInterface>(name))
        attachRematerializableDefault(name);
      if (isOpen<StructuredFormOpInterface>(name))
        attachStructuredFormDefault(name);
      if (isOpen<CausalOpInterface>(name))
        attachCausalDefault(name);
      if (isOpen<PaddingOpInterface>(name))
        attachPaddingDefault(name);
    }
  }

  std::unique_ptr<DialectExtensionBase> clone() const override {
    return std::make_unique<DefaultModels>(*this);
  }
};

} // namespace

void registerDialects(DialectRegistry &registry) {
  registry.insert<NPUDialect, affine::AffineDialect, arith::ArithDialect,
                  async::AsyncDialect, bufferization::BufferizationDialect,
                  cf::ControlFlowDialect, DLTIDialect, func::FuncDialect,
                  linalg::LinalgDialect, math::MathDialect,
                  memref::MemRefDialect, scf::SCFDialect, tensor::TensorDialect,
                  tosa::TosaDialect, ub::UBDialect>();
  func::registerInlinerExtension(registry);
  registerModels(registry);
}

void registerModels(DialectRegistry &registry) {
  registerNPUModels(registry);
  registerPositionModels(registry);
  registerSCFModels(registry);
  registerTensorEntryModels(registry);
  registerTensorPaddingModels(registry);
  registerLinalgModels(registry);
  registerTensorPartwiseModels(registry);
  registerTensorStructuredForms(registry);
  registerTensorCausalModels(registry);
  registerAffineModels(registry);
  registerArithModels(registry);
  registry.addExtension(TypeID::get<DefaultModels>(),
                        std::make_unique<DefaultModels>());
}

} // namespace npu

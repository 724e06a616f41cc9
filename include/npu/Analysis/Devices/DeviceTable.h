// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The placement report: on which device every operation of a program runs, with
// which kernel and why, and what it moves between devices. docs/devices.md
// shows one.
//
// A row is an operation of a tile program, or of a function without layouts,
// which all runs on the CPU. Rows are what computes or fills: slices, reshapes,
// constants, unwritten tensors and transfers are none, and neither are loops
// and branches around rows. A loop or a branch on the CPU that has no row in
// it, only scalars and single entries, is one row.

#ifndef NPU_ANALYSIS_DEVICES_DEVICETABLE_H
#define NPU_ANALYSIS_DEVICES_DEVICETABLE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>
#include <vector>

namespace npu {

/// How often an operation runs while its entry function runs once.
struct Executions {
  int64_t least = 1;
  /// Nothing: any number.
  std::optional<int64_t> most = 1;

  bool operator==(const Executions &) const = default;
};

struct DeviceRow {
  std::string function;
  /// The operation's name, as "linalg.matmul".
  std::string name;
  /// "model.mlir:12:8"
  std::string location;
  /// The tile of the NPU, or nothing for the CPU.
  std::optional<int64_t> tile;
  /// What computes: "linalg.matmul f16xf16->f32".
  std::string kernel;
  /// Why it runs there.
  std::string reason;
  /// Whether it computes, and does not only fill or move what lies in DDR, as
  /// the edges of a padded function do. What computes needs a device that can.
  bool computes = true;
  /// Bytes that a host fallback gets from scratchpads, and that tiles
  /// get of its results; each transfer is counted once. Nothing in programs on
  /// buffers, whose buffers many operations share.
  std::optional<int64_t> bytesFromTiles = 0, bytesToTiles = 0;
  Executions executions;
  /// How often it was executed; nothing before a run.
  std::optional<int64_t> executed;
};

struct DeviceTable {
  std::vector<DeviceRow> rows;
  /// The operation of each row.
  std::vector<mlir::Operation *> ops;
  /// Whether the tile of a row was not said by `npu.tile` (programs on buffers,
  /// where upstream's rewrites drop it), so that the buffers are asked.
  std::vector<bool> isDerived;
};

/// The rows of all functions of a tile program, of a function without layouts,
/// or of either on buffers, in program order. Executions are counted for one
/// run of `entry`, or of each public function where it is empty. Precondition:
/// no tensor has a layout. Example: a tile program that multiplies on two tiles
/// has two rows `linalg.matmul f32xf32->f32`, of tile 0 and of tile 1.
DeviceTable deviceTableOf(mlir::ModuleOp module, llvm::StringRef entry = "");

/// The first operation that falls back to the host, or null.
mlir::Operation *computesOnCpu(const DeviceTable &table);

/// An error at the first operation that falls back to the host, where the
/// device is to be the NPU alone.
mlir::LogicalResult verifyOnNpu(const DeviceTable &table);

/// "NPU.0 tile 2" or "CPU".
std::string nameOfDevice(std::optional<int64_t> tile);

/// The report as text. Rows that differ in their tile alone share a line, and
/// of more than 40 lines those with equal kernels.
void printDeviceTable(const DeviceTable &table, llvm::raw_ostream &os);

/// The report as JSON, with one object for each row.
void printDeviceTableAsJson(const DeviceTable &table, llvm::raw_ostream &os);

} // namespace npu

#endif // NPU_ANALYSIS_DEVICES_DEVICETABLE_H

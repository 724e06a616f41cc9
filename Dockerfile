# Tilewright on a fresh Debian 12: the README's command, and an installation.
#
#   docker build --tag tilewright .
#   docker run --rm --volume "$PWD:/data" tilewright npu-opt /data/model.mlir
FROM debian:bookworm

COPY . /tilewright
WORKDIR /tilewright
# The first line of the README: installs packages, builds, and runs all tests.
RUN scripts/test.sh
RUN cmake --install build --prefix /usr/local
WORKDIR /data
CMD ["npu-opt", "--help"]

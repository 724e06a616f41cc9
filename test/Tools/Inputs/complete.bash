# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What bash would offer after a word: complete.bash BUILD TOOL WORD
set -euo pipefail
source "$1/share/bash-completion/completions/$2"
COMP_WORDS=("$2" "$3")
COMP_CWORD=1
COMPREPLY=()
"_${2//-/_}"
if ((${#COMPREPLY[@]} > 0)); then
  printf '%s\n' "${COMPREPLY[@]}"
fi

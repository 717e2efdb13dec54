#!/usr/bin/env bash
# Compiles our own crates with coverage, and other crates as usual: libFuzzer looks at every counter of
# the program after every execution, and most of them would be in code that the target never reaches.
set -euo pipefail
case " $* " in
*" --crate-name ternwood"* | *" --crate-name model_file "* | *" --crate-name csv "* | \
    *" --crate-name arff "* | *" --crate-name notation "* | *" --crate-name fit_predict "*)
    # shellcheck disable=SC2086 # a list of options
    exec "$@" $TERNWOOD_COVERAGE
    ;;
*) exec "$@" ;;
esac

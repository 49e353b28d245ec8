# What the scripts in tests/cli have in common; each reads it at its top and ends with the number of failures.
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# For the scripts about networks and models.

# refused PATTERN ARGUMENTS...: exit code 2, nothing on stdout, the pattern on stderr.
refused() {
    local pattern=$1
    shift
    timeout 60 "$SYSTOLE" "$@" >out 2>err
    [ $? -eq 2 ] || fail "$*: not refused"
    [ -s out ] && fail "$*: wrote to stdout"
    grep -q -- "$pattern" err || fail "$*: no '$pattern' in: $(cat err)"
}
# value EXPRESSION: behind `d`, of the file "json".
value() { python3 -c 'import json, sys; print(eval("d" + sys.argv[1], {"d": json.load(open("json"))}))' "$1"; }

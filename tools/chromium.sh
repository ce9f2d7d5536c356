#!/bin/sh
# Install Debian's chromium, with which the report page is tested, where that can be done:
# apt-get is there, we are root and chromium is missing. Never fails: without a browser the tests
# of the page are reported as not run.

command -v chromium >/dev/null 2>&1 && exit 0

if ! command -v apt-get >/dev/null 2>&1 || [ "$(id -u)" -ne 0 ]; then
    echo "chromium is not installed and cannot be from here: page tests will not run (make test BROWSER=no says nothing)" >&2
    exit 0
fi

echo "installing chromium with apt-get, for the page tests (make test BROWSER=no does without)"
log=$(mktemp)
export DEBIAN_FRONTEND=noninteractive
if ! { apt-get update -qq &&
       apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 chromium fonts-dejavu-core
     } </dev/null >"$log" 2>&1 || ! command -v chromium >/dev/null 2>&1; then
    echo "chromium could not be installed: page tests will not run; apt-get's last words:" >&2
    tail -n 5 "$log" >&2
fi
rm -f "$log"
exit 0

#!/bin/sh
# Gets Chromium and its driver for the tests of pages, where this machine has neither and its
# packages can be installed. Without them those tests are left out, except in CI.
set -eu
command -v chromedriver >/dev/null 2>&1 && exit 0
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get install -y --no-install-recommends chromium chromium-driver >/dev/null 2>&1 ||
        { apt-get update >/dev/null && apt-get install -y --no-install-recommends chromium chromium-driver >/dev/null; }
else
    echo "chromedriver is missing: install Chromium and its driver to test the pages too" >&2
fi

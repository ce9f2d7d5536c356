#!/bin/sh
# venv.sh ARGUMENTS: pip install ARGUMENTS into $VENV (.venv), which is made first if it is not there.
# Works where python3 came without ensurepip: the outer pip then installs into it.
set -eu

python=${PYTHON:-python3}
venv=${VENV:-.venv}

command -v "$python" >/dev/null 2>&1 || {
    echo "Littlestone needs Python 3.11 or newer, and '$python' was not found (make PYTHON=... chooses another)." >&2
    exit 1
}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "Littlestone needs Python 3.11 or newer; '$python' is $("$python" --version 2>&1) (make PYTHON=... chooses another)." >&2
    exit 1
}

if ! "$venv/bin/python" -c '' 2>/dev/null; then
    echo "creating $venv with $("$python" --version)"
    "$python" -m venv --clear "$venv" >/dev/null 2>&1 || "$python" -m venv --clear --without-pip "$venv"
fi

echo "installing into $venv: $*"
if "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
    exec "$venv/bin/python" -m pip install -qq --disable-pip-version-check --no-input "$@"
else
    exec "$python" -m pip --python "$venv/bin/python" install -qq --disable-pip-version-check --no-input "$@"
fi

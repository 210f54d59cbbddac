"""The processor, its vector instructions and the version of numpy don't show in any order."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from digests import digests
from places import ROOT

from permtree.kernels import logarithm as kernel

# What is not defined to the last bit by IEEE 754, so that processors and libraries may differ in it
INEXACT = ("log", "log1p", "log2", "log10", "exp", "exp2", "expm1", "power", "float_power", "sin", "cos", "tanh")
OTHER_PYTHON = "PERMTREE_OTHER_PYTHON"  # the Python of an environment with permtree's dependencies and another numpy


@pytest.fixture(scope="module")
def here():
    kernel._listed.cache_clear()
    return digests()


def elsewhere(python, **environment):
    paths = os.pathsep.join(str(ROOT / folder) for folder in (".", "parsers", "tests/helpers"))
    done = subprocess.run(
        [python, "-W", "ignore", str(ROOT / "tests/helpers/digests.py")],
        env={**os.environ, "PYTHONPATH": paths, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.long
def test_last_bits_of_functions_that_processors_compute_differently_do_not_show(here, monkeypatch):
    random = np.random.default_rng(0)

    def shaken(exact):
        def function(*arguments, **keywords):
            value = np.asarray(exact(*arguments, **keywords))
            if value.dtype != np.float64:
                return value
            towards = np.where(random.random(value.shape) < 0.5, -np.inf, np.inf)
            return np.nextafter(value, towards)

        return function

    for name in INEXACT:
        monkeypatch.setattr(np, name, shaken(getattr(np, name)))
    kernel._listed.cache_clear()
    assert digests() == here


@pytest.mark.long
def test_processor_features_do_not_show(here):
    """With everything off that numpy finds out about the processor at the start, and what the C library does."""
    core = np._core if hasattr(np, "_core") else np.core
    dispatched = " ".join(core._multiarray_umath.__cpu_dispatch__)
    features = {"NPY_DISABLE_CPU_FEATURES": dispatched, "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4"}
    assert elsewhere(sys.executable, **features) == here


@pytest.mark.long
def test_versions_of_numpy_do_not_show(here):
    other = os.environ.get(OTHER_PYTHON)
    if not other:
        pytest.skip(f"{OTHER_PYTHON} names no Python with another numpy")
    assert elsewhere(other) == here

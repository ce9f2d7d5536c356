"""One kernel of BLAS for tests and digests, on every processor that has it.

OpenBLAS picks its kernels by processor, and each adds up in an order of its own: the same tests gave other last bits on
AMD's Zen 4 (kernel "SkylakeX") than on the processor before it ("Haswell"), in 227 of 747 digests. Call `choose` before
anything imports NumPy.
"""

from __future__ import annotations

import os
from pathlib import Path


def choose() -> None:
    """Take the kernel for AVX2 where the processor has AVX2, and nothing else was asked for."""
    described = Path("/proc/cpuinfo")
    if described.exists() and " avx2 " in described.read_text(encoding="utf-8"):
        os.environ.setdefault("OPENBLAS_CORETYPE", "Haswell")


def kernel() -> str:
    """The kernel of the BLAS that NumPy is linked with."""
    from threadpoolctl import threadpool_info

    return ", ".join(
        sorted(
            {str(one.get("architecture")) for one in threadpool_info() if one["user_api"] == "blas"}
        )
    )

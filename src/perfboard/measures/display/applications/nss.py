# SPDX-License-Identifier: Apache-2.0
"""How a browser that uses NSS trusts an authority: by a data base in a folder of its home."""

from perfboard.measures.display.applications.base import Trust


def trusts_by(folder: str) -> Trust:
    """`C` is whom it trusts for servers; no password is asked for."""
    base = f"-d sql:home/{folder}"
    return Trust(
        f"mkdir -p home/{folder} && certutil -N {base} --empty-password && "
        f"certutil -A {base} -n Perfboard -t C,, -i ca.crt",
        programs=("certutil",),
        packages=("libnss3-tools",),
    )

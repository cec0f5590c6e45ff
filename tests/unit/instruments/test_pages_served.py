# SPDX-License-Identifier: Apache-2.0
"""The pages that a virtual board's far end served, in the scope's record."""

from pathlib import Path

from perfboard.instruments.scope import GetRow, TlsRow, pages_served

RECORD = """\
{"mark":"try","ns":1,"instructions":1}
{"get":"cart.html","ns":4963705028}
{"console":[1,2]}
{"tls":"in its handshake (mbedTLS: -0x7780)","ns":4963705029}
{"beat":5000000000}
"""


def test_pages_and_connections_without_one_are_rows_with_their_instants(tmp_path: Path) -> None:
    (tmp_path / "scope.jsonl").write_text(RECORD)
    assert pages_served(tmp_path) == [
        (4963705028, GetRow(name="cart.html")),
        (4963705029, TlsRow(why="in its handshake (mbedTLS: -0x7780)")),
    ]

# SPDX-License-Identifier: Apache-2.0
"""What holds of each record of a boot, whatever it was made of."""

from perfboard.analysis.boot.phases import cut_boot, total
from perfboard.model.results.boot import Boot


def hold(made: Boot) -> None:
    """Raises AssertionError for a record that contradicts itself."""
    times = [mark.t_ns for mark in made.marks]
    assert times == sorted(times) and all(t_ns >= 0 for t_ns in times)
    assert all(mark.precision_ns >= 0 for mark in made.marks)
    rows = cut_boot(made)
    assert all(row.duration_ns >= 0 for row in rows)
    whole = total(made)
    if whole is not None:
        assert sum(row.duration_ns for row in rows if not row.depth) == whole.duration_ns
    assert all(span.duration_ns >= 0 for span in made.spans)
    assert Boot.model_validate_json(made.model_dump_json()) == made

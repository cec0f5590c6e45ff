# SPDX-License-Identifier: Apache-2.0
"""Points over two quantities, and the front of the best of them."""

from pathlib import Path

from perfboard.report.charts import plot, scatter


def test_the_front_is_numbered_from_the_smallest() -> None:
    points = [
        scatter.ScatterPoint(3 << 20, 1.0, "large and fast"),
        scatter.ScatterPoint(1 << 20, 2.0, "small and slow"),
        scatter.ScatterPoint(3 << 20, 3.0, "beaten"),
    ]
    drawing = scatter.scatter(points, ("size", "time"), plot.WIDE)
    assert [point.name for point in drawing.front] == ["small and slow", "large and fast"]
    assert sorted(dot.number for dot in drawing.dots) == [0, 1, 2]
    assert drawing.x_ticks
    for dot in drawing.dots:
        assert drawing.left <= dot.x <= drawing.right
        assert drawing.top <= dot.y <= drawing.bottom


def test_one_point_alone_has_a_plane(tmp_path: Path) -> None:
    drawing = scatter.scatter(
        [scatter.ScatterPoint(100, 1.0, "only")], ("size", "time"), plot.NARROW
    )
    assert len(drawing.dots) == 1

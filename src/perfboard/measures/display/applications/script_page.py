# SPDX-License-Identifier: Apache-2.0
"""A page that a script makes: a shop's terminal, whose goods it makes, sorts and sums up.

It does the same each time, and nothing moves afterwards.
"""

SCRIPT_PAGE = """\
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Kiosk</title>
<style>
body { font: 16px "DejaVu Sans"; margin: 1em; background: #f4f4f0 }
#goods { display: grid; grid-template-columns: repeat(6, 1fr); gap: 8px }
#goods div { background: #fff; border: 1px solid #888; padding: 8px; border-radius: 4px }
canvas { width: 100%; height: 120px }
</style></head><body><h1 id="title">...</h1><canvas id="chart" width="960" height="120"></canvas>
<div id="goods"></div>
<script>
let seed = 7, sum = 0;
const next = () => (seed = (seed * 16807) % 2147483647);
const goods = Array.from({length: 600}, (_, i) => ({name: "Item " + i, price: next() % 10000}));
goods.sort((a, b) => a.price - b.price || (a.name < b.name ? -1 : 1));
const chart = document.getElementById("chart").getContext("2d");
chart.fillStyle = "#3060c0";
goods.forEach((item, i) => {
  sum += item.price;
  chart.fillRect(i * 1.6, 120 - item.price / 90, 1, item.price / 90);
  if (i % 20) return;
  const box = document.createElement("div");
  box.textContent = item.name + ": " + (item.price / 100).toFixed(2);
  document.getElementById("goods").append(box);
});
document.getElementById("title").textContent = goods.length + " items, " + (sum / 100).toFixed(2);
</script></body></html>
"""

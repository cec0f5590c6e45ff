# SPDX-License-Identifier: Apache-2.0
"""Firefox, Debian's with extended support: as a browser, and as a kiosk of one page."""

from perfboard.studies.profile.applications.base import Application
from perfboard.studies.profile.applications.nss import trusts_by

# No welcome, no questions, no caret that blinks, nothing that moves, and no requests of its own.
_PREFERENCES = {
    "app.normandy.enabled": "false",
    "app.update.enabled": "false",
    "browser.aboutwelcome.enabled": "false",
    # Each start is to load all of a page. The cache in memory remains.
    "browser.cache.disk.enable": "false",
    "browser.contentblocking.report.hide_vpn_banner": "true",
    "browser.newtabpage.enabled": "false",
    "browser.safebrowsing.malware.enabled": "false",
    "browser.safebrowsing.phishing.enabled": "false",
    "browser.sessionstore.resume_from_crash": "false",
    "browser.shell.checkDefaultBrowser": "false",
    "browser.startup.homepage_override.mstone": '"ignore"',
    "browser.startup.page": "0",
    # Nor is the last session offered again, as it is in the second one otherwise.
    "browser.startup.couldRestoreSession.count": "-1",
    "browser.tabs.warnOnClose": "false",
    "browser.termsofuse.bypassNotification": "true",
    "browser.urlbar.autoFill": "false",
    "browser.urlbar.maxRichResults": "0",
    "browser.urlbar.suggest.searches": "false",
    "browser.urlbar.suggest.history": "false",
    "browser.urlbar.suggest.bookmark": "false",
    "browser.urlbar.suggest.openpage": "false",
    "browser.urlbar.suggest.topsites": "false",
    "browser.urlbar.suggest.engines": "false",
    "datareporting.healthreport.uploadEnabled": "false",
    "datareporting.policy.dataSubmissionEnabled": "false",
    "dom.push.connection.enabled": "false",
    "extensions.getAddons.cache.enabled": "false",
    "extensions.update.enabled": "false",
    "media.gmp-manager.updateEnabled": "false",
    "network.captive-portal-service.enabled": "false",
    "network.connectivity-service.enabled": "false",
    "services.settings.server": '""',
    # It is ended without being asked when its reference picture is made.
    "toolkit.startup.max_resumed_crashes": "-1",
    "toolkit.telemetry.enabled": "false",
    "toolkit.telemetry.reportingpolicy.firstRun": "false",
    "trailhead.firstrun.didSeeAboutWelcome": "true",
    "ui.caretBlinkTime": "0",
    "ui.prefersReducedMotion": "1",
    # They fade for a second.
    "widget.gtk.overlay-scrollbars.enabled": "false",
}
_USER = "".join(f'user_pref("{name}", {value});\n' for name, value in _PREFERENCES.items())
_COMMAND = "firefox-esr --no-remote --profile home/profile"
# A shop's terminal: its goods are made and summed up by the script, and nothing moves afterwards.
_PAGE = """\
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

APPLICATIONS = (
    Application(
        name="firefox-esr",
        title="Firefox ESR, a browser",
        packages=("firefox-esr",),
        command=f"{_COMMAND} about:blank",
        home={"profile/user.js": _USER},
        # The page's process has the key first, and so the next ones if they come at once. Below on
        # the left is the state, while there is one.
        bars=((0, 0, 1024, 88), (0, 740, 512, 768)),
        location=("press ffe3+6c", "pause 300"),
        trust=trusts_by("profile"),
    ),
    Application(
        name="firefox-kiosk",
        title="Firefox ESR, as a kiosk",
        packages=("firefox-esr",),
        command=f"{_COMMAND} --kiosk home/kiosk.html",
        # It still works at something when its picture has long been there.
        patience_s=180,
        home={"profile/user.js": _USER, "kiosk.html": _PAGE},
    ),
)

# SPDX-License-Identifier: Apache-2.0
"""Firefox, Debian's with extended support: as a browser, and as a kiosk of one page."""

from perfboard.measures.display.applications.base import Application
from perfboard.measures.display.applications.nss import trusts_by
from perfboard.measures.display.applications.script_page import SCRIPT_PAGE

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
# It still works at something when its picture has long been there.
_PATIENCE_S = 180
# A start takes a virtual board's host five minutes or more.
_PICTURES = 1
_COMMAND = "firefox-esr --no-remote --profile home/profile"

APPLICATIONS = (
    Application(
        name="firefox-esr",
        title="Firefox ESR, a browser",
        packages=("firefox-esr",),
        command=f"{_COMMAND} about:blank",
        home={"profile/user.js": _USER},
        patience_s=_PATIENCE_S,
        pictures=_PICTURES,
        # The page's process has the key first, and so the next ones if they come at once. Below on
        # the left is the state, while there is one.
        bars=((0, 0, 1024, 88), (0, 740, 512, 768)),
        location=("press ffe3+6c", "pause 300"),
        trust=trusts_by("profile"),
        scripts=True,
    ),
    Application(
        name="firefox-kiosk",
        title="Firefox ESR, as a kiosk",
        packages=("firefox-esr",),
        command=f"{_COMMAND} --kiosk home/kiosk.html",
        patience_s=_PATIENCE_S,
        pictures=_PICTURES,
        home={"profile/user.js": _USER, "kiosk.html": SCRIPT_PAGE},
    ),
)

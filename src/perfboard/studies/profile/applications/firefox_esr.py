# SPDX-License-Identifier: Apache-2.0
"""Firefox, Debian's with extended support."""

from perfboard.studies.profile.applications.base import Application

# No welcome, no questions, no caret that blinks, nothing that moves, and no requests of its own.
_SETTINGS = {
    "app.normandy.enabled": "false",
    "browser.aboutwelcome.enabled": "false",
    "browser.newtabpage.enabled": "false",
    "browser.safebrowsing.malware.enabled": "false",
    "browser.safebrowsing.phishing.enabled": "false",
    "browser.sessionstore.resume_from_crash": "false",
    "browser.shell.checkDefaultBrowser": "false",
    "browser.startup.homepage_override.mstone": '"ignore"',
    "browser.startup.page": "0",
    "browser.tabs.warnOnClose": "false",
    "datareporting.policy.dataSubmissionEnabled": "false",
    "extensions.update.enabled": "false",
    "network.captive-portal-service.enabled": "false",
    "network.connectivity-service.enabled": "false",
    # It is ended without being asked when its reference picture is made.
    "toolkit.startup.max_resumed_crashes": "-1",
    "toolkit.telemetry.reportingpolicy.firstRun": "false",
    "ui.caretBlinkTime": "0",
    "ui.prefersReducedMotion": "1",
}

APPLICATIONS = (
    Application(
        name="firefox-esr",
        title="Firefox ESR, a browser",
        packages=("firefox-esr",),
        command="firefox-esr --profile home/profile about:blank",
        home={
            "profile/user.js": "".join(
                f'user_pref("{name}", {value});\n' for name, value in _SETTINGS.items()
            )
        },
    ),
)

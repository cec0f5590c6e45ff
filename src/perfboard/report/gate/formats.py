# SPDX-License-Identifier: Apache-2.0
"""A gate's judgement in the formats that CI systems read."""

from collections.abc import Callable, Iterator, Mapping
from xml.etree import ElementTree

from perfboard.analysis.compare.changes import percent
from perfboard.analysis.gate.change import GateLevel, MetricChange
from perfboard.analysis.gate.judge import Judgement
from perfboard.model.text import printable
from perfboard.report.gate.text import gate_text
from perfboard.report.gate.words import (
    answer,
    cause_words,
    change_words,
    finding_words,
    last_words,
    method_words,
    signed,
)
from perfboard.report.terminal import clean
from perfboard.report.words.figures import quantity


def junit(judgement: Judgement) -> str:
    """JUnit's XML: a test case a metric; one that got worse is a failure.

    An inconclusive one is skipped, which is neither a pass nor a failure.
    """
    cases = [(each.metric, each) for each in judgement.findings]
    suite = ElementTree.Element(
        "testsuite",
        name=f"perfboard gate {judgement.study} {judgement.board}",
        tests=str(len(cases) + len(judgement.vanished) or 1),
        failures=str(sum(each.level is GateLevel.WORSE for _, each in cases)),
        errors="0",
        skipped=str(
            sum(each.level is GateLevel.INCONCLUSIVE for _, each in cases)
            + len(judgement.vanished)
            + (not judgement.baseline)
        ),
    )
    where = f"perfboard.{judgement.study}.{judgement.board}"
    for name, finding in cases:
        case = ElementTree.SubElement(suite, "testcase", classname=where, name=clean(name))
        words = clean(finding_words(finding, judgement))
        if finding.level is GateLevel.WORSE:
            failure = ElementTree.SubElement(case, "failure", message=words, type="worse")
            failure.text = printable("\n".join(_details(judgement)))
        elif finding.level is GateLevel.INCONCLUSIVE:
            words = " ".join([words, *map(clean, last_words(judgement))])
            ElementTree.SubElement(case, "skipped", message=words)
        else:
            ElementTree.SubElement(case, "system-out").text = words
    for name in judgement.vanished:
        case = ElementTree.SubElement(suite, "testcase", classname=where, name=clean(name))
        ElementTree.SubElement(case, "skipped", message="this run lacks the metric")
    if not judgement.baseline:
        case = ElementTree.SubElement(suite, "testcase", classname=where, name="baseline")
        ElementTree.SubElement(case, "skipped", message=clean(answer(judgement)))
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def markdown(judgement: Judgement) -> str:
    """Markdown for a merge request."""
    lines = [f"**{_cell(answer(judgement))}**", ""]
    if judgement.findings:
        lines += ["| metric | before | after | change | |", "|---|--:|--:|--:|---|"]
        lines += [_row(each) for each in judgement.findings] + [""]
    for title, items in (
        ("What takes longer", [_cell(cause_words(each)) for each in judgement.causes]),
        ("What changed", [_cell(": ".join(change_words(each))) for each in judgement.changes]),
    ):
        if items:
            lines += [f"{title}:", "", *(f"- {item}" for item in items), ""]
    lines += [_cell(words) for words in method_words(judgement)]
    baseline = ", ".join(judgement.baseline) or "none"
    lines += ["", f"Run `{judgement.run}`, baseline `{baseline}`."]
    return "\n".join(lines).strip() + "\n"


def github(judgement: Judgement) -> str:
    """Workflow commands of GitHub's CI: an error where it got worse, else a warning or a notice."""
    kind = {GateLevel.WORSE: "error", GateLevel.INCONCLUSIVE: "warning"}.get(
        judgement.level, "notice"
    )
    title = f"perfboard gate: {judgement.study} of {judgement.board}"
    words = "\n".join([answer(judgement), *_details(judgement)])
    return f"::{kind} title={_escaped(title, True)}::{_escaped(words)}\n"


# The printer of each format, by its name.
GATE_FORMATS: Mapping[str, Callable[[Judgement], str]] = {
    "text": gate_text,
    "junit": junit,
    "markdown": markdown,
    "github": github,
}


def _details(judgement: Judgement) -> Iterator[str]:
    yield from map(cause_words, judgement.causes)
    yield from (": ".join(change_words(each)) for each in judgement.changes)
    yield from method_words(judgement)
    yield f"run {judgement.run}, baseline {', '.join(judgement.baseline) or 'none'}"


def _row(finding: MetricChange) -> str:
    sides = (quantity(value, finding.unit) for value in (finding.before, finding.after))
    change = f"{signed(finding.difference, finding.unit)} ({percent(finding.ratio)})"
    return "| " + " | ".join(map(_cell, (finding.metric, *sides, change, finding.level))) + " |"


def _cell(text: str) -> str:
    """A text that Markdown shows as it is."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>#|~!" else c for c in clean(text))


def _escaped(text: str, in_title: bool = False) -> str:
    """A text inside a workflow command, as GitHub escapes it."""
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    text = "".join(c if c.isprintable() else "?" for c in text)
    return text.replace(":", "%3A").replace(",", "%2C") if in_title else text

# SPDX-License-Identifier: Apache-2.0
"""Mail clients: their folders, the plan that the watcher gets, and what its words are read as."""

import hashlib
import io
import itertools
import mailbox
import tarfile
from pathlib import Path

import pytest

from perfboard.bench.job import Job, NotMeasurable
from perfboard.measures.display.applications.base import all_applications
from perfboard.measures.display.folders import FOLDERS, folder, messages
from perfboard.measures.display.session import EXIT
from perfboard.model.profile import Value
from tests.support.measures import job_of, metrics_of

from .test_applications import sizes, task

MAIL: dict[str, Value] = {
    "program": "sylpheed",
    "folder": "small",
    "kind": "",
    "quiet_ms": 700,
}
HASHES = {
    "small": "7d5aba0791a3f07a8ade343c6a3fab648405e4811933d3aaff16fec6a8f38a0e",
    "large": "2c19cbb324dbf0aa3995a3def1706a56d994a5ee7c2eef8770aab068dfee5cf4",
}


def lines(job: Job) -> list[str]:
    return job.files["plan"].decode().splitlines()


def home(job: Job) -> set[str]:
    with tarfile.open(fileobj=io.BytesIO(job.files["home.tar"])) as archive:
        return set(archive.getnames())


@pytest.mark.parametrize("size", FOLDERS)
def test_a_folder_is_the_same_everywhere_and_as_large_as_the_study_s(size: str) -> None:
    found = list(messages(size))
    assert (len(found), sum(map(len, found))) == FOLDERS[size]
    assert hashlib.sha256(b"".join(found)).hexdigest() == HASHES[size]


@pytest.mark.parametrize("kind", ["mh", "maildir", "mbox"])
def test_each_kind_of_folder_has_all_messages(kind: str, tmp_path: Path) -> None:
    for name, data in folder("small", kind, "inbox").items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    for hidden in tmp_path.rglob(".keep"):
        hidden.unlink()
    readers = {"mh": mailbox.MH, "maildir": mailbox.Maildir, "mbox": mailbox.mbox}
    read = list(readers[kind](tmp_path / "inbox"))
    wanted = [
        data.partition(b"\nSubject: ")[2].split(b"\n")[0].decode() for data in messages("small")
    ]
    assert sorted(str(one["Subject"]) for one in read) == sorted(wanted)
    flags = {one.get_flags() for one in read if not isinstance(one, mailbox.MHMessage)}
    assert flags == ({"RO"} if kind == "mbox" else {"S"} if kind == "maildir" else set())


def test_a_client_is_closed_after_each_opening_of_the_folder() -> None:
    job = job_of("mail.open", MAIL)
    plan = lines(job)
    assert plan.count("key open ff0d") == 10 and plan.count("close left 0") == 11
    assert plan[1:7] == [
        "quiet 700 5000",
        "reference -",
        "start begin sylpheed",
        "key select ff54",
        "reference open",
        "key calibration ff0d",
    ]
    # What is left out once the picture is known leaves the client to be closed.
    kept = [line for line in plan if not line.startswith("?") and line != "memory open"]
    for before, line in itertools.pairwise(kept):
        assert (line == "close left 0") == before.startswith(("key calibration", "key open"))
    assert {"Mail/inbox/1", "Mail/inbox/924", "Mail/inbox/.sylpheed_mark"} <= home(job)
    # The folder lies there twice: in the archive, and out of it.
    assert job.disk > len(job.files["home.tar"]) > FOLDERS["small"][1]


def test_the_first_opening_counts_if_it_ended_in_the_same_picture() -> None:

    def read(picture: str) -> dict[str, tuple[float, ...]]:
        first = task("calibration", "calibration", 900, picture=picture)
        output = first + (task("open") + sizes("open", "program") + EXIT) * 10
        metrics = metrics_of("mail.open", output, MAIL)
        return {metric.name: metric.samples for metric in metrics}

    assert read("00ff")["mail.open.first"] == (0.9,)
    assert read("00ff")["mail.open.time"] == (0.03,) * 10
    assert "mail.open.first" not in read("00aa")
    assert read("00ff")["mail.memory.rss"] == (102400.0,) * 10


def test_a_folder_is_sorted_there_and_back() -> None:
    plan = lines(job_of("mail.sort", MAIL))
    assert plan.count("key subject ffc3") == plan.count("key date ffc4") == 10
    output = (task("subject", stable_ms=40) + task("date")) * 9 + task(
        "subject", "refused", reason="no pixel changed"
    )
    found = {
        (metric.name, metric.labels["by"]): metric.samples
        for metric in metrics_of("mail.sort", output, MAIL)
    }
    assert found["mail.sort.time", "subject"] == (0.04,) * 9
    assert found["mail.sort.time", "date"] == (0.03,) * 9
    assert found["mail.sort.refused", "subject"] == pytest.approx((0.1,))
    with pytest.raises(NotMeasurable, match="8 of 10 samples were accepted: no pixel changed"):
        metrics_of("mail.sort", output.replace(task("date"), "", 1), MAIL)


def test_a_terminal_s_client_reads_both_kinds() -> None:
    parameters = MAIL | {"program": "neomutt"}
    maildir, mbox = (
        home(job_of("mail.sort", parameters | {"kind": kind})) for kind in ("", "mbox")
    )
    assert "folder/cur/1009843200.0.perfboard:2,S" in maildir and "folder" in mbox


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"program": "dillo"}, "needs a mail client: .*sylpheed"),
        ({"folder": "big"}, "needs small or large"),
        ({"kind": "mbox"}, "sylpheed reads mh"),
        ({"quiet_ms": 0}, "give a whole number"),
    ],
)
def test_a_wrong_parameter_is_answered_with_what_it_may_be(
    parameters: dict[str, Value], said: str
) -> None:
    for name in ("mail.open", "mail.sort"):
        with pytest.raises(NotMeasurable, match=said):
            job_of(name, MAIL | parameters)


def test_mail_clients_have_what_the_keys_want() -> None:
    clients = [one for one in all_applications().values() if one.mail]
    assert {"sylpheed", "claws-mail", "neomutt"} <= {one.name for one in clients}

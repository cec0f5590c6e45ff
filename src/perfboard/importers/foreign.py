# SPDX-License-Identifier: Apache-2.0
"""Files that people have besides those that Perfboard reads, and how to make a readable one."""

_EXPORT = "export it as CSV"
# The first bytes of a file.
_BEGINS = (
    (b"\x1f\x8b", "compressed by gzip", "unpack it first"),
    (b"\xfd7zXZ\0", "compressed by xz", "unpack it first"),
    (b"\x28\xb5\x2f\xfd", "compressed by zstd", "unpack it first"),
    (b"BZh", "compressed by bzip2", "unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "unpack it first"),
    (b"LPKSHHRH", "a journal of systemd's", "print it by journalctl --file FILE -o json"),
    (b"PERFILE2", "a recording of perf's", "print it by perf script -i FILE"),
    (b"\xc1\x1f\xfc\xc1", "a trace of LTTng's", "print it by babeltrace2"),
    (b"/* CTF 1.8", "the metadata of a trace of LTTng's", "print the trace by babeltrace2"),
    (b"\xa1\xb2\xc3\xd4", "a capture of packets", "it shows no boot"),
    (b"\xd4\xc3\xb2\xa1", "a capture of packets", "it shows no boot"),
    (b"\x7fELF", "a program", "it shows no boot"),
    (b"\x89PNG", "a picture", "it has no times"),
    (b"%PDF", "a PDF document", "store the text itself"),
    (b"SQLite format 3\0", "a SQLite database", _EXPORT),
)
# The first member of a ZIP archive, or another near its beginning.
_MEMBERS = (
    (b"session.raw", "a session of nRF Connect's Power Profiler (.ppk2)", _EXPORT),
    (b"minimap.raw", "a session of nRF Connect's Power Profiler (.ppk2)", _EXPORT),
    (b"meta.json", "a session of Saleae Logic 2 (.sal)", "export its raw data as CSV or binary"),
    (b"decoders", "a session of DSView (.dsl)", "export it as VCD or srzip"),
    (b"[Content_Types].xml", "a spreadsheet", "store it as CSV"),
)
_HEADERS = 1 << 16


def foreign_of(head: bytes) -> str | None:
    """The kind of a file by its beginning, and what to do, in words; None if that is not known."""
    for begin, what, cure in _BEGINS:
        if head.startswith(begin):
            return f"it is {what}: {cure}"
    if head.startswith(b"PK\3\4"):
        for member, what, cure in _MEMBERS:
            if member in head[:_HEADERS]:
                return f"it is {what}: {cure}"
        return "it is a ZIP archive: unpack it first"
    return None

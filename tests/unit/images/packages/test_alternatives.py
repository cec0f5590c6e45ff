# SPDX-License-Identifier: Apache-2.0
"""Alternatives out of packages' scripts, which are untrusted texts and are not run."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfboard.images.packages.alternatives import Alternative, choose_links, read_alternatives

# Of mawk, lua5.4, libopenblas0-pthread and imagemagick-6.q16 in Debian 12, shortened.
MAWK = """\
if [ "$1" = "configure" ] || [ "$1" = "abort-upgrade" ]; then
        update-alternatives --install /usr/bin/awk awk /usr/bin/mawk 5 \\
            --slave /usr/share/man/man1/awk.1.gz awk.1.gz /usr/share/man/man1/mawk.1.gz \\
            --slave /usr/bin/nawk nawk /usr/bin/mawk
fi
"""
LUA = """\
case "$1" in
    configure)
        update-alternatives \\
            --install /usr/bin/lua lua-interpreter /usr/bin/lua5.4 20 \\
            --slave /usr/share/man/man1/lua.1.gz lua-manual \\
                /usr/share/man/man1/lua5.4.1.gz
        update-alternatives \\
            --install /usr/bin/luac lua-compiler /usr/bin/luac5.4 20
        ;;
esac
"""
BLAS = """\
update-alternatives --install /usr/lib/arm-linux-gnueabihf/libblas.so.3 \\
                    libblas.so.3-arm-linux-gnueabihf \\
\t            /usr/lib/arm-linux-gnueabihf/openblas-pthread/libblas.so.3 100
"""
IMAGEMAGICK = """\
for prog in animate convert; do
    if  update-alternatives --list $prog > /dev/null 2>&1; then
\tupdate-alternatives --remove-all $prog
    fi
    update-alternatives --install /usr/bin/$prog \\
                        $prog /usr/bin/$prog-im6.q16 10000
done
"""


def test_what_a_script_names_in_full_is_read() -> None:
    assert list(read_alternatives(MAWK)) == [
        Alternative(
            "awk",
            5,
            (
                ("/usr/bin/awk", "/usr/bin/mawk"),
                ("/usr/share/man/man1/awk.1.gz", "/usr/share/man/man1/mawk.1.gz"),
                ("/usr/bin/nawk", "/usr/bin/mawk"),
            ),
        )
    ]
    assert [(one.name, one.links[0]) for one in read_alternatives(LUA)] == [
        ("lua-interpreter", ("/usr/bin/lua", "/usr/bin/lua5.4")),
        ("lua-compiler", ("/usr/bin/luac", "/usr/bin/luac5.4")),
    ]
    (blas,) = read_alternatives(BLAS)
    folder = "/usr/lib/arm-linux-gnueabihf"
    assert blas.links == ((f"{folder}/libblas.so.3", f"{folder}/openblas-pthread/libblas.so.3"),)
    quiet = "update-alternatives --quiet --install /usr/bin/a a /bin/b 1"
    assert [one.priority for one in read_alternatives(quiet)] == [1]


@pytest.mark.parametrize(
    "script",
    [
        IMAGEMAGICK,
        "# update-alternatives --install /usr/bin/a a /usr/bin/b 1",
        "echo update-alternatives --install /usr/bin/a a /usr/bin/b 1",
        "update-alternatives --install /usr/bin/a a /usr/bin/b",
        "update-alternatives --install /usr/bin/a a /usr/bin/b high",
        "update-alternatives --install /usr/bin/a a /usr/bin/b 1 || true",
        "update-alternatives --install /usr/bin/a a /usr/bin/b 1 --slave /usr/bin/c c",
        "update-alternatives --install usr/bin/a a /usr/bin/b 1",
        "update-alternatives --install /usr/../a a /usr/bin/b 1",
        "update-alternatives --install /usr/bin/a a /usr/bin/../../b 1",
        "update-alternatives --install /usr//a a /usr/bin/b 1",
        "update-alternatives --install /usr/bin/a a '/usr/bin/b' 1",
        "update-alternatives --install / a /usr/bin/b 1",
        "update-alternatives --install /usr/bin/a a $(id) 1",
        "update-alternatives --install /usr/bin/a a /usr/bin/b 1 --slave /../c c /usr/bin/b",
    ],
)
def test_any_other_line_is_passed_by(script: str) -> None:
    assert list(read_alternatives(script)) == []


@given(st.text("update-alternatives --install /usr/bin$;.\\\n '\"12", max_size=300))
def test_whatever_a_script_says_no_place_leaves_the_root(text: str) -> None:
    for script in (text, f"update-alternatives --install {text}"):
        for one in read_alternatives(script):
            for place in (place for link in one.links for place in link):
                assert place.startswith("/") and not place.endswith("/")
                assert ".." not in place.split("/")


def test_of_a_name_the_highest_priority_wins_of_what_is_there() -> None:
    def one(path: str, priority: int) -> Alternative:
        return Alternative("awk", priority, (("/usr/bin/awk", path), ("/man/awk", f"/man{path}")))

    found = [one("/mawk", 5), one("/gawk", 10), one("/nawk", 10), one("/absent", 99)]
    there = {"/mawk", "/gawk", "/nawk", "/man/mawk"}
    assert choose_links(found, there) == {"/usr/bin/awk": "/gawk"}
    assert choose_links(found, {"/mawk", "/man/mawk"}) == {
        "/usr/bin/awk": "/mawk",
        "/man/awk": "/man/mawk",
    }
    assert choose_links(found, set()) == {}

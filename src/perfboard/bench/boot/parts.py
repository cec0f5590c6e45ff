# SPDX-License-Identifier: Apache-2.0
"""The parts of an image, by which a gate names what changed."""

from perfboard.bench.boot.functions import files_in
from perfboard.boards.loader import LoadedBoard
from perfboard.host.cache.cache import hash_file
from perfboard.images.image import Image
from perfboard.images.kernel.needs import configuration, options_of
from perfboard.model.parts import FilePart, ImageParts


def parts_of(image: Image, loaded: LoadedBoard) -> ImageParts:
    """The kernel's options, by its build or its own copy, and the files of `image.tree`.

    Raises UsageError for image.tree that is no folder.
    """
    built = image.kernel_file.with_name("config")
    own = None if built.exists() else configuration(image.kernel_file.read_bytes())
    tree = loaded.board.image.tree
    files = None
    if tree:
        files = {
            path: FilePart(size=file.stat().st_size, sha256=hash_file(file))
            for path, file in files_in("tree", loaded.file(tree)).items()
        }
    return ImageParts(config=options_of(built.read_text()) if built.exists() else own, files=files)

"""Tests that the next run removes scratch folders, and never removes anybody else's."""

import json
from pathlib import Path

from maas.local.embedded.folders import ScratchFolders


def test_folders_of_a_killed_run_are_removed_by_the_next(tmp_path: Path) -> None:
    left = ScratchFolders(tmp_path / "record").create(tmp_path)
    ScratchFolders(tmp_path / "record")
    assert not left.exists()


def test_name_that_is_open_to_others_by_now_is_left_alone(tmp_path: Path) -> None:
    taken = ScratchFolders(tmp_path / "record").create(tmp_path)
    taken.chmod(0o755)
    ScratchFolders(tmp_path / "record")
    assert taken.exists()


def test_link_in_place_of_a_folder_is_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir(mode=0o700)
    link = tmp_path / "maas-link"
    link.symlink_to(precious)
    (tmp_path / "record").write_text(json.dumps([str(link)]))
    ScratchFolders(tmp_path / "record")
    assert precious.exists()

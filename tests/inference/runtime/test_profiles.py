from pathlib import Path

import pytest

from inference.runtime import profiles
from inference.runtime.profiles import (
    FolderProfiles,
    MemoryProfiles,
    Profile,
    ProfileKeeper,
    ProfileStore,
    artifact_id,
)
from tests.waiting import eventually

PROFILE = Profile(100, 200, True, 300, 1.5, 0.25, {"fixed_s": 0.1, "seen": [[1, 2]]}, {"min_rows": 1})


class AwayStore(MemoryProfiles):
    """A store that is unavailable until the test brings it back."""

    def __init__(self) -> None:
        super().__init__()
        self.away = True
        self.asked = 0

    def get(self, artifact: str, device: str) -> Profile | None:
        self._answer()
        return super().get(artifact, device)

    def put(self, artifact: str, device: str, profile: Profile) -> None:
        self._answer()
        super().put(artifact, device, profile)

    def _answer(self) -> None:
        self.asked += 1
        if self.away:
            raise OSError("the database is away")


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "a.onnx"
    path.write_bytes(b"model")
    return str(path)


@pytest.mark.parametrize("make", [lambda _: MemoryProfiles(), FolderProfiles])
def test_store_gives_back_what_was_put_for_that_file_and_device(tmp_path: Path, make: object) -> None:
    store: ProfileStore = make(tmp_path / "profiles")  # type: ignore[operator]
    assert store.get("a", "cpu") is None
    store.put("a", "cpu", PROFILE)
    store.put("a", "gpu", Profile())
    assert store.get("a", "cpu") == PROFILE
    assert store.get("a", "gpu") == Profile()
    assert store.get("b", "cpu") is None


def test_profile_of_another_release_is_read_as_far_as_it_is_known() -> None:
    assert Profile.from_json({**PROFILE.as_json(), "of_tomorrow": 1}) == PROFILE
    assert Profile.from_json({"file_bytes": 5}) == Profile(5)


def test_artifact_is_known_by_its_folder_or_by_what_it_looks_like(tmp_path: Path) -> None:
    sha256 = "a" * 64
    stored = tmp_path / sha256 / "model.onnx"
    assert artifact_id(stored) == sha256
    loose = tmp_path / "model.onnx"
    loose.write_bytes(b"one")
    before = artifact_id(loose)
    loose.write_bytes(b"three")
    assert artifact_id(loose) != before


def test_learned_is_saved_once_and_read_by_the_next_process(file: str) -> None:
    store = MemoryProfiles()
    first = ProfileKeeper(store, "cpu")
    first.read(file)
    first.change(file, loaded_bytes=7, fit={"fixed_s": 1.0})
    first.stop()
    second = ProfileKeeper(store, "cpu")
    assert second.profile_of(file) is None
    assert second.read(file) == Profile(loaded_bytes=7, fit={"fixed_s": 1.0})
    assert ProfileKeeper(store, "another processor").read(file) == Profile()


def test_store_that_is_away_is_left_alone_for_a_while(file: str) -> None:
    store = AwayStore()
    keeper = ProfileKeeper(store, "cpu")
    assert keeper.read(file) == Profile()
    keeper.change(file, loaded_bytes=7)
    keeper.save()
    assert keeper.read(file).loaded_bytes == 7
    assert store.asked == 1


def test_what_a_store_has_survives_a_start_without_it(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profiles, "LEFT_ALONE_S", 0.0)
    store = AwayStore()
    MemoryProfiles.put(store, artifact_id(Path(file)), "cpu", PROFILE)
    keeper = ProfileKeeper(store, "cpu")
    keeper.read(file)
    keeper.change(file, loaded_bytes=7)
    keeper.save()
    store.away = False
    keeper.stop()
    saved = MemoryProfiles.get(store, artifact_id(Path(file)), "cpu")
    assert saved is not None
    assert (saved.loaded_bytes, saved.fit, saved.exactness) == (7, PROFILE.fit, PROFILE.exactness)


def test_what_was_learned_is_saved_now_and_then(tmp_path: Path, file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profiles, "SAVED_EVERY_S", 0.01)
    store = FolderProfiles(tmp_path / "profiles")
    keeper = ProfileKeeper(store, "cpu")
    keeper.read(file)
    keeper.change(file, loaded_bytes=7)
    eventually(lambda: store.get(artifact_id(Path(file)), "cpu"), "it was saved")
    keeper.stop()


def test_file_that_a_power_cut_left_empty_is_written_anew(tmp_path: Path, file: str) -> None:
    store = FolderProfiles(tmp_path / "profiles")
    artifact = artifact_id(Path(file))
    store.put(artifact, "cpu", PROFILE)
    (kept,) = (tmp_path / "profiles").iterdir()
    kept.write_bytes(b"")
    assert store.get(artifact, "cpu") is None
    store.put(artifact, "cpu", PROFILE)
    assert store.get(artifact, "cpu") == PROFILE

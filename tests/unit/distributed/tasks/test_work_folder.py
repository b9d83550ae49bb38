"""Files that appear whole or not at all."""

from bayeswood.distributed.tasks.work_folder import WorkFolder


def test_a_sweep_takes_what_was_begun_and_leaves_what_is_done(tmp_path):
    folder = WorkFolder(tmp_path)
    folder.write_json("fit-0/one", {"rows": 3})

    def half(path):
        path.write_text("half", encoding="utf-8")
        (tmp_path / "copy").write_text(path.name, encoding="utf-8")

    folder.write("two.txt", half)
    begun = tmp_path / "fit-0" / (tmp_path / "copy").read_text(encoding="utf-8")
    begun.write_text("half", encoding="utf-8")
    folder.sweep()
    assert not begun.exists()
    assert folder.read_json("fit-0/one") == {"rows": 3}
    assert folder.has("two.txt")

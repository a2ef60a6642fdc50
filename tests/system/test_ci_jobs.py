# SPDX-License-Identifier: BSD-3-Clause
"""The steps of the action and of the GitLab template in roots that look like the real ones, against a stand-in of the forges."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import threading
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from support import preloaded
from support.ci_root import IMPORT, Root
from support.forges import ME, OTHER, READS, WRITES, Forge, forge
from support.once import Once
from support.places import ROOT
from support.sealed_rows import reseal


@pytest.fixture(name="there")
def fixture_there() -> Iterator[Forge]:
    with forge() as found:
        yield found


def first_job_of_main(folder: Path) -> None:
    root = Root(folder)
    root.build()
    done = root.gate("main")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No run of main to judge against yet." in root.text()
    assert root.label_of(root.run) == "main"


@pytest.fixture(name="root")
def fixture_root(once: Once, tmp_path: Path) -> Root:
    """A copy of the checkout after the first job of main."""
    return Root(Path(shutil.copytree(once("ci-first-job", first_job_of_main), tmp_path / "checkout")))


def has_all_files(root: Root) -> None:
    assert root.text()
    suite = ET.fromstring(root.text("junit.xml")).find("testsuite")
    assert suite is not None and int(suite.get("tests", "0")) > 0
    assert json.loads(root.text("latlab.sarif"))["runs"][0]["tool"]["driver"]["name"] == "latlab"
    assert root.text("run.env").startswith("LATLAB_RUN_ID=")


@pytest.mark.parametrize(
    ("code", "change"),
    [
        (0, lambda root: root.build()),
        (1, lambda root: root.build(factor=2)),
        (2, lambda root: (root.folder / "firmware.log").unlink()),
        (3, lambda root: (root.folder / "firmware.log").write_text("<LLT1:\n", "utf-8")),
    ],
)
def test_every_end_has_every_file_for_the_next_step_and_changes_no_baseline(
    root: Root, there: Forge, code: int, change: Callable[[Root], object]
) -> None:
    first = root.run
    change(root)
    done = root.gate()
    assert done.returncode == code, done.stdout + done.stderr
    has_all_files(root)
    assert root.label_of(first) == "main" and (not root.run or root.label_of(root.run) == "")
    assert root.do("comment.py", "latlab-out/comment.md", LATLAB_COMMENT="always", **there.github()).returncode == 0
    assert len(there.bodies()) == 1 and root.text().splitlines()[0] in there.bodies()[0]


def test_a_second_use_without_a_name_of_its_own_is_refused_and_shows_nothing_twice(root: Root, tmp_path: Path) -> None:
    """Later steps would show the files of the first use once more."""
    environment, output = tmp_path / "environment", tmp_path / "output"
    known = {"GITHUB_ENV": str(environment), "GITHUB_OUTPUT": str(output), "LATLAB_JOB": "ci gate"}
    assert root.gate(**known).returncode == 0
    used = dict(line.split("=", 1) for line in environment.read_text("utf-8").splitlines())
    first = root.text()
    output.unlink()
    done = root.gate(**known, **used)
    assert done.returncode == 2 and "::error::this job has used latlab before as 'ci gate'; give each use a `name`" in done.stdout
    assert output.read_text("utf-8") == "refused=true\n" and root.text() == first
    assert root.gate(**{**known, "LATLAB_JOB": "ci gate two"}, **used).returncode == 0
    steps = msgspec.yaml.decode((ROOT / "action.yml").read_bytes())["runs"]["steps"]
    at = next(number for number, step in enumerate(steps) if step.get("id") == "gate")
    assert all("!steps.gate.outputs.refused" in step["if"] for step in steps[at + 1 :])


def test_a_gate_that_is_killed_leaves_nothing_that_measures(root: Root, tmp_path: Path) -> None:
    """A shell that is aborted ends its own child, and the emulator would run on beside the next job."""
    began = tmp_path / "began"
    os.mkfifo(began)
    command = tmp_path / "latlab"
    command.write_text(f"#!/bin/sh\necho $$ >{began}\nexec sleep 60\n", "utf-8")
    command.chmod(0o755)
    known = {"PATH": f"{tmp_path}:{root.path}:/usr/bin:/bin", "HOME": str(root.folder)}
    gate = (preloaded.python(), str(ROOT / "ci" / "gate.py"), *IMPORT.split())
    with subprocess.Popen(gate, cwd=root.folder, env=known, stderr=subprocess.DEVNULL) as process:
        measuring = os.pidfd_open(int(began.read_text("utf-8")))
        process.kill()
    ended, _, _ = select.select([measuring], [], [], 30)
    assert ended, "the command that measures runs on"


def test_the_run_is_handed_to_later_steps(root: Root, tmp_path: Path) -> None:
    output = tmp_path / "output"
    root.gate(GITHUB_OUTPUT=str(output))
    assert output.read_text("utf-8") == f"run={root.run}\n"
    assert root.text("run.env") == f"LATLAB_RUN_ID={root.run}\n"


def test_a_branch_of_a_fork_that_is_called_main_is_a_change(root: Root) -> None:
    """Its job has no LATLAB_BRANCH: the action gives one to a push, the template has CI_COMMIT_BRANCH."""
    root.build(factor=2)
    assert root.gate("", GITHUB_HEAD_REF="main", CI_COMMIT_REF_NAME="main").returncode == 1
    assert root.label_of(root.run) == ""
    gate = next(step for step in msgspec.yaml.decode((ROOT / "action.yml").read_bytes())["runs"]["steps"] if step.get("id") == "gate")
    assert "head_ref" not in gate["env"]["LATLAB_BRANCH"] and '"pull_request' not in gate["env"]["LATLAB_BRANCH"]
    job = msgspec.yaml.decode((ROOT / "ci/latlab.gitlab-ci.yml").read_bytes())[".latlab"]
    assert job["variables"]["LATLAB_BRANCH"] == "$CI_COMMIT_BRANCH"


def test_a_job_of_a_fork_that_gets_no_store_takes_none_of_the_machine_and_reports_it(root: Root) -> None:
    """Gitea gives a fork no secret: the variable is there, and empty. A runner on the machine itself keeps its home."""
    (root.folder / ".latlab").rename(root.folder / "elsewhere")
    assert root.gate(LATLAB_STORE="").returncode == 0
    assert "LATLAB_STORE is empty, as in a job of a fork; the runs of main are in the store" in root.text()
    assert (root.folder / ".latlab/store.sqlite").is_file() and not (root.folder / ".local").exists()


def test_a_checkout_of_another_owner_and_another_commit_is_no_baseline_and_no_failure(tmp_path: Path) -> None:
    root = Root(tmp_path / "checkout", has_git_program=True)
    root.build()
    for words in (("init", "-q"), ("add", "."), ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one")):
        subprocess.run(("git", *words), cwd=root.folder, check=True)
    if os.geteuid() == 0:
        for place in (root.folder, *root.folder.rglob("*")):
            os.chown(place, 12345, 12345)
    done = root.gate("main")
    assert done.returncode == 0 and "warning: this run is not the next baseline: the checkout is at" in done.stderr
    assert root.label_of(root.run) == "" and "This run is not the next baseline" in root.text()
    head = subprocess.run(
        ("git", "-c", f"safe.directory={root.folder}", "rev-parse", "HEAD"), cwd=root.folder, capture_output=True, text=True, check=True
    )
    assert root.gate("main", LATLAB_COMMIT=head.stdout.strip()).returncode == 0
    assert root.label_of(root.run) == "main"


def test_a_baseline_of_another_latlab_or_emulator_is_not_judged_against(root: Root) -> None:
    import sqlalchemy as sa

    with sa.create_engine(f"sqlite:///{root.folder / '.latlab/store.sqlite'}").begin() as connection:
        connection.exec_driver_sql("UPDATE runs SET emulator = 'QEMU 9.9.9'")
    reseal(root.folder / ".latlab/store.sqlite")
    root.build(factor=2)
    assert root.gate().returncode == 0
    assert "No run of main to judge against yet." in root.text() and "QEMU 9.9.9 are not judged against" in root.text()
    has_all_files(root)


@pytest.mark.parametrize(
    ("words", "run"),
    [
        (("import", "a  *.log", "--clock", "instructions"), ""),
        ((), "import 'a  *.log' --clock instructions"),
        ((), '["import", "a  *.log", "--clock", "instructions"]'),
    ],
)
def test_arguments_are_a_list_whose_blanks_and_stars_are_kept(root: Root, words: tuple[str, ...], run: str) -> None:
    (root.folder / "firmware.log").rename(root.folder / "a  *.log")
    (root.folder / "a  b.log").write_text("no log", "utf-8")
    done = root.gate("", *words, LATLAB_RUN=run)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("run", "said"), [("", "no command"), ("[1]", "is a string"), ("import 'a", "No closing"), ("[", "JSON")])
def test_what_is_no_list_of_arguments_is_refused_in_a_sentence(root: Root, run: str, said: str) -> None:
    done = root.gate(LATLAB_RUN=run)
    assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "run",
    [
        "import firmware.log --store postgresql+psycopg://u:geheim@127.0.0.1:9/db",
        "import firmware.log '--store=postgresql+psycopg://u:ge heim@127.0.0.1:9/db'",
        '["import", "no.log", "--store", "postgresql:/u:geheim@127.0.0.1/db"]',
        "watch --token geheim -- true",
        "import firmware.log postgresql+psycopg://u:geheim@127.0.0.1:9/db",
        "import firmware.log '--stor=postgresql+psycopg://u:ge heim@127.0.0.1:9/db'",
        "ls 'postgresql+psycopg://u:ge heim@127.0.0.1:9/db'",
        "import --store postgresql+psycopg://u:geheim@h/db '",
        '["import", "postgresql+psycopg://u:geheim@h/db"',
    ],
)
def test_a_job_that_cannot_measure_hands_nobody_the_password_of_its_command(root: Root, there: Forge, run: str) -> None:
    done = root.gate(LATLAB_RUN=run)
    assert done.returncode in (2, 3)
    root.do("comment.py", "latlab-out/comment.md", LATLAB_COMMENT="always", **there.github())
    texts = [done.stdout, done.stderr, *there.bodies()]
    texts += [path.read_bytes().decode("utf-8", "replace") for path in (root.folder / "latlab-out").rglob("*") if path.is_file()]
    assert not any("heim" in text for text in texts), texts


@pytest.mark.parametrize("name", ["github", "gitlab"])
def test_only_the_own_comment_of_the_same_job_is_replaced(root: Root, there: Forge, name: str) -> None:
    known = there.github() if name == "github" else there.gitlab()
    for number in range(120):
        there.add(OTHER, f"talk {number}")
    there.add(ME, "coverage of another workflow")
    for job in ("ci gate one", "ci gate two -->", "ci gate one", "ci gate two -->"):
        done = root.do("comment.py", "latlab-out/comment.md", LATLAB_JOB=job, **known)
        assert done.returncode == 0 and "warning" not in done.stdout, done.stdout + done.stderr
    own = there.bodies()
    assert len(own) == 3 and own[0] == "coverage of another workflow" and len(there.bodies(OTHER)) == 120
    assert [body.splitlines()[0].count("-->") for body in own[1:]] == [1, 1]


def test_a_marker_in_the_comment_of_somebody_else_is_left_alone(root: Root, there: Forge) -> None:
    root.do("comment.py", "latlab-out/comment.md", **there.github())
    there.comments[0]["author"] = OTHER
    there.comments[0]["body"] += "theirs"
    root.do("comment.py", "latlab-out/comment.md", **there.github())
    assert there.bodies(OTHER)[0].endswith("theirs") and len(there.bodies(ME)) == 1


@pytest.mark.parametrize(
    "variables",
    [
        {"GH_TOKEN": READS},
        {"GH_TOKEN": ""},
        {"GH_TOKEN": "revoked"},
        {"GITHUB_API_URL": "http://127.0.0.1:9", "GITHUB_GRAPHQL_URL": "http://127.0.0.1:9/graphql"},
        {"GITHUB_REPOSITORY": "me/other"},
        {"GITHUB_REPOSITORY": ""},
        {"LATLAB_CHANGE": "8"},
    ],
)
def test_what_may_not_comment_warns_and_is_no_failure(root: Root, there: Forge, variables: dict[str, str]) -> None:
    done = root.do("comment.py", "latlab-out/comment.md", **{**there.github(WRITES), **variables}, GITHUB_ACTIONS="true")
    assert done.returncode == 0 and done.stdout.startswith("::warning::no comment was left: "), done.stdout + done.stderr
    assert not there.bodies()


def test_two_jobs_of_a_matrix_at_once_judge_and_comment_each_for_itself(tmp_path: Path, there: Forge) -> None:
    """On one store, as on a server, and under one request."""
    store = str(tmp_path / "store.sqlite")
    roots = [Root(tmp_path / name) for name in ("one", "two")]
    for factor, root in enumerate(roots, 1):
        root.build(factor)
        assert root.gate("main", LATLAB_STORE=store, LATLAB_JOB=root.folder.name).returncode == 0
    roots[0].build(factor=3)
    ends: dict[str, int] = {}

    def job(root: Root) -> None:
        ends[root.folder.name] = root.gate(LATLAB_STORE=store, LATLAB_JOB=root.folder.name).returncode
        root.do("comment.py", "latlab-out/comment.md", LATLAB_JOB=root.folder.name, **there.github())

    threads = [threading.Thread(target=job, args=(root,)) for root in roots]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ends == {"one": 1, "two": 0}
    assert [body.splitlines()[1].split(":")[0] for body in there.bodies()] == ["# latlab gate fails"]
    assert roots[1].text().startswith("# latlab gate passes")


def test_the_store_of_the_default_branch_is_brought_and_none_is_no_failure(root: Root, there: Forge) -> None:
    store = root.folder / ".latlab/store.sqlite"
    there.files["latency [a57]"] = store.read_bytes()
    store.unlink()
    done = root.do("baseline.py", CI_JOB_NAME="latency [a57]", **there.gitlab(READS))
    assert "of the newest baseline" in done.stdout and store.is_file()
    done = root.do("baseline.py", CI_JOB_NAME="another", **there.gitlab(READS))
    assert done.returncode == 0 and done.stdout == "no baseline was brought: there is none yet\n"


JOBS_OWN = {"LATLAB_TOKEN": "", "CI_JOB_TOKEN": READS}


@pytest.mark.parametrize(
    ("variables", "is_premium", "is_public", "code", "said"),
    [
        (JOBS_OWN, True, False, 0, "of the newest baseline"),
        (JOBS_OWN, False, True, 0, "of the newest baseline"),
        (JOBS_OWN, False, False, 0, "there is none yet; if a job of the default branch has left one, set LATLAB_TOKEN to read it"),
        ({**JOBS_OWN, "LATLAB_TOKEN": "expired"}, True, False, 0, "of the newest baseline"),
        ({**JOBS_OWN, "LATLAB_TOKEN": "expired"}, False, False, 3, "401"),
        ({**JOBS_OWN, "CI_PROJECT_ID": "99"}, True, False, 0, "of the newest baseline"),
        ({"CI_API_V4_URL": "http://127.0.0.1:9/api/v4"}, True, False, 3, "refused"),
    ],
)
def test_a_baseline_that_cannot_be_read_is_not_taken_for_none(
    root: Root, there: Forge, variables: dict[str, str], is_premium: bool, is_public: bool, code: int, said: str
) -> None:
    """Else each change passes without a verdict, once a token has expired. Project 99 is a fork."""
    there.is_premium, there.is_public = is_premium, is_public
    there.files["latency"] = (root.folder / ".latlab/store.sqlite").read_bytes()
    done = root.do("baseline.py", CI_JOB_NAME="latency", **{**there.gitlab(), **variables})
    assert (done.returncode, said in done.stdout + done.stderr) == (code, True), done.stdout + done.stderr


def test_the_job_of_a_fork_comments_on_the_project_that_its_request_is_for(root: Root, there: Forge) -> None:
    done = root.do("comment.py", "latlab-out/comment.md", **{**there.gitlab(), "CI_PROJECT_ID": "99"})
    assert done.returncode == 0 and len(there.bodies()) == 1, done.stdout

# SPDX-License-Identifier: BSD-3-Clause
"""The lines of docs/howto/ci.md for each case, with the action and the template, run as the forge's shell would run them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from support.ci_root import COMMIT, IMPORT, Root
from support.forges import READS, Forge, forge
from support.places import ROOT

PAGE = (ROOT / "docs" / "howto" / "ci.md").read_text("utf-8")
MOST_LINES = 10
RESOLVED = {
    "github.ref_type == 'branch'": "{branch}",
    "inputs.run": IMPORT,
    "inputs.baseline": "main",
    "github.sha": COMMIT,
    "github.workflow": "ci",
    "github.job": "latency",
    "toJSON(matrix)": '{\n  "cpu": "a57"\n}',
    "inputs.link": "https://example.org/1",
    "github.run_id": "11",
    "github.repository": "me/project",
    "strategy.job-index": "0",
    "inputs.name": "",
    "inputs.comment": "changes",
    "github.token": "{token}",
    "github.event.number": "7",
}


@pytest.fixture(name="there")
def fixture_there() -> Iterator[Forge]:
    with forge() as found:
        yield found


@pytest.fixture(name="root")
def fixture_root(tmp_path: Path) -> Root:
    root = Root(tmp_path / "checkout", has_git_program=True)
    root.build()
    (root.folder / "latlab-TAG").mkdir()
    (root.folder / "latlab-TAG" / "ci").symlink_to(ROOT / "ci")
    return root


def lines_of(case: str) -> str:
    (block,) = re.findall(rf"^## {case}\n\n((?:    .*\n)+)", PAGE, re.MULTILINE)
    return "".join(line[4:] for line in block.splitlines(keepends=True))


def in_shell(root: Root, script: str, **variables: str) -> subprocess.CompletedProcess[str]:
    known = {"PATH": root.path, "HOME": str(root.folder), **variables}
    return subprocess.run(("sh", "-ec", script), cwd=root.folder, env=known, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.parametrize("case", ["GitHub", "GitLab"])
def test_what_a_user_pastes_is_ten_lines_at_most(case: str) -> None:
    assert len(lines_of(case).splitlines()) <= MOST_LINES
    assert msgspec.yaml.decode(lines_of(case).replace("!reference ", "").encode())


def test_the_job_that_builds_runs_in_each_pipeline_of_the_job_that_needs_it() -> None:
    """GitLab refuses a pipeline in which a needed job is missing, and leaves a job without rules out of a merge request's."""
    assert "rules: !reference [.latlab, rules]" in lines_of("GitLab") and "needs: [build]" in lines_of("GitLab")


def test_other_actions_are_named_by_a_commit_with_its_release() -> None:
    """A tag can be moved to other code, which has the job's token."""
    named = [
        line
        for name in ("docs/howto/ci.md", "action.yml", ".github/workflows/ci.yml")
        for line in (ROOT / name).read_text("utf-8").splitlines()
    ]
    used = [line.split("uses: ")[1] for line in named if "uses: " in line and "OWNER/latlab@TAG" not in line]
    assert len(used) >= 5
    assert [text for text in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", text)] == []


def test_the_page_begins_with_the_lines_for_ones_own_case() -> None:
    assert re.findall(r"^## (.*)$", PAGE, re.MULTILINE)[:5] == [
        "GitHub",
        "Gitea and Forgejo",
        "GitLab",
        "Jenkins, or any shell",
        "A board in a lab",
    ]


def test_the_lines_for_any_shell_judge_a_change_against_the_main_branch(root: Root) -> None:
    """But for the clone and the installation, which `make prove` makes."""
    kept = "".join(
        line for line in lines_of("Jenkins, or any shell").splitlines(keepends=True) if "clone" not in line and "install" not in line
    )
    script = kept.replace("run psci --subject firmware.toml", IMPORT).replace("/srv/latlab", str(root.folder))
    assert IMPORT in script and str(root.folder) in script
    assert in_shell(root, script, BRANCH_NAME="main", GIT_COMMIT=COMMIT).returncode == 0
    root.build(factor=2)
    assert in_shell(root, script, BRANCH_NAME="PR-7", GIT_COMMIT=COMMIT).returncode == 1
    assert root.text().startswith("# latlab gate fails")


def test_the_lines_for_any_shell_comment_on_github_also_where_the_gate_fails(root: Root, there: Forge) -> None:
    """A shell of Jenkins ends with the first line that fails."""
    (pair,) = re.findall(r"^    (export GITHUB_REPOSITORY=.*\n)    (trap .*\n)", PAGE, re.MULTILINE)
    of_forge = there.github()
    known = {**of_forge, "CHANGE_ID": of_forge.pop("LATLAB_CHANGE"), "GIT_COMMIT": COMMIT, "LATLAB_RUN": IMPORT}
    lines = "".join(pair).replace("OWNER/REPOSITORY", known.pop("GITHUB_REPOSITORY")) + "python3 latlab-TAG/ci/gate.py\n"
    assert root.gate("main").returncode == 0
    root.build(factor=2)
    for _ in range(2):
        assert in_shell(root, lines, **known).returncode == 1
    assert len(there.bodies()) == 1 and there.bodies()[0].endswith(root.text())


def test_the_lines_for_a_board_judge_a_console_log(root: Root) -> None:
    (root.folder / "firmware.log").rename(root.folder / "console.log")
    (line,) = re.findall(r"`(python3 latlab-TAG/ci/gate\.py import [^`]*)`", PAGE)
    exports = "\n".join(line for line in lines_of("A board in a lab").splitlines() if line.startswith("export "))
    script = exports.replace("/srv/latlab", str(root.folder)) + f"\n{line} --clock time\n"
    assert in_shell(root, script, BRANCH_NAME="main", GIT_COMMIT=COMMIT).returncode == 0
    assert in_shell(root, script, BRANCH_NAME="PR-7", GIT_COMMIT=COMMIT).returncode in (0, 3)
    assert root.text().startswith("# latlab ")


def resolved(text: Any, **known: str) -> str:
    """What GitHub puts in the place of its expressions, for those that the steps have."""

    def put(found: re.Match[str]) -> str:
        return (
            next(value for name, value in RESOLVED.items() if found[1].strip().startswith(name))
            .replace("{token}", known["token"])
            .replace("{branch}", known["branch"])
        )

    return re.sub(r"\$\{\{(.*?)\}\}", put, str(text))


def steps_of_action(root: Root, there: Forge, branch: str, token: str) -> dict[str, int]:
    """The steps of the action that are scripts, after the installation; one that fails ends no later one that runs `if: !cancelled()`."""
    steps = [step for step in msgspec.yaml.decode((ROOT / "action.yml").read_bytes())["runs"]["steps"] if "run" in step][1:]
    forge_says = {name: value for name, value in there.github(token).items() if name.startswith("GITHUB")}
    of_job = {"GITHUB_ACTION_PATH": str(ROOT), "GITHUB_STEP_SUMMARY": str(root.folder / "summary"), "GITHUB_OUTPUT": str(root.folder / "o")}
    codes = {}
    for step in steps:
        if ("pull_request" in step.get("if", "") and branch) or "failure()" in step.get("if", ""):
            continue
        own = {name: resolved(value, branch=branch, token=token) for name, value in step.get("env", {}).items()}
        done = in_shell(root, step["run"], **forge_says, **of_job, **own, GITHUB_ACTIONS="true")
        codes[step["run"]] = done.returncode
    return codes


def test_each_try_of_a_job_saves_its_baseline_and_finds_those_before() -> None:
    """GitHub overwrites no cache, and takes the newest whose key begins as `restore-keys` says."""
    steps = msgspec.yaml.decode((ROOT / "action.yml").read_bytes())["runs"]["steps"]
    restore, save = (step["with"] for step in steps if "actions/cache/" in step.get("uses", ""))
    assert restore["key"] == save["key"] == restore["restore-keys"] + "${{ github.run_id }}-${{ github.run_attempt }}"


def test_a_job_that_is_run_again_replaces_its_artifact() -> None:
    """Its name is that of the first try, and the comment names runs of the last one."""
    steps = msgspec.yaml.decode((ROOT / "action.yml").read_bytes())["runs"]["steps"]
    uploads = [step["with"] for step in steps if "upload-artifact" in step.get("uses", "")]
    assert [upload["overwrite"] for upload in uploads] == [True]


@pytest.mark.parametrize(("token", "comments"), [("writes", 1), (READS, 0)])
def test_the_steps_of_the_action_comment_once_and_a_forks_token_only_warns(root: Root, there: Forge, token: str, comments: int) -> None:
    assert set(steps_of_action(root, there, "main", token).values()) == {0}
    root.build(factor=2)
    for _ in range(2):
        codes = steps_of_action(root, there, "", token)
        assert [code for run, code in codes.items() if "gate.py" in run] == [1]
        assert [code for run, code in codes.items() if "gate.py" not in run] == [0, 0]
    assert len(there.bodies()) == comments
    assert (root.folder / "summary").read_text("utf-8").count("# latlab gate fails") == 2


def test_the_script_of_the_template_passes_what_is_merged_and_fails_a_change_with_one_note(root: Root, there: Forge) -> None:
    job = msgspec.yaml.decode((ROOT / "ci/latlab.gitlab-ci.yml").read_bytes())[".latlab"]
    script = "\n".join(job["script"]).replace("/opt/latlab", str(ROOT))
    assert job["cache"] == [] and "$LATLAB_TAG" in "".join(job["before_script"])
    of_forge = there.gitlab()
    request = of_forge.pop("CI_MERGE_REQUEST_IID")
    known = {**of_forge, "CI_JOB_NAME": "latency", "LATLAB_RUN": IMPORT, "LATLAB_BASELINE": "main", "LATLAB_COMMIT": COMMIT}
    known["LATLAB_JOB"] = "latency"
    main = {"CI_COMMIT_BRANCH": "main", "LATLAB_BRANCH": "main"}
    store = root.folder / ".latlab/store.sqlite"
    for factor in (1, 2):
        root.build(factor)
        done = in_shell(root, script, **{**known, **main, "LATLAB_COMMIT": f"{factor}" * 40})
        assert done.returncode == 0, done.stdout + done.stderr
        there.files["latency"] = store.read_bytes()
        store.unlink()
    assert root.text().startswith("# latlab gate fails")
    root.build(factor=4)
    for _ in range(2):
        assert in_shell(root, script, **known, CI_MERGE_REQUEST_IID=request).returncode == 1
    assert len(there.bodies()) == 1 and "# latlab gate fails" in there.bodies()[0]
    root.build(factor=2)
    assert in_shell(root, script, **known, CI_MERGE_REQUEST_IID=request).returncode == 0


@pytest.mark.parametrize("workflow", ["ci", ""])
def test_the_script_for_gitea_and_forgejo_judges_comments_and_keeps_the_code(root: Root, there: Forge, workflow: str) -> None:
    """With the variables of a job there, and the arguments that the page gives. Their runners call a workflow without a name nothing."""
    (line,) = [line for line in lines_of("Gitea and Forgejo").splitlines() if "gitea.sh" in line]
    script = line.partition("run: ")[2].replace("run psci --subject firmware.toml", IMPORT)
    of_job = {"GITHUB_WORKFLOW": workflow, "GITHUB_JOB": "latency", "GITHUB_SERVER_URL": "http://127.0.0.1:9", "GITHUB_REF_TYPE": "branch"}
    summary = root.folder / "summary"
    of_run = {"GITHUB_RUN_NUMBER": "3", "GITHUB_STEP_SUMMARY": str(summary)}
    known = {**there.gitea(), **of_job, **of_run, "LATLAB_STORE": str(root.folder / "kept.sqlite")}
    change = known.pop("LATLAB_CHANGE")
    a, b = "a" * 40, "b" * 40
    there.history = {a: [a], b: [b, a]}
    done = in_shell(root, script, **known, GITHUB_EVENT_NAME="push", GITHUB_REF_NAME="main", GITHUB_SHA=a)
    assert done.returncode == 0, done.stdout + done.stderr
    root.build(factor=2)
    of_change = {"GITHUB_EVENT_NAME": "pull_request", "GITHUB_REF_NAME": "main", "GITHUB_SHA": b, "LATLAB_CHANGE": change}
    for _ in range(2):
        assert in_shell(root, script, **known, **of_change).returncode == 1
    assert len(there.bodies()) == 1 and f"Commit {a[:12]} is the nearest" in there.bodies()[0]
    assert f"(<http://127.0.0.1:9/{there.gitea()['GITHUB_REPOSITORY']}/actions/runs/3?by_index=1>)" in there.bodies()[0]
    assert summary.read_text("utf-8").count("# latlab gate fails") == 2
    assert root.do("comment.py", "latlab-out/comment.md", LATLAB_JOB="of a shell", **there.gitea()).stdout == "comment 2 left\n"


@pytest.mark.parametrize("name", ["action.yml", "ci/latlab.gitlab-ci.yml"])
def test_a_failed_installation_is_said_in_the_file_of_the_comment(root: Root, there: Forge, name: str) -> None:
    document = msgspec.yaml.decode((ROOT / name).read_bytes())
    if name == "action.yml":
        (script,) = [step["run"] for step in document["runs"]["steps"] if "failure()" in step.get("if", "")]
    else:
        script = "\n".join(document[".latlab"]["after_script"]).replace("/opt/latlab", str(ROOT))
    done = in_shell(root, script, LATLAB_OUT="latlab-out", **there.gitlab())
    assert done.returncode == 0 and "could not be installed" in root.text(), done.stderr
    if name != "action.yml":
        assert len(there.bodies()) == 1 and "could not be installed" in there.bodies()[0]
        (root.folder / "latlab-out" / "comment.md").write_text("judged")
        assert in_shell(root, script, **there.gitlab()).returncode == 0 and root.text() == "judged" and len(there.bodies()) == 1

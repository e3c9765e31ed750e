"""Judges the index against HEAD, for the hooks of a commit."""

from __future__ import annotations

import os

from interlock.documents import message as messages
from interlock.documents.trailers import ABBREVIATED
from interlock.engine.judge import Judge, read_message
from interlock.files.atomic_files import read
from interlock.git.parse import Commit
from interlock.git.repository import Repository, opened
from interlock.model import quick_tools as functools
from interlock.model.change import UNMERGED, Change, Message
from interlock.model.errors import Refusal
from interlock.model.finding import Finding, Fix
from interlock.model.fixes import (
    MESSAGE,
    of_all,
    of_amended,
    of_files,
    of_index,
    of_tree,
    rewords,
    stage,
)
from interlock.model.quick_tools import suppress
from interlock.model.quick_typing import Collection, Iterator, NamedTuple
from interlock.model.report import Report
from interlock.workflow.language.spec import Workflow
from interlock.workflow.reading.item_paths import paths_of

# git sets it for the hooks of a commit only, to name the index to judge; but a
# hook of a commit may also push
INDEX = 'GIT_INDEX_FILE'

# the index of `git commit -a`, `-i` and `-p`; `git commit FILES` uses another
ALL_INDEX = 'index.lock'

# set by pre-commit and prek, which show the output of a hook only if it fails
SHOWN_LATER = 'PRE_COMMIT'

# git accepts abbreviated options
AMENDING = ('--amend', '--amen', '--ame', '--am')

# the message of a merge or cherry-pick in progress, and of the last attempt to commit
MESSAGE_FILES = ('MERGE_MSG', 'COMMIT_EDITMSG')


def is_push() -> bool:
    """Whether pre-commit or prek runs for a push."""
    return bool(os.environ.get('PRE_COMMIT_REMOTE_BRANCH'))


def judge_staged(
    message: str | None,
    only: tuple[str, ...] = (),
    inherited: bool = False,
    config: str = '',
    stamped: bool = False,
    hooked: bool = False,
) -> Report:
    """Judge the index against HEAD.

    `stamped`: the message records that it passed; `hooked`: called by a git
    hook.
    """
    if message is None and (only == ('message',) or (hooked and 'message' in only)):
        raise Refusal(
            'no message file was given, so there is nothing to judge',
            f'interlock check --staged --message {MESSAGE}',
        )
    with opened() as repository:
        text = read_message(message, repository) if message is not None else None
        judge = Judge(repository, config, only, inherited, is_here=True)
        said: Collection[str] = ()
        is_kept = hooked and not only and SHOWN_LATER not in os.environ
        if is_kept:
            from interlock.engine import kept_verdict

            said = kept_verdict.recall(judge, text is not None)
        judge.staged(
            text,
            functools.partial(_is_asked_again, repository)
            if hooked and text is None
            else lambda: False,
            is_draft=text is None and not hooked,
        )
        if judge.findings:
            _adapt_fixes(judge, text, hooked)
        report = judge.report()
        if report.note and hooked and text is None and _is_asked_again(repository):
            # what an adoption brings is said once, when the message is judged
            refusing = [each for each in report.findings if each.refuses]
            report = report._replace(note='', findings=refusing)
        if is_kept:
            report = kept_verdict.keep(judge, report, said)
        trailer = judge.gate_trailer() if stamped else ''
        if trailer and message is not None and not report.refuses:
            # only if a project asks for it
            from interlock.engine.required_trailers import stamp

            stamp(repository, message, trailer)
        return report


def _adapt_fixes(judge: Judge, text: Message | None, hooked: bool) -> None:
    """Make the fixes right for the way in which the commit is made."""
    repository = judge.repository
    if len(repository.parents()) < 2:
        # not for a merge: the working tree is compared with HEAD alone
        _offer_to_stage(judge, text)
    if any(rewords(each.fix) for each in judge.findings):
        judge.findings = [
            each._replace(fix=_of_same_files(repository, each.fix, text, hooked))
            for each in judge.findings
        ]
    if hooked and is_amending(repository):
        judge.findings = [
            each._replace(fix=of_amended(each.fix)) for each in judge.findings
        ]


def _of_same_files(
    repository: Repository, fix: Fix, text: Message | None, hooked: bool
) -> Fix:
    """A fix that commits the files that were judged, however they were chosen.

    `git commit -a` and `git commit FILES` use another index, which git drops
    when the commit is refused.
    """
    if not rewords(fix):
        return fix
    elif hooked and text is None:
        # commit-msg does not call us, so no message is judged
        return Fix('let commit-msg judge the message', 'interlock doctor')
    name = _temporary_index(repository)
    if not name:
        return of_index(fix)
    elif name != ALL_INDEX:
        (change, *_) = repository.staged(text)
        return of_files(fix, *change.touched)
    elif not repository.git.line('diff-files --name-only'):
        return of_all(fix)
    return of_tree(fix, repository.git.line('write-tree')[:ABBREVIATED])


def _temporary_index(repository: Repository) -> str:
    """The name of the index that git made for this commit alone, '' for another one."""
    git_dir = repository.facts.git_dir
    index = os.path.realpath(repository.environ.get(INDEX) or f'{git_dir}/index')
    folder, name = os.path.split(index)
    return '' if folder != os.path.realpath(git_dir) or name == 'index' else name


def is_amending(repository: Repository) -> bool:
    """Whether the hook runs for `git commit --amend`; git does not say so itself."""
    from interlock.files import process

    for pid in process.ancestors():
        program, *words = process.words(pid, 'cmdline') or ['']
        if os.path.basename(program) == 'git' and 'commit' in words:
            return any(word in AMENDING for word in words)
    # an alias may hide it, and only Linux shows the command line; an amended commit
    # keeps its author date
    date = os.environ.get('GIT_AUTHOR_DATE', '').lstrip('@')
    found = repository.git.line('log -1 --format=%ad --date=raw') if date else ''
    return bool(date) and date == found


def _is_asked_again(repository: Repository) -> bool:
    """Whether commit-msg calls us and will judge the message."""
    from interlock.git import installed_hooks
    from interlock.git.hook_folder import folder_of

    facts = repository.facts
    hook = installed_hooks.hook(folder_of(*facts, os.environ), 'commit-msg')
    return hook.runs and installed_hooks.leads_to_us(facts.top, hook)


def judge_hook(message: str | None, check: str = '') -> Iterator[Report]:
    """The reports for a hook: about the index, a push, or pre-commit's range.

    If git names an index and the environment names a push, both are judged, so
    neither can hide the other.
    """
    # every hook also checks the workflow itself, otherwise a project that uses
    # only some hooks could lose it unnoticed
    only = (check, 'workflow') if check else ()
    base = os.environ.get('PRE_COMMIT_FROM_REF', '')
    tip = os.environ.get('PRE_COMMIT_TO_REF', '')
    pushed = not check and is_push()
    if message is None and (pushed or (base and tip)):
        # pre-commit and prek pass no input, but name the pushed refs in variables
        from interlock.engine import judgements

        if pushed:
            yield judgements.judge_pushed('', '')
        else:
            yield judgements.judge_range(f'{base}..{tip}', only)
        if INDEX not in os.environ or check == 'message':
            return
    yield judge_staged(message, only, stamped=not check, hooked=True)


class StagedFindings(NamedTuple):
    findings: tuple[Finding, ...] = ()
    # which message was judged, or that none was; '' if nothing is staged
    said: str = ''


def _message_file(repository: Repository, head: Commit) -> str:
    """The message file that differs from the last commit's message, '' if none."""
    for name in MESSAGE_FILES:
        path = os.path.join(repository.facts.git_dir, name)
        if read(path) is None:
            continue
        text = read_message(path, repository)
        if text.subject and text != messages.parse(head.message):
            return path
    return ''


def staged_findings(config: str) -> StagedFindings:
    """The findings about the index, and about its message if there is one."""
    with opened() as repository:
        head = repository.head()
        touched = repository.git.diff_index(head.tree)[0] if head else {}
        if head is None or not touched or UNMERGED in touched.values():
            return StagedFindings()
        path = _message_file(repository, head)
    found = tuple(judge_staged(path or None, config=config).findings)
    return StagedFindings(
        found,
        f'the index is judged with the message in {path}'
        if path
        else 'to judge rules about messages too: '
        'interlock check --staged --message FILE',
    )


def _paths(finding: Finding, workflow: Workflow) -> Iterator[str]:
    """The files whose content decides about a finding."""
    yield finding.path
    for kind in workflow.kinds:
        if kind.registry:
            yield kind.registry.file
        yield from paths_of(finding.item, kind)


def _differing(
    finding: Finding, workflow: Workflow, index: Change, disk: Change
) -> list[str]:
    """The files of a finding whose working tree version is not staged."""
    below = f'{finding.path.rstrip("/")}/'
    paths = [
        *_paths(finding, workflow),
        *(path for path in disk.touched if path.startswith(below)),
    ]
    touched = {*index.touched, *disk.touched}

    def oid(change: Change, path: str) -> str:
        blob = change.after.blob(path)
        return blob.oid if blob else ''

    return [
        path
        for path in dict.fromkeys(filter(None, paths))
        if path in touched and oid(index, path) != oid(disk, path)
    ]


def _offer_to_stage(judge: Judge, text: Message | None) -> None:
    """Suggest `git add` for findings that the working tree already fixes.

    Writes the working tree as a tree and judges it too. If either fails, the
    findings keep their fixes.
    """
    if not judge.repository.facts.top:
        return
    from interlock.git import worktree_snapshot

    with (
        suppress(Refusal),
        worktree_snapshot.opened(os.environ, judge.config) as (repository, tree),
    ):
        (index,) = judge.repository.staged(text)
        other = Judge(repository, judge.config, judge.only, True, is_here=True)
        disk = repository.against_head(tree)._replace(
            message=index.message, amended=index.amended, is_draft=text is None
        )
        left = {each.fingerprint for each in other.changes([disk])}
        workflow = other.governing.before(disk.before)
        # `git commit FILES` leaves out the rest on purpose
        is_partial = _temporary_index(judge.repository) not in ('', ALL_INDEX)
        judge.findings = [
            finding
            if finding.fingerprint in left
            or (is_partial and rewords(finding.fix))
            or not (paths := _differing(finding, workflow, index, disk))
            else finding._replace(fix=stage(*paths))
            for finding in judge.findings
        ]

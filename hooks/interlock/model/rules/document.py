from __future__ import annotations

from interlock.model.finding import ERROR
from interlock.model.finding import WARNING
from interlock.model.rules.rule import Rule

CHECK = 'document'

RULES = (
    Rule(
        'DOC001', CHECK, ERROR,
        'a handoff document does not restore its skill',
        'Whoever takes over does what 0.1 says before anything else. '
        'Without a call that can be carried out the work goes on ad hoc.',
        'Write `Skill("name", "arguments")` in 0.1, or `NO ACTIVE SKILL`.',
    ),
    Rule(
        'DOC002', CHECK, ERROR,
        'a handoff document does not say what to read first',
        'A pointer such as `see the design` is not followed; a call is.',
        'Write `Read("/absolute/path")` for each document in 0.2, or '
        '`NO DOCUMENTS TO READ`.',
    ),
    Rule(
        'DOC003', CHECK, ERROR,
        'a path of a handoff document is not absolute',
        'The successor may start in another directory, and a shell expands '
        '`~` where nothing else does.',
        'Write the path from the root.',
    ),
    Rule(
        'DOC004', CHECK, ERROR,
        'a handoff document does not restore its todos',
        'One call of TodoWrite with a JSON list restores them as they were; '
        'a list in words is written anew, and differs.',
        'Write `TodoWrite([...])` in 0.3, with an empty list if there are '
        'none.',
    ),
    Rule(
        'DOC005', CHECK, ERROR,
        'a handoff document does not start with Section 0',
        'What has to be done before reading on must be read before the '
        'rest. Only frontmatter and a title may precede it.',
        'Move Section 0 to the top.',
    ),
    Rule(
        'DOC006', CHECK, ERROR,
        'a handoff document leaves out plans',
        'Most broken handoffs do not name the plan. The search of 1.9 is '
        'repeated: the directory of plans, and files named like plans in '
        'the repository.',
        'Name each plan in 1.9, or write `NO PLANNING DOCUMENTS`.',
    ),
    Rule(
        'DOC007', CHECK, ERROR,
        'a handoff document has plans, and does not say to read them',
        'Documents that are only listed are not read before work starts.',
        'Write `Read("/absolute/path")` in 1.10 for each, or '
        '`NO DOCUMENTS TO RE-READ`.',
    ),
    Rule(
        'DOC008', CHECK, ERROR,
        'the machine-readable state of a handoff document is unreadable',
        'Programs restore a session from 1.20. It is exactly one yaml '
        'block, a mapping, without keys that occur twice.',
        'Correct the line that the message names.',
    ),
    Rule(
        'DOC009', CHECK, ERROR,
        'a value of a handoff document still has to be filled in',
        'A template that was not filled in is valid YAML: `[N]` is a list. '
        'Texts in brackets, choices between words, lists in the place of '
        'single values and marked gaps are values that nobody wrote.',
        'Write the value.',
    ),
    Rule(
        'DOC010', CHECK, ERROR,
        'a skill of the saved state has no constraints',
        'What a skill forbids and requires holds for the successor too. The '
        'lists may be empty, but they must be there.',
        'Write `constraints` with `forbidden` and `required`.',
    ),
    Rule(
        'DOC011', CHECK, ERROR,
        'a subagent of the saved state has no skill stack',
        'A subagent that has to be replaced needs its skills. The list may '
        'be empty, but it must be there.',
        'Write `skill_stack` for the subagent.',
    ),
    Rule(
        'DOC012', CHECK, ERROR,
        'a correction of the saved state carries no lesson',
        'A mistake is avoided by its lesson, not by its history.',
        'Write `lesson` for the correction.',
    ),
    Rule(
        'DOC013', CHECK, ERROR,
        'a word of the saved state is none that programs know',
        'Modes, roles, patterns and states are compared by programs; '
        'another word is no state at all to them.',
        'Write one of the words that the message names.',
    ),
    Rule(
        'DOC014', CHECK, ERROR,
        'the encoded name of a project does not match its path',
        'Plans are looked for under this name: the path without its first '
        'slash, each other slash a dash.',
        'Write the name that the message gives.',
    ),
    Rule(
        'DOC015', CHECK, ERROR,
        'the todos of a handoff document differ from each other',
        'Sections 0.3, 1.8 and 1.20 hold the same todos, with the same '
        'words and status; a difference to the transcript is a warning.',
        'Make them the same, word by word.',
    ),
    Rule(
        'DOC016', CHECK, ERROR,
        'a gate failed, and there is no checkpoint to go back to',
        'Where a quality gate failed the work may have to be undone, and '
        'then a commit that exists has to be named.',
        'Name a commit under `recovery`.',
    ),
    Rule(
        'DOC017', CHECK, ERROR,
        'an artifact is not in the state that a document gives it',
        'What a session claims may be stale; the file system is asked.',
        'Look at the file and write what is so.',
    ),
    Rule(
        'DOC018', CHECK, ERROR,
        'the state of an automatic handoff was not saved',
        'In the modes auto and checkpoint the session is restored from the '
        'store. A state there that is older than the document restores '
        'another one.',
        'Save the state with `interlock state save`.',
    ),
    Rule(
        'DOC019', CHECK, WARNING,
        'nothing verifies an open todo',
        'Work without a command that proves it is called done too early.',
        'Write a command as the verification of the todo, and in 1.13.',
    ),
    Rule(
        'DOC027', CHECK, WARNING,
        'a document shows signs of partial work',
        'Incomplete (a warning): an empty section, a marker for open work, '
        'an end in the middle, lost subsections. Corrupted (an error): a '
        'heading that occurs twice, an open code block, content under '
        'another heading. What is built on it is lost.',
        'Go back to the last complete section and do the rest again.',
    ),
    Rule(
        'DOC028', CHECK, WARNING,
        'the environment is not what a handoff document says',
        'Branch, number of uncommitted files and worktrees are compared '
        'with git. They may have changed since, and then somebody worked '
        'here.',
        'Look at what changed, and correct the document or the branch.',
    ),
    Rule(
        'DOC029', CHECK, WARNING,
        'it cannot be checked when the work is done',
        'A definition of done has boxes to tick, commands that decide, and '
        'two lines that are never left out: all of 1.13 passes, and the '
        'user has approved.',
        'Write the conditions as boxes with commands.',
    ),
    Rule(
        'DOC030', CHECK, ERROR,
        'a command of a handoff document cannot be run',
        'The commands that resume a skill or enter it again are run as they '
        'stand. Placeholders, missing quotes and calls of other tools make '
        'them useless or dangerous.',
        'Write `Skill("name", "arguments")`.',
    ),
    Rule(
        'DOC031', CHECK, WARNING,
        'a section is missing, empty, there twice or out of order',
        'Readers and programs find what they need by the outline. For 0.1, '
        '0.2, 0.3, 1.9, 1.10, 1.20 and Section 2 it is an error.',
        'Write the section, or say in it that there is nothing.',
    ),
    Rule(
        'DOC032', CHECK, ERROR,
        'a document cannot be read',
        'It is not UTF-8, holds a NUL byte, is too large, or has '
        'frontmatter that makes no sense.',
        'Save it as UTF-8 text.',
    ),
    Rule(
        'DOC033', CHECK, ERROR,
        'a document that is to be read does not exist',
        'A read that fails leaves the successor without the plan.',
        'Correct the path, or leave the document out.',
    ),
    Rule(
        'DOC034', CHECK, ERROR,
        'a subagent has no id or no persona',
        'Without them it can neither be asked nor replaced by its like.',
        'Write both for each subagent.',
    ),
    Rule(
        'DOC035', CHECK, ERROR,
        'a value of the saved state is missing or of a wrong kind',
        'The schema of the state says which keys there are and what they '
        'hold; a state that breaks it is not restored.',
        'Write the value as the message says.',
    ),
    Rule(
        'DOC036', CHECK, ERROR,
        'a handoff document and its saved state say different things',
        'The sections are for readers and 1.20 is for programs; what both '
        'say they say in the same words.',
        'Make both the same.',
    ),
    Rule(
        'DOC037', CHECK, WARNING,
        'a table has a word that its column does not know',
        'A successor goes by the words of the outline: APPROVED or DRAFT, '
        'ABSOLUTE or SESSION, exactly one workflow pattern.',
        'Write one of the words that the message names.',
    ),
    Rule(
        'DOC038', CHECK, WARNING,
        'a handoff document gives no exact position',
        'Work goes on at a line of a file or at a task of a phase, not '
        'somewhere near.',
        'Write file and line, or phase and task.',
    ),
    Rule(
        'DOC039', CHECK, WARNING,
        'a gate is passed although its files have changed',
        'A gate that passed says something about files as they were.',
        'Write RECHECK as its status.',
    ),
    Rule(
        'DOC040', CHECK, ERROR,
        'a gate that is not passed may be skipped',
        'A gate that failed or is pending has to pass before work goes on.',
        'Write `can_skip: false`.',
    ),
    Rule(
        'DOC041', CHECK, WARNING,
        'the skills of a handoff document cannot be resumed in order',
        'Section 1.14 runs each skill, or says in words where to continue; '
        'a parent comes before the children that it runs.',
        'Write the commands in the order in which they are run.',
    ),
    Rule(
        'DOC042', CHECK, WARNING,
        'the way back into a skill lacks what it needs',
        'Section 1.23 hands over absolute paths, that the plans are '
        'APPROVED, the position and the decisions; with less the skill '
        'asks again.',
        'Add what the message names.',
    ),
    Rule(
        'DOC043', CHECK, WARNING,
        'a message of the user is not in the handoff document',
        'Intent is told by all messages, not by the last. The transcript '
        'is asked.',
        'Write the message in 1.7 and in 1.20.',
    ),
    Rule(
        'DOC044', CHECK, WARNING,
        'an error of the session is not in the handoff document',
        'An error that is not told is met again. The transcript is asked.',
        'Write error and fix in 1.6 and in 1.20.',
    ),
    Rule(
        'DOC045', CHECK, WARNING,
        'the conversation is neither told nor said to be empty',
        'Section 1.25 tells what the user said and corrected. An empty one '
        'looks as if it was forgotten.',
        'Fill the tables of 1.25.',
    ),
    Rule(
        'DOC046', CHECK, WARNING,
        'a skill that was used is not documented',
        'The transcript names the skills of the session; the successor '
        'knows only those of the document.',
        'Name the skill in 1.1.',
    ),
    Rule(
        'DOC047', CHECK, WARNING,
        'a plan and the todos differ in what is done',
        'The plan says what belongs to the work and the todos when it is '
        'done; a task that is finished in one of them only is unclear.',
        'Bring both in line.',
    ),
    Rule(
        'DOC048', CHECK, WARNING,
        'concepts or decisions are not told',
        'Decisions that are not told with their reasons are made again.',
        'Fill 1.3 and 1.4, or say that there is nothing.',
    ),
)

"""The conditions of gates: one code each."""
from __future__ import annotations

from interlock.model.finding import ERROR
from interlock.model.finding import WARNING
from interlock.model.rules.rule import Rule

CHECK = 'stages'

RULES = (
    Rule(
        'GAT001', CHECK, ERROR,
        'the state cannot be entered from here',
        'A state rests on those before it. Only the steps of the workflow '
        'lead from one to the next; a state that is skipped is work that '
        'nobody did.',
        'Go on state by state; `interlock task resume TASK` says which '
        'comes next.',
    ),
    Rule(
        'GAT002', CHECK, ERROR,
        'the log of the task is not complete',
        'Every step is logged when it is made. A log with a gap, out of '
        'order, or with another end than the state means that the state was '
        'written past the one command that may do it.',
        'Show the user what `interlock task check TASK` says: a log is not '
        'repaired by whoever broke it.',
    ),
    Rule(
        'GAT003', CHECK, ERROR,
        'there is no session',
        'A lock is held by a session. Who has none holds nothing, and '
        'cannot be told from anybody else.',
        'Set INTERLOCK_SESSION to the id of the session.',
    ),
    Rule(
        'GAT004', CHECK, ERROR,
        'the lock of the task is not ours',
        'Two sessions that work on one task undo each other. A lock that '
        'cannot be read is held by nobody knows whom, and never by us.',
        'Take another task; `interlock lock show TASK` says who holds it.',
    ),
    Rule(
        'GAT005', CHECK, ERROR,
        'the todo list does not name the task',
        'A task that is not listed was done already, or nobody asked for '
        'it. A list that cannot be read names no task.',
        'List the task, or select another one.',
    ),
    Rule(
        'GAT006', CHECK, ERROR,
        'the task has no worktree',
        'The work of a task is done in a worktree of its own, so that tasks '
        'cannot disturb each other.',
        'Make the worktree, or ask the user what became of it.',
    ),
    Rule(
        'GAT007', CHECK, ERROR,
        'the working directory is not the worktree of the task',
        'Agents inherit the working directory. Started from elsewhere they '
        'change the wrong files.',
        'Change to the worktree of the task, then go on.',
    ),
    Rule(
        'GAT008', CHECK, ERROR,
        'an agent has no worktree',
        'Each agent works in a worktree of its own. One without it cannot '
        'be started, or works in that of another.',
        'Return to where agents are selected and make it.',
    ),
    Rule(
        'GAT009', CHECK, ERROR,
        'the risk of the task is not recorded',
        'The risk decides which agents are needed and which states may be '
        'skipped.',
        'Judge the risk and record it with its reason.',
    ),
    Rule(
        'GAT010', CHECK, WARNING,
        'the risk level has no reason',
        'A level without a reason cannot be reviewed. A warning, unless the '
        'workflow says `evidence: strict`.',
        'Record why the task has this risk.',
    ),
    Rule(
        'GAT011', CHECK, ERROR,
        'no agents are selected',
        'A task without agents has nobody to ask for requirements and '
        'nobody to review it.',
        'Select the agents that the risk of the task calls for.',
    ),
    Rule(
        'GAT012', CHECK, WARNING,
        'the selection of an agent has no reason',
        'Why an agent takes part is what a later addition is compared with. '
        'A warning, unless the workflow says `evidence: strict`.',
        'Record why each agent was selected.',
    ),
    Rule(
        'GAT013', CHECK, ERROR,
        'the task is too large to skip states',
        'Only a recorded low risk, or a recorded change of documents or '
        'configuration only, makes the states between needless. A level or '
        'a type that was corrected downwards does not: what stood there '
        'before counts too.',
        'Go on state by state, or record the risk and the type of change.',
    ),
    Rule(
        'GAT014', CHECK, ERROR,
        'the plan of the task does not exist',
        'Agents read in it what the task is about, and write into it what '
        'they require.',
        'Write it, at the root of the task.',
    ),
    Rule(
        'GAT015', CHECK, ERROR,
        'the plan lacks a section',
        'Objective, scope and reports stand where everybody looks for them. '
        'A heading of another level does not count.',
        'Add the section.',
    ),
    Rule(
        'GAT016', CHECK, ERROR,
        'the plan has no section for the reports of agents',
        'Without it the requirements of agents are nowhere brought '
        'together.',
        'Add the section.',
    ),
    Rule(
        'GAT017', CHECK, ERROR,
        'an agent is not done',
        'A state is left when all agents are done, never with all but one.',
        'Start those again that are missing; `interlock agents check TASK '
        'AGENT` says how.',
    ),
    Rule(
        'GAT018', CHECK, ERROR,
        'an agent has not reported',
        'A status is a claim, the report is the work. A report of a few '
        'bytes is a failure, not "no requirements".',
        'Have the agent write its report.',
    ),
    Rule(
        'GAT019', CHECK, ERROR,
        'an agent reports an error',
        'An error that is passed over comes back in the work of all others.',
        'Start the agent again, by the class of its error.',
    ),
    Rule(
        'GAT020', CHECK, ERROR,
        'no plan is written',
        'What nobody planned, nobody can approve.',
        'Write the implementation plan into the plan of the task.',
    ),
    Rule(
        'GAT021', CHECK, ERROR,
        'the plan is not approved',
        'The user approves this plan, not any plan: a record names it by '
        'its checksum, and an approval lapses when the plan changes. A flag '
        'file that no record backs opens the gate with a warning, unless '
        'the workflow says `approvals: recorded`.',
        'Present the plan and wait for the user.',
    ),
    Rule(
        'GAT022', CHECK, ERROR,
        'an agent has work left',
        'An agent may be done with a round and not with its work.',
        'Start the agent for its next round.',
    ),
    Rule(
        'GAT023', CHECK, ERROR,
        'work is not committed',
        'What is not committed is not validated, and is lost with its '
        'worktree.',
        'Commit it in that worktree.',
    ),
    Rule(
        'GAT024', CHECK, ERROR,
        'no successful build is recorded',
        'A claim that it builds is no evidence. A change of documents or '
        'configuration only, recorded as such from the start, needs none. '
        'When the state is reached again, the build of an earlier round '
        'does not count.',
        'Build, and log the build with its result.',
    ),
    Rule(
        'GAT025', CHECK, ERROR,
        'the worktree is not clean',
        'What is reviewed is what is committed, and nothing else.',
        'Commit or remove what `git status` shows.',
    ),
    Rule(
        'GAT026', CHECK, ERROR,
        'an agent did not approve',
        'The review is unanimous or it is none. A decision that cannot be '
        'understood counts as a rejection. When the state is reached again '
        'every agent reviews again.',
        'Return to the implementation and mend what was rejected.',
    ),
    Rule(
        'GAT027', CHECK, ERROR,
        'no review was rejected',
        'This step is the answer to a rejection; without one it would undo '
        'the work of reviewers.',
        'Go on: `interlock task resume TASK`.',
    ),
    Rule(
        'GAT028', CHECK, ERROR,
        'the checkpoint is missing, or not where the work is',
        'The user reviews one commit. It must exist, and a later commit '
        'voids it.',
        'Make it: `interlock checkpoint TASK --push`.',
    ),
    Rule(
        'GAT029', CHECK, ERROR,
        'the changes are not approved',
        'The user approves the commit of the checkpoint, and a later one is '
        'not approved by that. A flag without a record opens the gate with '
        'a warning, unless the workflow says `approvals: recorded`.',
        'Present the changes and wait for the user.',
    ),
    Rule(
        'GAT030', CHECK, ERROR,
        'nothing was decided to be resolved now',
        'The way back leads over a decision of the user.',
        'Ask the user, and record the decision.',
    ),
    Rule(
        'GAT031', CHECK, ERROR,
        'not everything that is open was deferred',
        'A task is complete when all that is left was put off on purpose.',
        'Ask the user, and record the decision.',
    ),
    Rule(
        'GAT032', CHECK, WARNING,
        'a state left no evidence',
        'Whoever comes later has to see what a state achieved. A warning, '
        'unless the workflow says `evidence: strict`. A state that is '
        'reached again has to show it again.',
        'Give it with the step: `--evidence`.',
    ),
    Rule(
        'GAT033', CHECK, ERROR,
        'the audit trail is not complete',
        'After the clean-up nothing but the trail says how the work was '
        'done. A task without agents owes no runs of agents; of the runs of '
        'one agent the last decides.',
        'Log what is missing: `interlock trail add TASK`.',
    ),
    Rule(
        'GAT034', CHECK, ERROR,
        'the work and the todo list did not reach main together',
        'Between two commits of which one brings the work and one the todo '
        'list the repository contradicts itself. And what comes to the main '
        'branch is the commit that the user approved: neither less of it, '
        'nor more, nor anything else.',
        'Merge the work with the completed todo list, in one commit.',
    ),
    Rule(
        'GAT035', CHECK, ERROR,
        'an agent was added without a justification',
        'Why an agent was not selected first, and is needed now, has to be '
        'said.',
        'Say why: `interlock agents add TASK AGENT --why TEXT`.',
    ),
    Rule(
        'GAT036', CHECK, ERROR,
        'an agent was added too late',
        'After the implementation a new agent means that all is done again '
        'from the requirements on.',
        'Return to the requirements, then add the agent.',
    ),
    Rule(
        'GAT037', CHECK, ERROR,
        'an agent was added against a rejection',
        'A rejection is answered by better work, not by a friendlier '
        'reviewer.',
        'Return to the implementation and mend what was rejected.',
    ),
    Rule(
        'GAT038', CHECK, ERROR,
        'the agents and their additions disagree',
        'An agent that is only in one of the two lists is not waited for, '
        'or was never justified. Each step logs who takes part, so an agent '
        'that is added or removed by hand shows.',
        'Add it by `interlock agents add TASK AGENT --why TEXT`, or return '
        'to the selection.',
    ),
)

/* The tables of the local store, and what is asked of them. A line before each
   statement has its name; the n-th migration makes version n from the one before. */

-- migration 1: as the handoff document defines it
CREATE TABLE IF NOT EXISTS workflow_state (
    id INTEGER PRIMARY KEY,
    project_path TEXT NOT NULL UNIQUE,
    state_json TEXT NOT NULL,
    trigger TEXT NOT NULL,
    created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP
);
CREATE TABLE session_state (
    project_path TEXT NOT NULL,
    session_id TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    state_json TEXT NOT NULL,
    trigger TEXT NOT NULL,
    created_at TIMESTAMP NOT NULL,
    updated_at TIMESTAMP NOT NULL,
    revision INTEGER NOT NULL DEFAULT 1,
    given INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (project_path, session_id, agent_id)
) WITHOUT ROWID;

-- migration 2: since when the states of a project are sent, and which revision was
CREATE TABLE shared_project (
    project_path TEXT PRIMARY KEY,
    since TIMESTAMP NOT NULL
) WITHOUT ROWID;
ALTER TABLE session_state ADD COLUMN sent INTEGER NOT NULL DEFAULT 0;

-- own: the state of a session or an agent
SELECT state_json, trigger, created_at, updated_at, revision = given
FROM session_state
WHERE project_path = ? AND session_id = ? AND agent_id = ?

-- shared: the state of a project
SELECT state_json, trigger, created_at, updated_at, 0
FROM workflow_state WHERE project_path = ?

-- writers: the project's row is written together with that of a session
SELECT session_id FROM session_state
WHERE project_path = ? AND agent_id = '' AND updated_at = ?

-- put_shared: save the state of a project
INSERT INTO workflow_state
(project_path, state_json, trigger, created_at, updated_at)
VALUES (?, ?, ?, ?, ?) ON CONFLICT (project_path) DO UPDATE SET
state_json = excluded.state_json, trigger = excluded.trigger,
updated_at = excluded.updated_at

-- put_own: save the state of a session or an agent
INSERT INTO session_state
(project_path, session_id, agent_id, state_json, trigger, created_at, updated_at)
VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (project_path, session_id, agent_id) DO UPDATE SET
state_json = excluded.state_json, trigger = excluded.trigger,
updated_at = excluded.updated_at, revision = revision + 1

-- give: a session was shown its state
UPDATE session_state SET given = revision
WHERE project_path = ? AND session_id = ? AND agent_id = ?

-- rows: all that is saved
SELECT project_path, '', '', trigger, updated_at, length(state_json)
FROM workflow_state UNION ALL
SELECT project_path, session_id, agent_id, trigger, updated_at, length(state_json)
FROM session_state ORDER BY 1, 2, 3

-- forget_shared: the state of a project
DELETE FROM workflow_state WHERE project_path = ?

-- forget_own: those of its sessions and agents
DELETE FROM session_state WHERE project_path = ?

-- share: send the states of a project to others from now on
INSERT INTO shared_project VALUES (?, ?) ON CONFLICT DO NOTHING

-- is_shared: whether they are sent
SELECT 1 FROM shared_project WHERE project_path = ?

-- unsent: the states that others do not have yet
SELECT session_id, agent_id, state_json, trigger, created_at, updated_at, revision
FROM session_state JOIN shared_project USING (project_path)
WHERE project_path = ? AND revision > sent AND updated_at >= since
ORDER BY updated_at

-- sent: others have this revision
UPDATE session_state SET sent = ?
WHERE project_path = ? AND session_id = ? AND agent_id = ?

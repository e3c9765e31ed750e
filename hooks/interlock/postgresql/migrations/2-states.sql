-- Saved states: a row for each session and agent, and one for the project that
-- holds the newest state of any session, never a mixture of two. A state is
-- the JSON text that the client validated, and validates again when it loads it.

CREATE TABLE interlock.session_state (
    repository text NOT NULL,
    session text NOT NULL,
    agent text NOT NULL,
    state text NOT NULL,
    trigger text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    -- the session is the client's word, the role the server's
    role name NOT NULL DEFAULT session_user,
    PRIMARY KEY (repository, session, agent)
);

CREATE TABLE interlock.project_state (
    repository text PRIMARY KEY,
    session text NOT NULL,
    state text NOT NULL,
    trigger text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    role name NOT NULL DEFAULT session_user
);

-- one writer at a time for a repository: the rows of a session and of the
-- project change together. A state that arrives late replaces no newer one.
CREATE FUNCTION interlock.save_state(
    in_repository text, in_wait integer, in_session text, in_agent text,
    in_state text, in_trigger text, in_created timestamptz, in_updated timestamptz
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    owner name;
BEGIN
    PERFORM interlock.require(in_repository, false);
    PERFORM set_config('lock_timeout', in_wait::text, true);
    PERFORM pg_advisory_xact_lock(hashtextextended('interlock ' || in_repository, 0));
    SELECT role INTO owner FROM interlock.session_state AS s
        WHERE s.repository = in_repository AND s.session = in_session
        AND s.role <> session_user;
    IF owner IS NOT NULL THEN
        RAISE insufficient_privilege USING MESSAGE = format(
            'the state of session %s was saved by role %s', in_session, owner);
    END IF;
    INSERT INTO interlock.session_state AS s VALUES (in_repository, in_session,
        in_agent, in_state, in_trigger, in_created, in_updated)
        ON CONFLICT (repository, session, agent) DO UPDATE
        SET state = in_state, trigger = in_trigger, updated_at = in_updated
        WHERE s.updated_at <= in_updated;
    IF in_agent = '' THEN
        INSERT INTO interlock.project_state AS p VALUES (in_repository, in_session,
            in_state, in_trigger, in_created, in_updated)
            ON CONFLICT (repository) DO UPDATE
            SET session = in_session, state = in_state, trigger = in_trigger,
                updated_at = in_updated, role = session_user
            WHERE p.updated_at <= in_updated;
    END IF;
END $$;

CREATE FUNCTION interlock.expire_states(in_repository text, in_days integer)
RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    oldest timestamptz := now() - make_interval(days => in_days);
    gone bigint;
BEGIN
    PERFORM interlock.require(in_repository, false);
    DELETE FROM interlock.project_state
        WHERE repository = in_repository AND updated_at < oldest;
    DELETE FROM interlock.session_state
        WHERE repository = in_repository AND updated_at < oldest;
    GET DIAGNOSTICS gone = ROW_COUNT;
    RETURN gone;
END $$;

-- what the role itself saved
CREATE FUNCTION interlock.forget_states(in_repository text)
RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    gone bigint;
BEGIN
    PERFORM interlock.require(in_repository, false);
    DELETE FROM interlock.project_state
        WHERE repository = in_repository AND role = session_user;
    DELETE FROM interlock.session_state
        WHERE repository = in_repository AND role = session_user;
    GET DIAGNOSTICS gone = ROW_COUNT;
    RETURN gone;
END $$;

ALTER TABLE interlock.session_state ENABLE ROW LEVEL SECURITY;
ALTER TABLE interlock.project_state ENABLE ROW LEVEL SECURITY;
CREATE POLICY members ON interlock.session_state FOR SELECT
    USING (interlock.rights(repository, false));
CREATE POLICY members ON interlock.project_state FOR SELECT
    USING (interlock.rights(repository, false));
REVOKE ALL ON FUNCTION interlock.save_state, interlock.expire_states,
    interlock.forget_states FROM PUBLIC;
GRANT EXECUTE ON FUNCTION interlock.save_state, interlock.expire_states,
    interlock.forget_states TO PUBLIC;
GRANT SELECT ON interlock.session_state, interlock.project_state TO PUBLIC;

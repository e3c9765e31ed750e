-- Locks: one row per task of a repository, and a log that only grows. Clients
-- may call the functions and read what their role may see; nothing else.
--
-- Every change takes the row of the lock first, so changes of one lock come one
-- after another. A token is used once: asked again, a function gives the same
-- answer, and a token that was withdrawn never does anything.

CREATE TABLE interlock.repository (
    name text PRIMARY KEY,
    -- who keeps its locks; another name than postgresql: they were moved
    engine text NOT NULL,
    epoch bigint NOT NULL
);

-- a role, or a role that others are members of; '*' stands for all repositories
CREATE TABLE interlock.member (
    role name NOT NULL,
    repository text NOT NULL,
    may_force boolean NOT NULL DEFAULT false,
    PRIMARY KEY (role, repository)
);

CREATE TABLE interlock.lock (
    repository text NOT NULL,
    name text NOT NULL,
    generation bigint NOT NULL DEFAULT 0,
    version bigint NOT NULL DEFAULT 0,
    -- '': free
    session text NOT NULL DEFAULT '',
    holder jsonb NOT NULL DEFAULT '{}',
    record bytea NOT NULL DEFAULT '',
    -- of the acquire that gave it to its holder
    token text NOT NULL DEFAULT '',
    -- the last one
    event text NOT NULL DEFAULT '',
    PRIMARY KEY (repository, name)
);

CREATE TABLE interlock.event (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    repository text NOT NULL,
    name text NOT NULL,
    event text NOT NULL,
    generation bigint NOT NULL,
    version bigint NOT NULL,
    session text NOT NULL,
    holder jsonb NOT NULL,
    token text NOT NULL,
    note jsonb NOT NULL,
    -- the session is the client's word, the role the server's
    role name NOT NULL DEFAULT session_user,
    client inet DEFAULT inet_client_addr(),
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    UNIQUE (repository, token)
);
CREATE INDEX event_of_lock ON interlock.event (repository, name, number);

-- a write whose commit waits for the standby, as that of the event did not
CREATE TABLE interlock.settled (
    repository text NOT NULL,
    token text NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (repository, token)
);

CREATE TYPE interlock.answer AS (
    ok boolean,
    why text,
    generation bigint,
    version bigint,
    session text,
    holder jsonb,
    record bytea,
    token text,
    event text
);

CREATE FUNCTION interlock.rights(in_repository text, in_force boolean)
RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
    SELECT EXISTS (
        SELECT FROM interlock.member AS m JOIN pg_roles AS r ON r.rolname = m.role
        WHERE m.repository IN (in_repository, '*')
            AND pg_has_role(session_user, r.oid, 'MEMBER')
            AND (m.may_force OR NOT in_force)
    )
$$;

CREATE FUNCTION interlock.require(in_repository text, in_force boolean)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT interlock.rights(in_repository, in_force) THEN
        RAISE insufficient_privilege USING MESSAGE = format(
            'role %s may not %s the locks of %s', session_user,
            CASE WHEN in_force THEN 'force' ELSE 'use' END, in_repository);
    END IF;
END $$;

-- the lock, held until the end of the transaction, and the event of the token
CREATE FUNCTION interlock.locked(
    in_repository text, in_name text, in_token text, in_wait integer,
    OUT lock interlock.lock, OUT known interlock.event
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM interlock.require(in_repository, false);
    PERFORM set_config('lock_timeout', in_wait::text, true);
    SELECT * INTO lock FROM interlock.lock AS l
        WHERE l.repository = in_repository AND l.name = in_name FOR UPDATE;
    SELECT * INTO known FROM interlock.event AS e
        WHERE e.repository = in_repository AND e.token = in_token;
    IF known.event = 'withdrawn' THEN
        RAISE EXCEPTION USING ERRCODE = 'IL001',
            MESSAGE = 'this was withdrawn before it arrived';
    END IF;
END $$;

CREATE FUNCTION interlock.told(in_ok boolean, in_why text, in_lock interlock.lock)
RETURNS interlock.answer LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp AS $$
    SELECT (in_ok, CASE WHEN in_ok THEN '' ELSE in_why END, (in_lock).generation,
        (in_lock).version, (in_lock).session, (in_lock).holder,
        (in_lock).record, (in_lock).token, (in_lock).event
    )::interlock.answer
$$;

CREATE FUNCTION interlock.not_holder(in_lock interlock.lock)
RETURNS text LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN coalesce((in_lock).session, '') = '' THEN 'it is not locked'
        ELSE format('it is held by session %s as generation %s',
            (in_lock).session, (in_lock).generation) END
$$;

-- the new row and its event, in one transaction
CREATE FUNCTION interlock.put(in_lock interlock.lock, in_token text, in_note jsonb)
RETURNS interlock.answer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE interlock.lock AS l SET generation = in_lock.generation,
        version = in_lock.version, session = in_lock.session,
        holder = in_lock.holder, record = in_lock.record,
        token = in_lock.token, event = in_lock.event
    WHERE l.repository = in_lock.repository AND l.name = in_lock.name;
    INSERT INTO interlock.event
        (repository, name, event, generation, version, session, holder, token, note)
    VALUES (in_lock.repository, in_lock.name, in_lock.event, in_lock.generation,
        in_lock.version, in_lock.holder ->> 'session', in_lock.holder, in_token,
        in_note);
    RETURN interlock.told(true, '', in_lock);
END $$;

-- `in_generation` is the one that the record was written for: another client
-- may have counted on since, and then nothing happens
CREATE FUNCTION interlock.acquire(
    in_repository text, in_name text, in_token text, in_wait integer,
    in_holder jsonb, in_floor bigint, in_generation bigint, in_record bytea,
    in_note jsonb
) RETURNS interlock.answer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found record;
    lock interlock.lock;
    keeper text;
BEGIN
    PERFORM interlock.require(in_repository, false);
    SELECT engine INTO keeper FROM interlock.repository WHERE name = in_repository;
    IF keeper <> 'postgresql' THEN
        RAISE EXCEPTION USING ERRCODE = 'IL002',
            MESSAGE = format('the locks of %s are kept by %s', in_repository, keeper);
    END IF;
    PERFORM set_config('lock_timeout', in_wait::text, true);
    INSERT INTO interlock.lock (repository, name) VALUES (in_repository, in_name)
        ON CONFLICT DO NOTHING;
    found := interlock.locked(in_repository, in_name, in_token, in_wait);
    lock := found.lock;
    IF lock.session <> '' THEN
        RETURN interlock.told(lock.token = in_token, 'it is held', lock);
    ELSIF (found.known).number IS NOT NULL THEN
        RETURN interlock.told(false, 'it was ended since', lock);
    ELSIF greatest(lock.generation, in_floor) + 1 <> in_generation THEN
        RETURN interlock.told(false, 'counted on', lock);
    END IF;
    lock.generation := in_generation;
    lock.version := lock.version + 1;
    lock.session := in_holder ->> 'session';
    lock.holder := in_holder;
    lock.record := in_record;
    lock.token := in_token;
    lock.event := 'acquired';
    RETURN interlock.put(lock, in_token, in_note);
END $$;

-- a session that has another id now says the old one as `before`
CREATE FUNCTION interlock.change(
    in_repository text, in_name text, in_token text, in_wait integer,
    in_holder jsonb, in_generation bigint, in_version bigint, in_record bytea,
    in_note jsonb
) RETURNS interlock.answer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found record;
    lock interlock.lock;
BEGIN
    found := interlock.locked(in_repository, in_name, in_token, in_wait);
    lock := found.lock;
    IF (found.known).number IS NOT NULL THEN
        RETURN interlock.told(true, '', lock);
    ELSIF lock.session IS NULL OR lock.generation <> in_generation
            OR lock.session NOT IN (in_holder ->> 'session',
                coalesce(nullif(in_note ->> 'before', ''), in_holder ->> 'session'))
            THEN
        RETURN interlock.told(false, interlock.not_holder(lock), lock);
    ELSIF lock.version <> in_version THEN
        RETURN interlock.told(false, 'it changed since it was read', lock);
    END IF;
    lock.version := lock.version + 1;
    lock.session := in_holder ->> 'session';
    lock.holder := in_holder;
    lock.record := in_record;
    lock.event := 'changed';
    RETURN interlock.put(lock, in_token, in_note);
END $$;

CREATE FUNCTION interlock.release(
    in_repository text, in_name text, in_token text, in_wait integer,
    in_holder jsonb, in_generation bigint, in_note jsonb
) RETURNS interlock.answer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found record;
    lock interlock.lock;
BEGIN
    found := interlock.locked(in_repository, in_name, in_token, in_wait);
    lock := found.lock;
    IF (found.known).number IS NOT NULL THEN
        RETURN interlock.told(true, '', lock);
    ELSIF lock.session IS DISTINCT FROM in_holder ->> 'session'
            OR lock.generation <> in_generation THEN
        RETURN interlock.told(false, interlock.not_holder(lock), lock);
    END IF;
    lock.version := lock.version + 1;
    lock.session := '';
    lock.token := '';
    lock.event := 'released';
    RETURN interlock.put(lock, in_token, in_note);
END $$;

CREATE FUNCTION interlock.force(
    in_repository text, in_name text, in_token text, in_wait integer,
    in_generation bigint, in_note jsonb
) RETURNS interlock.answer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found record;
    lock interlock.lock;
BEGIN
    PERFORM interlock.require(in_repository, true);
    IF coalesce(in_note ->> 'person', '') = '' THEN
        RAISE EXCEPTION USING ERRCODE = 'IL003',
            MESSAGE = 'only a person ends the lock of another session, by name';
    END IF;
    found := interlock.locked(in_repository, in_name, in_token, in_wait);
    lock := found.lock;
    IF (found.known).number IS NOT NULL THEN
        RETURN interlock.told(true, '', lock);
    ELSIF coalesce(lock.session, '') = '' OR lock.generation <> in_generation THEN
        RETURN interlock.told(false, interlock.not_holder(lock), lock);
    END IF;
    lock.version := lock.version + 1;
    lock.session := '';
    lock.token := '';
    lock.event := 'forced';
    RETURN interlock.put(lock, in_token, in_note);
END $$;

-- whether the token did something; if not, it never will. It waits for a
-- transaction that is just using the token.
CREATE FUNCTION interlock.burn(
    in_repository text, in_name text, in_token text, in_wait integer
) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    happened text;
BEGIN
    PERFORM interlock.require(in_repository, false);
    PERFORM set_config('lock_timeout', in_wait::text, true);
    INSERT INTO interlock.event
        (repository, name, event, generation, version, session, holder, token, note)
    SELECT in_repository, in_name, 'withdrawn', coalesce(max(l.generation), 0),
        coalesce(max(l.version), 0), '', '{}', in_token, '{}'
    FROM interlock.lock AS l WHERE l.repository = in_repository AND l.name = in_name
    ON CONFLICT (repository, token) DO NOTHING;
    SELECT event INTO happened FROM interlock.event
        WHERE repository = in_repository AND token = in_token;
    INSERT INTO interlock.settled (repository, token) VALUES (in_repository, in_token)
        ON CONFLICT (repository, token) DO UPDATE SET at = clock_timestamp();
    RETURN CASE WHEN happened = 'withdrawn' THEN 'never' ELSE 'done' END;
END $$;

CREATE FUNCTION interlock.mark(in_repository text, in_engine text, in_epoch bigint)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM interlock.require(in_repository, false);
    INSERT INTO interlock.repository AS r VALUES (in_repository, in_engine, in_epoch)
        ON CONFLICT (name) DO UPDATE SET engine = in_engine, epoch = in_epoch
        WHERE r.epoch < in_epoch;
    RETURN FOUND;
END $$;

-- for whoever owns the schema
CREATE FUNCTION interlock.admit(
    in_role name, in_repository text, in_may_force boolean DEFAULT false
) RETURNS void LANGUAGE sql AS $$
    INSERT INTO interlock.member VALUES (in_role, in_repository, in_may_force)
        ON CONFLICT (role, repository) DO UPDATE SET may_force = in_may_force
$$;

CREATE FUNCTION interlock.keep() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = 'IL004',
        MESSAGE = format('the table %s only grows', TG_TABLE_NAME);
END $$;

CREATE FUNCTION interlock.forward() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.generation < OLD.generation OR NEW.version <= OLD.version THEN
        RAISE EXCEPTION USING ERRCODE = 'IL004',
            MESSAGE = 'a generation never goes back';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER keep BEFORE UPDATE OR DELETE OR TRUNCATE ON interlock.event
    FOR EACH STATEMENT EXECUTE FUNCTION interlock.keep();
CREATE TRIGGER keep BEFORE DELETE OR TRUNCATE ON interlock.lock
    FOR EACH STATEMENT EXECUTE FUNCTION interlock.keep();
CREATE TRIGGER forward BEFORE UPDATE ON interlock.lock
    FOR EACH ROW EXECUTE FUNCTION interlock.forward();
ALTER TABLE interlock.event ENABLE ALWAYS TRIGGER keep;
ALTER TABLE interlock.lock ENABLE ALWAYS TRIGGER keep;
ALTER TABLE interlock.lock ENABLE ALWAYS TRIGGER forward;

ALTER TABLE interlock.lock ENABLE ROW LEVEL SECURITY;
ALTER TABLE interlock.event ENABLE ROW LEVEL SECURITY;
ALTER TABLE interlock.repository ENABLE ROW LEVEL SECURITY;
CREATE POLICY members ON interlock.lock FOR SELECT
    USING (interlock.rights(repository, false));
CREATE POLICY members ON interlock.event FOR SELECT
    USING (interlock.rights(repository, false));
CREATE POLICY members ON interlock.repository FOR SELECT
    USING (interlock.rights(name, false));

-- helpers are called by the functions above, which run as the owner
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA interlock FROM PUBLIC;
GRANT EXECUTE ON FUNCTION interlock.rights, interlock.acquire, interlock.change,
    interlock.release, interlock.force, interlock.burn, interlock.mark TO PUBLIC;
GRANT SELECT ON interlock.lock, interlock.event, interlock.repository TO PUBLIC;
GRANT USAGE ON SCHEMA interlock TO PUBLIC;
SELECT interlock.admit(session_user, '*', true);

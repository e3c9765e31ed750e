-- Locks that come from another engine, or go there: the lock is free, and counts
-- on from the generation that it had.

CREATE FUNCTION interlock.move(
    in_repository text, in_name text, in_token text, in_wait integer,
    in_generation bigint, in_record bytea, in_note jsonb
) RETURNS interlock.answer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found record;
    lock interlock.lock;
BEGIN
    PERFORM interlock.require(in_repository, false);
    IF coalesce(in_note ->> 'person', '') = '' THEN
        RAISE EXCEPTION USING ERRCODE = 'IL003',
            MESSAGE = 'only a person moves a lock to another engine, by name';
    END IF;
    PERFORM set_config('lock_timeout', in_wait::text, true);
    INSERT INTO interlock.lock (repository, name) VALUES (in_repository, in_name)
        ON CONFLICT DO NOTHING;
    found := interlock.locked(in_repository, in_name, in_token, in_wait);
    lock := found.lock;
    IF (found.known).number IS NOT NULL THEN
        RETURN interlock.told(true, '', lock);
    ELSIF lock.session <> '' THEN
        RETURN interlock.told(false, 'it is held', lock);
    END IF;
    lock.generation := greatest(lock.generation, in_generation);
    lock.version := lock.version + 1;
    lock.holder := lock.holder || '{"session": ""}';
    lock.record := in_record;
    lock.event := 'moved';
    RETURN interlock.put(lock, in_token, in_note);
END $$;

REVOKE ALL ON FUNCTION interlock.move FROM PUBLIC;
GRANT EXECUTE ON FUNCTION interlock.move TO PUBLIC;

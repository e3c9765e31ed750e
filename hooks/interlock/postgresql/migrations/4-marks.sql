-- No lock is taken while the locks of its repository move to another engine: the
-- mark that says so waits for acquires under way, and an acquire looks for the mark
-- again. A move sees each lock that was taken before the mark.

CREATE FUNCTION interlock.marked(in_repository text) RETURNS bigint
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT hashtextextended('interlock mark ' || in_repository, 0)
$$;

CREATE FUNCTION interlock.wait_for_locks() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(interlock.marked(NEW.name));
    RETURN NEW;
END $$;

CREATE FUNCTION interlock.require_keeper() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    keeper text;
BEGIN
    PERFORM pg_advisory_xact_lock_shared(interlock.marked(NEW.repository));
    SELECT engine INTO keeper FROM interlock.repository WHERE name = NEW.repository;
    IF keeper <> 'postgresql' THEN
        RAISE EXCEPTION USING ERRCODE = 'IL002', MESSAGE =
            format('the locks of %s are kept by %s', NEW.repository, keeper);
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER wait_for_locks BEFORE INSERT OR UPDATE ON interlock.repository
    FOR EACH ROW EXECUTE FUNCTION interlock.wait_for_locks();
CREATE TRIGGER require_keeper BEFORE INSERT ON interlock.event
    FOR EACH ROW WHEN (NEW.event = 'acquired')
    EXECUTE FUNCTION interlock.require_keeper();

REVOKE ALL ON FUNCTION interlock.marked, interlock.wait_for_locks,
    interlock.require_keeper FROM PUBLIC;

-- The roles that the product's connections act as. The owner can switch to each of them, and inherits none of their
-- rights. An owner that may not create roles needs a superuser to run what the hint says.
DO $$
DECLARE
    wanted text;
    may_not_inherit text := '';
BEGIN
    IF current_setting('server_version_num')::int >= 160000 THEN
        may_not_inherit := ' WITH INHERIT FALSE, SET TRUE';
    END IF;
    FOREACH wanted IN ARRAY ARRAY['maas_app', 'maas_operator', 'maas_accounts'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                NULL; -- another database of this server is being prepared at the same moment
            END;
        END IF;
        IF NOT pg_has_role(current_user, wanted, 'MEMBER') THEN
            EXECUTE format('GRANT %I TO %I', wanted, current_user) || may_not_inherit;
        END IF;
    END LOOP;
    -- Sign-in has the rights of requests, and more.
    IF NOT pg_has_role('maas_accounts', 'maas_app', 'USAGE') THEN
        GRANT maas_app TO maas_accounts;
    END IF;
EXCEPTION WHEN insufficient_privilege THEN
    RAISE EXCEPTION 'The role % is missing or incomplete, and % may not create it.', wanted, current_user
        USING HINT = format(
            'As a superuser: CREATE ROLE %1$I NOLOGIN INHERIT; GRANT maas_app TO maas_accounts; '
            'GRANT %1$I TO %2$I%3$s;',
            wanted, current_user, may_not_inherit
        );
END $$;
